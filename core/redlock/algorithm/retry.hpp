// How often an attempt is made and how long to wait between two.
#pragma once
#include <cstdint>

#include "redlock/algorithm/entropy.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

struct RetryPolicy {
  // At least 1; the first attempt counts.
  std::uint64_t attempts_max = 1;
  // The pause after a failed attempt that is not the last, uniform in [low, high] in whole
  // milliseconds above `low`; equal bounds make it exact.
  Duration pause_low;
  Duration pause_high;
  // No attempt begins later than so long after the first; the pause before the last one is cut.
  Duration wait_max = Duration::max();
  // Each attempt between the first and the last is up to so much early or late. At most half a
  // pause.
  Duration shift_max = {};
  // Ends before its attempts do where waiting does not help: see PermanentTrouble.
  bool gives_up = false;

  // Pauses of [⌊delay/2⌋, delay] ms: clients that failed together do not return together.
  // attempts below 1 count as 1. Requires delay_ms >= 0.
  static RetryPolicy jittered(std::int64_t attempts, std::int64_t delay_ms);
  static RetryPolicy exact(std::int64_t attempts, Duration pause);
  // The last attempt begins when it would after exact pauses, those before it anywhere around:
  // clients that began together would else ask together, and one of them would get the lock each
  // time, however soon it is given back.
  static RetryPolicy spread(std::int64_t attempts, Duration pause);
  // As many attempts as `wait` has room for, spaced by jittered pauses; the last one begins at its
  // end. No wait is one attempt, Duration::max() is no end. Requires wait >= 0, delay_ms >= 0.
  static RetryPolicy waiting(Duration wait, std::int64_t delay_ms);

  [[nodiscard]] Duration draw_pause(Entropy& entropy) const;
  [[nodiscard]] Duration draw_shift(Entropy& entropy) const;
};

}  // namespace redlock
