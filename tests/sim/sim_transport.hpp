// The production reactor's way into the simulated network, for one client.
//
// wait() marks what is ready and returns at once: virtual time is the event queue's business.
// One thread; the network must outlive it.
#pragma once
#include "redlock/runtime/transport.hpp"
#include "sim/network.hpp"

namespace redlock::sim {

// The host name under which a client reaches server `index`: "s0", "s1", …
[[nodiscard]] Endpoint endpoint_of(std::uint32_t index);

class SimTransport final : public Transport {
 public:
  SimTransport(Network& network, std::uint32_t client) : network_(network), client_(client) {}

  ConnectionId open(const Endpoint& endpoint) override;
  LinkStatus status(ConnectionId connection) override;
  IoResult send(ConnectionId connection, std::string_view bytes) override;
  IoResult receive(ConnectionId connection, std::span<char> into) override;
  void close(ConnectionId connection) override;
  void forget_all() override;
  Woken wait(std::span<Interest> interests, Instant deadline) override;

  // The process is gone: the kernel closes its connections, and nothing more is sent.
  void die();
  // Would the reactor's latest wait find something to read now?
  [[nodiscard]] bool has_unread() const;
  // Was a connection closed that neither the server nor the network had ended?
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  // Was there one among them on which answers had been read?
  [[nodiscard]] bool gave_up_sound() const { return gave_up_sound_; }

 private:
  [[nodiscard]] Connection& at(ConnectionId connection) const {
    return network_.connection(static_cast<std::uint32_t>(connection - 1));
  }

  Network& network_;
  std::uint32_t client_;
  std::vector<ConnectionId> open_;
  std::vector<ConnectionId> polled_;
  bool dead_ = false;
  bool gave_up_ = false;
  bool gave_up_sound_ = false;
};

}  // namespace redlock::sim
