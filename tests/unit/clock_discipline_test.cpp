// What a clock's steering means to locks, at its bounds.
#include "redlock/algorithm/clock_discipline.hpp"

#include <gtest/gtest.h>

#include "redlock/types.hpp"

namespace redlock::clock_discipline_test {
namespace {

constexpr double kDrift = 0.01;  // 10,000 ppm

TEST(SlewPpm, IsThatOfTheFrequencyAndOfTheTickTogether) {
  EXPECT_DOUBLE_EQ(slew_ppm_of(0, 10'000, 100), 0);
  EXPECT_DOUBLE_EQ(slew_ppm_of(65'536, 10'000, 100), 1);
  EXPECT_DOUBLE_EQ(slew_ppm_of(-32'768, 10'000, 100), -0.5);
  EXPECT_DOUBLE_EQ(slew_ppm_of(0, 10'001, 100), 100);
  // chrony's default at its most.
  EXPECT_DOUBLE_EQ(slew_ppm_of(65'536 * -33, 9'167, 100), -83'333);
}

TEST(SlewRisk, EachClockMayUseHalfOfTheDrift) {
  for (const double sign : {1.0, -1.0}) {
    EXPECT_EQ(slew_risk(sign * 5'000, kDrift), SlewRisk::none);
    EXPECT_EQ(slew_risk(sign * 5'001, kDrift), SlewRisk::with_another);
    EXPECT_EQ(slew_risk(sign * 10'000, kDrift), SlewRisk::with_another);
    EXPECT_EQ(slew_risk(sign * 10'001, kDrift), SlewRisk::alone);
  }
  EXPECT_EQ(slew_risk(0, 0), SlewRisk::none);
  EXPECT_EQ(slew_risk(0.001, 0), SlewRisk::alone);
}

}  // namespace
}  // namespace redlock::clock_discipline_test
