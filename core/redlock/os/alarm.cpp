// A timer of Linux that is a descriptor.
#include "redlock/os/alarm.hpp"

#ifdef __linux__
#include <sys/timerfd.h>

#include <ctime>
#endif

namespace redlock {

Alarm::Alarm([[maybe_unused]] Duration span) noexcept {
#ifdef __linux__
  timer_ = Descriptor(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  itimerspec once{};
  once.it_value = {span.count_ns() / 1'000'000'000, span.count_ns() % 1'000'000'000};
  timerfd_settime(timer_.number(), 0, &once, nullptr);
#endif
}

}  // namespace redlock
