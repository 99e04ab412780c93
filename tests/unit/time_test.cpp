// Time arithmetic saturates and never wraps.
#include "redlock/algorithm/time.hpp"

#include <gtest/gtest.h>

namespace redlock::time_test {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST(Duration, CountsWholeNanoseconds) {
  EXPECT_EQ(Duration::us(3).count_ns(), 3'000);
  EXPECT_EQ(Duration::ms(3).count_ns(), 3'000'000);
  EXPECT_EQ(Duration::seconds(3).count_ns(), 3'000'000'000);
  EXPECT_DOUBLE_EQ(Duration::us(1500).as_ms(), 1.5);
}

TEST(Duration, RoundsMillisecondsTowardsZero) {
  EXPECT_EQ(Duration::ns(1'999'999).count_ms(), 1);
  EXPECT_EQ(Duration::ns(-1'999'999).count_ms(), -1);
}

TEST(Duration, TooManyUnitsSaturateInTheDirectionOfTheirSign) {
  EXPECT_EQ(Duration::us(kMax).count_ns(), kMax);
  EXPECT_EQ(Duration::ms(kMax).count_ns(), kMax);
  EXPECT_EQ(Duration::seconds(kMax).count_ns(), kMax);
  EXPECT_EQ(Duration::us(kMin).count_ns(), kMin);
  EXPECT_EQ(Duration::ms(kMin).count_ns(), kMin);
  EXPECT_EQ(Duration::seconds(kMin).count_ns(), kMin);
}

TEST(Duration, SumsSaturateAtBothEnds) {
  EXPECT_EQ((Duration::max() + Duration::ns(1)), Duration::max());
  EXPECT_EQ((Duration::ns(kMin) + Duration::ns(-1)).count_ns(), kMin);
  EXPECT_EQ((Duration::ns(kMax - 1) + Duration::ns(1)).count_ns(), kMax);
}

TEST(Duration, DifferencesSaturateAtBothEnds) {
  EXPECT_EQ((Duration::ns(kMin) - Duration::ns(1)).count_ns(), kMin);
  EXPECT_EQ((Duration::max() - Duration::ns(-1)), Duration::max());
  EXPECT_EQ((Duration() - Duration::ns(kMin)).count_ns(), kMax);
  EXPECT_EQ((Duration::ns(kMin + 1) - Duration::ns(1)).count_ns(), kMin);
}

TEST(Duration, ProductsSaturateInTheDirectionOfTheirSign) {
  EXPECT_EQ((Duration::ns(kMax) * 2).count_ns(), kMax);
  EXPECT_EQ((Duration::ns(kMax) * -2).count_ns(), kMin);
  EXPECT_EQ((Duration::ns(kMin) * -1).count_ns(), kMax);
  EXPECT_EQ((Duration::ms(3) * 4), Duration::ms(12));
}

TEST(Instant, ADeadlineFromAnAbsurdTimeoutIsNeverAndNotLongAgo) {
  const Instant now = Instant::from_ns(1'700'000'000'000'000'000);
  EXPECT_EQ(now + Duration::max(), Instant::never());
  EXPECT_GT(now + Duration::seconds(kMax), now);
}

TEST(Instant, DistancesAreSignedAndSaturate) {
  const Instant early = Instant::from_ns(10);
  const Instant late = Instant::from_ns(25);
  EXPECT_EQ(late - early, Duration::ns(15));
  EXPECT_EQ(early - late, Duration::ns(-15));
  EXPECT_EQ(Instant::never() - Instant::from_ns(-1), Duration::max());
  EXPECT_EQ((Instant::from_ns(kMin) - Instant::from_ns(1)).count_ns(), kMin);
}

TEST(Instant, MovingBackSaturatesAtTheBeginning) {
  EXPECT_EQ((Instant::from_ns(kMin) - Duration::ns(1)).since_epoch_ns(), kMin);
  EXPECT_EQ(Instant::from_ns(5) - Duration::ns(5), Instant());
}

TEST(Instant, IsOrderedByTime) {
  EXPECT_LT(Instant::from_ns(1), Instant::from_ns(2));
  EXPECT_LT(Instant::from_ns(kMax - 1), Instant::never());
}

}  // namespace
}  // namespace redlock::time_test
