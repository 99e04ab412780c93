// A timer of Linux that is a descriptor.
#include "redlock/runtime/alarm.hpp"

#ifdef __linux__
#include <sys/timerfd.h>

#include <ctime>
#endif

namespace redlock {

int Alarm::set([[maybe_unused]] Duration span) noexcept {
#ifdef __linux__
  if (!timer_.open())
    timer_ = Descriptor(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  itimerspec once{};
  once.it_value = {span.count_ns() / 1'000'000'000, span.count_ns() % 1'000'000'000};
  if (timer_.open() && timerfd_settime(timer_.number(), 0, &once, nullptr) == 0) {
    return timer_.number();
  }
#endif
  return -1;
}

}  // namespace redlock
