// What time it is, on a clock that never steps and goes on while the machine sleeps.
#pragma once
#include <cstdint>

#include "redlock/algorithm/time.hpp"

namespace redlock {

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant now() = 0;
};

// CLOCK_BOOTTIME where there is one (Linux): a laptop lid or a paused virtual machine must
// not make a lock look younger than it is. Elsewhere the monotonic clock. Any thread.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Instant now() override;
};

// The clock on the wall, in us or ms since 1970. It may step: nothing that must be true may hang on
// it.
[[nodiscard]] std::int64_t wall_us();
[[nodiscard]] std::int64_t wall_ms();

}  // namespace redlock
