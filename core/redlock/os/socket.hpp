// Byte streams over TCP and unix sockets, and poll(2).
//
// Non-blocking throughout; descriptors are close-on-exec and writes raise no SIGPIPE. Look-ups of
// host names and dials are moved on inside wait(), whose set of polled descriptors they join.
#pragma once
#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "redlock/os/clock.hpp"
#include "redlock/os/half_closed.hpp"
#include "redlock/os/poll_set.hpp"
#include "redlock/os/process.hpp"
#include "redlock/os/resolver.hpp"
#include "redlock/os/socket_link.hpp"
#include "redlock/os/transport.hpp"
#include "redlock/os/waker.hpp"

struct pollfd;

namespace redlock {

// Servers nearby answer sooner than a thread has fallen asleep and been woken, once by each of
// them; those further away answer one close behind the other. So a thread that others wake looks
// for so long behind what it sent or received, and sleeps then.
inline constexpr Duration kAwake = Duration::us(200);

class SocketTransport final : public Transport {
 public:
  // The clock must outlive the transport, and tells when wait()'s deadline is.
  // Another thread that is to wake it does so through `waker`, which must outlive it too.
  explicit SocketTransport(Clock& clock, NameSources sources = {}, Waker* waker = nullptr);
  SocketTransport(const SocketTransport&) = delete;
  SocketTransport& operator=(const SocketTransport&) = delete;
  ~SocketTransport() override;

  void prepare(const Endpoint& endpoint) override;
  [[nodiscard]] ConnectionId open(const Endpoint& endpoint, Instant answer_by) override;
  [[nodiscard]] LinkStatus status(ConnectionId connection) override;
  [[nodiscard]] Wants wants(ConnectionId connection, bool has_output) override;
  [[nodiscard]] std::size_t read_at_once(ConnectionId connection) override;
  [[nodiscard]] IoResult send(ConnectionId connection, std::string_view bytes) override;
  [[nodiscard]] IoResult receive(ConnectionId connection, std::span<char> into) override;
  void close(ConnectionId connection) override;
  void close_behind(ConnectionId connection) override;
  void reset(ConnectionId connection) override;
  void forget_place(const Endpoint& endpoint) override;
  void forget_all() override;
  Woken wait(std::span<Interest> interests, Instant deadline) override;
  [[nodiscard]] std::optional<Watch> watch(std::span<const Interest> interests) override;

 private:
  // Fills the set to poll, interests first; gives the time to wait until.
  [[nodiscard]] Instant gather(std::span<const Interest> interests, Instant deadline);
  // Where bytes were moved, more may follow soon.
  [[nodiscard]] IoResult note_moved(IoResult moved);
  // What polling the set says, as ppoll(2) does; waits until `wake`.
  [[nodiscard]] int poll_until(Instant wake);
  // What polling said, and what look-ups and dials make of it; true when an interest is ready.
  [[nodiscard]] bool report(std::span<Interest> interests);
  [[nodiscard]] Woken fail_polling(std::span<Interest> interests, int error);
  [[nodiscard]] SocketLink& link(ConnectionId connection);

  Clock& clock_;
  Waker* waker_;
  ForkWatch watch_;
  Resolver resolver_;
  TlsContexts tls_contexts_;
  ConnectionId last_id_ = 0;
  std::unordered_map<ConnectionId, SocketLink> links_;
  HalfClosed half_closed_;
  std::vector<pollfd> polled_;
  PollSet poll_set_;  // empty until somebody watches
  Instant awake_until_;
};

}  // namespace redlock
