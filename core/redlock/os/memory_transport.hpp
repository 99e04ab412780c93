// Byte streams to the servers of memory://, beside those of another transport.
//
// Such a server carries out what it is sent at once, so that waiting for its answer asks the system
// nothing. What it says unasked may come from another thread: a wait for that looks again and
// again.
#pragma once
#include <memory>
#include <unordered_map>
#include <vector>

#include "redlock/os/clock.hpp"
#include "redlock/os/memory_servers.hpp"
#include "redlock/os/transport.hpp"

namespace redlock {

// So long at most until a wait finds out what another thread brought about.
inline constexpr Duration kMemoryLook = Duration::ms(5);

class MemoryTransport final : public Transport {
 public:
  // Both must outlive it.
  MemoryTransport(Transport& others, Clock& clock) : others_(others), clock_(clock) {}

  void prepare(const Endpoint& endpoint) override;
  void forget_place(const Endpoint& endpoint) override;
  [[nodiscard]] ConnectionId open(const Endpoint& endpoint, Instant answer_by) override;
  [[nodiscard]] LinkStatus status(ConnectionId connection) override;
  [[nodiscard]] Wants wants(ConnectionId connection, bool has_output) override;
  [[nodiscard]] IoResult send(ConnectionId connection, std::string_view bytes) override;
  [[nodiscard]] IoResult receive(ConnectionId connection, std::span<char> into) override;
  [[nodiscard]] std::size_t read_at_once(ConnectionId connection) override;
  void close(ConnectionId connection) override;
  void close_behind(ConnectionId connection) override;
  void reset(ConnectionId connection) override;
  void forget_all() override;
  Woken wait(std::span<Interest> interests, Instant deadline) override;
  // Of those in memory no descriptor tells, so that time is up soon.
  [[nodiscard]] std::optional<Watch> watch(std::span<const Interest> interests) override;

 private:
  // Null: it is one of the others.
  [[nodiscard]] memory::Link* link(ConnectionId connection) const;
  // What is ready of those in memory; true: any.
  [[nodiscard]] bool look(std::span<Interest> interests) const;
  // Into asked_others_. False: there are others only.
  bool pick_others(std::span<const Interest> interests);
  Woken wait_for_others(std::span<Interest> interests, Instant deadline);

  Transport& others_;
  Clock& clock_;
  ConnectionId last_id_ = 0;
  std::unordered_map<ConnectionId, std::unique_ptr<memory::Link>> links_;
  std::vector<Interest> asked_others_;
};

}  // namespace redlock
