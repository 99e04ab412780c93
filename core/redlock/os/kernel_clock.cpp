// The one system call.
#include "redlock/os/kernel_clock.hpp"

#if defined(__linux__)
#include <sys/timex.h>
#include <unistd.h>
#endif

#include "redlock/algorithm/clock_discipline.hpp"

namespace redlock {

std::optional<ClockDiscipline> kernel_clock() noexcept {
#if defined(__linux__)
  timex said{};  // no mode: nothing is set
  const int state = adjtimex(&said);
  if (state < 0) return std::nullopt;
  ClockDiscipline clock;
  clock.synchronized = state != TIME_ERROR && (said.status & STA_UNSYNC) == 0;
  clock.slew_ppm = slew_ppm_of(said.freq, said.tick, sysconf(_SC_CLK_TCK));
  clock.error_max_us = said.maxerror;
  return clock;
#else
  return std::nullopt;
#endif
}

}  // namespace redlock
