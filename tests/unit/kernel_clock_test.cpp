// What the kernel says of this machine's clock.
#include "redlock/os/kernel_clock.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace redlock::kernel_clock_test {
namespace {

TEST(KernelClock, SaysWhatAClockCanDo) {
  const std::optional<ClockDiscipline> clock = kernel_clock();
  if (!clock) GTEST_SKIP() << "the system does not say it";
  // The kernel allows a tenth.
  EXPECT_LE(std::abs(clock->slew_ppm), 100'500);
  EXPECT_GE(clock->error_max_us, 0);
}

}  // namespace
}  // namespace redlock::kernel_clock_test
