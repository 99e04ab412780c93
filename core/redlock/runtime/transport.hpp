// The seam between the reactor and the world: byte streams and waiting for them.
//
// The product implements it with sockets and poll(2), the simulator with simulated streams
// and virtual time. Nothing here blocks except wait(), and that only until its deadline.
// One thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "redlock/algorithm/reply.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/wire/endpoint.hpp"

namespace redlock {

// Names one connection for good; never used twice by a transport, never 0.
using ConnectionId = std::uint64_t;

enum class LinkState { connecting, connected, failed };

struct LinkStatus {
  LinkState state = LinkState::connecting;
  // Where it failed: why, for people, without the server's name.
  Fault fault = Fault::none;
  std::string reason;
};

enum class IoState {
  progress,  // `bytes` were moved; at least 1
  blocked,   // nothing can be moved now
  ended,     // the peer closed, or the connection broke
};

struct IoResult {
  IoState state = IoState::blocked;
  std::size_t bytes = 0;
  std::string reason;  // for people, where it ended
};

struct Interest {
  ConnectionId connection = 0;
  // Reading is always of interest; a connection that is being opened waits for writing.
  bool want_write = false;
  // Filled in by wait(). An ended connection is readable.
  bool readable = false;
  bool writable = false;
};

enum class Woken { ready, deadline, interrupted };

class Transport {
 public:
  virtual ~Transport() = default;
  // Starts to connect and returns at once; trouble shows in status(). `answer_by` is when it is
  // of no use any more to who asked: several addresses share the time until then.
  [[nodiscard]] virtual ConnectionId open(const Endpoint& endpoint, Instant answer_by) = 0;
  // Asked when the connection was reported writable, or to give a reason for a time-out.
  [[nodiscard]] virtual LinkStatus status(ConnectionId connection) = 0;
  [[nodiscard]] virtual IoResult send(ConnectionId connection, std::string_view bytes) = 0;
  [[nodiscard]] virtual IoResult receive(ConnectionId connection, std::span<char> into) = 0;
  // What has been sent still arrives, as far as the network allows.
  virtual void close(ConnectionId connection) = 0;
  // Like close(), for a connection on which more is unanswered than a server reads at once: where
  // closing would make it drop the rest, that waits until the server has read everything.
  virtual void close_behind(ConnectionId connection) { close(connection); }
  // Lets go of every connection without a sign to the peer: they belong to the parent process.
  virtual void forget_all() = 0;
  // Returns when an interest is ready, at `deadline`, or when a signal came. With a deadline
  // that has passed it only looks.
  virtual Woken wait(std::span<Interest> interests, Instant deadline) = 0;
};

}  // namespace redlock
