// The operating system's clock.
#include "redlock/os/clock.hpp"

#include <ctime>

namespace redlock {

Instant SystemClock::now() {
#ifdef CLOCK_BOOTTIME
  constexpr clockid_t kClock = CLOCK_BOOTTIME;
#else
  constexpr clockid_t kClock = CLOCK_MONOTONIC;
#endif
  timespec time{};
  clock_gettime(kClock, &time);
  return Instant::from_ns(time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec);
}

std::int64_t wall_us() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * std::int64_t{1'000'000} + time.tv_nsec / 1'000;
}

std::int64_t wall_ms() { return wall_us() / 1'000; }

}  // namespace redlock
