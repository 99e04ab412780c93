// The seam between the reactor and the world: byte streams and waiting for them.
//
// The product implements it with sockets and poll(2), the simulator with simulated streams
// and virtual time. Nothing here blocks except wait(), and that only until its deadline.
// One thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "redlock/algorithm/reply.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/config/endpoint.hpp"

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
  std::string reason;           // for people, where it ended
  Fault fault = Fault::closed;  // where it ended
  bool by_peer = true;          // where it ended: it is no trouble of this machine's own
};

// What servers read of a socket at once.
inline constexpr std::size_t kReadAtOnceBytes = 16 * 1024;

// What a connection waits for.
struct Wants {
  bool read = true;
  bool write = false;
  // Bytes have come already that no polling shows: reading will not wait.
  bool buffered = false;
};

struct Interest {
  ConnectionId connection = 0;
  Wants wants;
  // Filled in by wait(). An ended connection is readable.
  bool readable = false;
  bool writable = false;
};

// What an event loop waits for in place of wait().
struct Watch {
  int descriptor = -1;  // readable when there is something to do
  Instant until;        // there may be something to do then, though it is not
};

enum class Woken { ready, deadline, interrupted, called };

class Transport {
 public:
  virtual ~Transport() = default;
  // The server will be connected to, maybe soon: what takes longer than connecting is done now.
  virtual void prepare(const Endpoint& /*endpoint*/) {}
  // The server is not where its name led to: it is to be looked up anew.
  virtual void forget_place(const Endpoint& /*endpoint*/) {}
  // Starts to connect and returns at once; trouble shows in status(). `answer_by` is when it is
  // of no use any more to who asked: several addresses share the time until then.
  [[nodiscard]] virtual ConnectionId open(const Endpoint& endpoint, Instant answer_by) = 0;
  // Asked when the connection was reported writable, or to give a reason for a time-out.
  [[nodiscard]] virtual LinkStatus status(ConnectionId connection) = 0;
  // What it waits for now, when its user has something to send or not. A connection that is being
  // opened counts as having: it is writable once it is open. A stream with a protocol of its own
  // underneath may want to read where its user writes.
  [[nodiscard]] virtual Wants wants(ConnectionId /*connection*/, bool has_output) {
    return {true, has_output, false};
  }
  [[nodiscard]] virtual IoResult send(ConnectionId connection, std::string_view bytes) = 0;
  [[nodiscard]] virtual IoResult receive(ConnectionId connection, std::span<char> into) = 0;
  // So much the server reads at once, and carries all of it out before it replies.
  [[nodiscard]] virtual std::size_t read_at_once(ConnectionId /*connection*/) {
    return kReadAtOnceBytes;
  }
  // What has been sent still arrives, as far as the network allows. Needs no memory: whoever has
  // another one in its place already could not try again.
  virtual void close(ConnectionId connection) = 0;
  // Like close(), for a connection on which more is unanswered than a server reads at once: where
  // closing would make it drop the rest, that waits until the server has read everything.
  virtual void close_behind(ConnectionId connection) { close(connection); }
  // What has been sent and the server has not read yet shall not arrive any more: it is the first
  // to see the end. Needs no memory.
  virtual void reset(ConnectionId connection) { close(connection); }
  // Lets go of every connection without a sign to the peer: they belong to the parent process.
  virtual void forget_all() = 0;
  // Returns when an interest is ready, at `deadline`, when a signal came, or when another thread
  // called. With a deadline that has passed it only looks.
  virtual Woken wait(std::span<Interest> interests, Instant deadline) = 0;
  // The same for a loop that waits for much else: when the descriptor is readable, or time is up,
  // wait() with a deadline that has passed tells what is ready. Holds for these interests and until
  // anything else is asked of the transport. Nothing where there is no such descriptor.
  [[nodiscard]] virtual std::optional<Watch> watch(std::span<const Interest> /*interests*/) {
    return std::nullopt;
  }
};

}  // namespace redlock
