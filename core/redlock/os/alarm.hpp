// Ends a long sleep in time, though the process stood still meanwhile.
//
// A process that is stopped (SIGSTOP, a debugger, a container that is paused) or whose machine is
// suspended sleeps for what was left of its sleep once it goes on, for ppoll(2) counts only what
// passed before. A timer on the clock that goes on is polled along with the rest, and has rung by
// then. One thread.
#pragma once
#include "redlock/algorithm/time.hpp"
#include "redlock/os/descriptor.hpp"

namespace redlock {

// A shorter sleep goes without: it ends by so much too late at most.
inline constexpr Duration kAlarmedSleep = Duration::ms(100);

class Alarm {
 public:
  // Rings in `span`, which is not zero, from now on.
  explicit Alarm(Duration span) noexcept;
  // To be polled: readable once it rings. Negative where the system has no timer for it; then there
  // is the sleep alone.
  [[nodiscard]] int descriptor() const { return timer_.number(); }

 private:
  Descriptor timer_;
};

}  // namespace redlock
