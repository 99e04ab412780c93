// The production reactor's way into the simulated network, for one client.
//
// wait() marks what is ready and returns at once: virtual time is the event queue's business.
// One thread; the network must outlive it.
#pragma once
#include <functional>
#include <utility>

#include "redlock/os/transport.hpp"
#include "sim/host_clock.hpp"
#include "sim/network.hpp"
#include "sim/sim_clock.hpp"

namespace redlock::sim {

// The host name under which a client reaches server `index`: "s0", "s1", …
[[nodiscard]] Endpoint endpoint_of(std::uint32_t index);

// What a pool in a world of forgetful networks is told, and what nobody may use any more: a
// client's clock may be slow.
inline constexpr std::int64_t kIdleLimitMs = 1000;
inline constexpr std::int64_t kStaleNs = kIdleLimitMs * kMs + kIdleLimitMs * kMs / 5;

class SimTransport final : public Transport {
 public:
  // `forgetful`: connections that are unused for kIdleLimitMs must not be used.
  SimTransport(Network& network, std::uint32_t client, bool forgetful, HostTime& time)
      : network_(network), client_(client), forgetful_(forgetful), time_(time) {}

  ConnectionId open(const Endpoint& endpoint, Instant answer_by) override;
  LinkStatus status(ConnectionId connection) override;
  IoResult send(ConnectionId connection, std::string_view bytes) override;
  IoResult receive(ConnectionId connection, std::span<char> into) override;
  void close(ConnectionId connection) override;
  void close_behind(ConnectionId connection) override;
  void forget_all() override;
  Woken wait(std::span<Interest> interests, Instant deadline) override;

  // The process is gone: the kernel closes its connections, and nothing more is sent.
  void die();
  // Lets the world go on until `until`, one event at a time; false: that moment is there.
  using Pump = std::function<bool(Instant until)>;
  // From now on wait() really waits, as a process does that sees to nothing else.
  void block_with(Pump pump) { pump_ = std::move(pump); }
  // The world ends: nothing is sent any more, and nobody hears of it.
  void vanish() { dead_ = true; }
  // The next waits in which nothing is ready end at once; `handler` runs in each.
  void interrupt(int times, std::function<void()> handler) {
    interrupts_ = times;
    handler_ = std::move(handler);
  }
  [[nodiscard]] bool is_to_be_interrupted() const { return interrupts_ > 0; }
  // Has a wait been interrupted since this was asked last?
  [[nodiscard]] bool take_interrupted() { return std::exchange(interrupted_, false); }
  // What is open now belongs to the parent process.
  void inherit();
  [[nodiscard]] bool touched_parents() const { return touched_parents_; }
  // What is closed meanwhile is closed because the request is over.
  void set_request_ends(bool ends) { request_ends_ = ends; }
  // The process stands still between looking and sending: until then it cannot know what has ended.
  void stand_still(std::int64_t until_ns) { blind_until_ns_ = until_ns; }
  // Would the reactor's latest wait find something to read now?
  [[nodiscard]] bool has_unread() const;
  // Was a connection closed that neither the server nor the network had ended?
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  // Was a connection used on which nothing had been sent for so long that it should have been
  // replaced, or whose end had long been there to be seen?
  [[nodiscard]] bool misused() const { return misused_; }
  // Was there one among them on which answers had been read?
  [[nodiscard]] bool gave_up_sound() const { return gave_up_sound_; }

 private:
  bool look(std::span<Interest> interests);
  void note_close(Connection& link);
  Woken end_interrupted();
  [[nodiscard]] std::int64_t idle_limit_ns() const;
  [[nodiscard]] Connection& at(ConnectionId connection) {
    touched_parents_ = touched_parents_ || connection <= inherited_until_;
    return network_.connection(static_cast<std::uint32_t>(connection - 1));
  }

  Network& network_;
  std::uint32_t client_;
  bool forgetful_;
  std::vector<ConnectionId> open_;
  std::vector<ConnectionId> polled_;
  bool dead_ = false;
  bool gave_up_ = false;
  bool gave_up_sound_ = false;
  bool misused_ = false;
  bool request_ends_ = false;
  Pump pump_;
  HostTime& time_;
  int interrupts_ = 0;
  std::function<void()> handler_;
  bool interrupted_ = false;
  std::int64_t blind_until_ns_ = 0;
  ConnectionId inherited_until_ = 0;  // of the whole world; what is later is its own
  bool touched_parents_ = false;
};

}  // namespace redlock::sim
