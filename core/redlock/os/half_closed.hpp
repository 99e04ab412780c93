// Connections that are closed for sending while their server may still be reading.
//
// Once the descriptor is gone, the kernel answers the server's next reply with a reset, and so it
// does at once where answers lie unread; a server that is told so drops what it has not read yet:
// SETs carried out, their undo dropped. So they stay until the server has closed too. Whatever must
// be closed sooner is read empty first, which leaves the server one more read.
// Invariants: at most kHalfClosedMax, the latest. Waits at its end only. One thread.
#pragma once
#include <cstddef>
#include <deque>

#include "redlock/algorithm/time.hpp"
#include "redlock/os/clock.hpp"
#include "redlock/os/descriptor.hpp"

namespace redlock {

inline constexpr std::size_t kHalfClosedMax = 16;
// At most so often whoever begins to wait looks for those whose server has closed.
inline constexpr Duration kHalfClosedLook = Duration::ms(250);
// At the end servers have so long to read what is left; one that stands still must not hold it up.
inline constexpr Duration kLastReadMax = Duration::ms(100);

// Reads and throws away what has come, in bounds.
void drain(const Descriptor& closing);

class HalfClosed {
 public:
  // Closes it for sending; what was sent still arrives. Past the bound the oldest goes that is
  // still read. When this throws, it is as open as it was.
  void add(Descriptor&& connection);
  // Closes those whose server has closed too.
  void close_answered();
  [[nodiscard]] bool empty() const { return connections_.empty(); }
  // The same, unless that was done a moment ago.
  void look(Instant now);
  // For good: waits until the servers have read everything, for kLastReadMax at most.
  void close_all(Clock& clock);
  // They are the parent's.
  void forget() { connections_.clear(); }

 private:
  void wait_for_any(Duration span);

  std::deque<Descriptor> connections_;  // oldest first
  Instant look_again_;
};

}  // namespace redlock
