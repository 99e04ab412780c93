// Byte streams over TCP and unix sockets, and poll(2).
//
// Non-blocking throughout; descriptors are close-on-exec and writes raise no SIGPIPE. A host
// name is resolved on a thread of its own, since the resolver knows no deadlines.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "redlock/runtime/clock.hpp"
#include "redlock/runtime/resolver.hpp"
#include "redlock/runtime/transport.hpp"

struct pollfd;

namespace redlock {

// Connections whose server has not read everything yet; past the bound the oldest is closed.
inline constexpr std::size_t kHalfClosedMax = 16;

class SocketTransport final : public Transport {
 public:
  // The clock must outlive the transport, and tells when wait()'s deadline is.
  explicit SocketTransport(Clock& clock);
  SocketTransport(const SocketTransport&) = delete;
  SocketTransport& operator=(const SocketTransport&) = delete;
  ~SocketTransport() override;

  [[nodiscard]] ConnectionId open(const Endpoint& endpoint) override;
  [[nodiscard]] LinkStatus status(ConnectionId connection) override;
  [[nodiscard]] IoResult send(ConnectionId connection, std::string_view bytes) override;
  [[nodiscard]] IoResult receive(ConnectionId connection, std::span<char> into) override;
  void close(ConnectionId connection) override;
  void close_behind(ConnectionId connection) override;
  void forget_all() override;
  Woken wait(std::span<Interest> interests, Instant deadline) override;

 private:
  struct Link {
    int descriptor = -1;
    LinkStatus status;
    // Still to be tried, in the resolver's order.
    std::vector<SocketAddress> addresses;
    std::size_t address_index = 0;
    std::shared_ptr<ResolveJob> resolving;
    std::string host;
    std::uint16_t port = 0;
  };

  // Closes those descriptors whose server has closed too.
  void close_answered();
  void connect_next(Link& link);
  void advance(Link& link);
  void fail_connecting(Link& link, int error);
  [[nodiscard]] Link& link(ConnectionId connection);

  Clock& clock_;
  Resolver resolver_;
  ConnectionId last_id_ = 0;
  std::unordered_map<ConnectionId, Link> links_;
  // Closed for sending, oldest first; the server may still be reading.
  std::deque<int> half_closed_;
  std::vector<pollfd> polled_;
};

}  // namespace redlock
