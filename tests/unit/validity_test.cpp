// validity = ttl − elapsed − (ttl · factor + 2 ms).
#include "redlock/algorithm/validity.hpp"

#include <gtest/gtest.h>

namespace redlock::validity_test {
namespace {

TEST(Validity, IsTtlMinusElapsedMinusDrift) {
  EXPECT_EQ(validity_of(Duration::ms(10'000), Duration::ms(30), 0.01), Duration::ms(9'868));
  EXPECT_EQ(validity_of(Duration::ms(1'000), Duration(), 0.01), Duration::ms(988));
}

TEST(Validity, ASlowRoundLeavesNothingAtTheDeadlineAndOneNanosecondBefore) {
  const Duration usable = validity_of(Duration::ms(1'000), Duration(), 0.01);
  EXPECT_EQ(validity_of(Duration::ms(1'000), usable, 0.01), Duration());
  EXPECT_EQ(validity_of(Duration::ms(1'000), usable - Duration::ns(1), 0.01), Duration::ns(1));
  EXPECT_LT(validity_of(Duration::ms(1'000), usable + Duration::ns(1), 0.01), Duration());
}

TEST(Validity, TwoMillisecondsLeaveNothingAndThreeDo) {
  EXPECT_LE(validity_of(Duration::ms(2), Duration(), kDriftFactorDefault), Duration());
  EXPECT_GT(validity_of(Duration::ms(3), Duration(), kDriftFactorDefault), Duration());
}

TEST(Validity, WithoutDriftFactorTheFloorOfTwoMillisecondsStays) {
  EXPECT_EQ(drift_of(Duration::ms(1'000), 0), Duration::ms(2));
}

TEST(Validity, DriftIsRoundedUpSoThatTrustIsRoundedDown) {
  EXPECT_EQ(drift_of(Duration::ns(101), 0.01), kDriftFloor + Duration::ns(2));
}

TEST(Validity, TheLongestTtlDoesNotOverflow) {
  const Duration validity = validity_of(kTtlMax, Duration(), kDriftFactorDefault);
  EXPECT_GT(validity, Duration());
  EXPECT_LT(validity, kTtlMax);
}

TEST(Validity, TheShareOfDriftHasNoFloor) {
  EXPECT_EQ(drift_share(Duration::ms(1'000), 0.01), Duration::ms(10));
  EXPECT_EQ(drift_share(Duration::ns(101), 0.01), Duration::ns(2));
  EXPECT_EQ(drift_share(Duration::ms(1'000), 0), Duration());
}

TEST(Validity, NoServerWithinTheDriftKeepsAKeyForLongerThanItsLongestLife) {
  for (const double factor : {0.0, 0.01, 0.2, 0.49, 0.5, 0.6, 0.99}) {
    const double slowest_ns = 1e9 / (1 - factor);
    EXPECT_GT(static_cast<double>(longest_life(Duration::seconds(1), factor).count_ns()),
              slowest_ns);
  }
}

TEST(Validity, BeyondTheDriftALongestLifeHasTheFloorOfBothClocksAndNoMore) {
  EXPECT_EQ(longest_life(Duration::seconds(1), 0.0), Duration::ms(1'004));
  EXPECT_EQ(longest_life(Duration::seconds(1), 0.5), Duration::ms(2'004));
}

TEST(Validity, TheLongestLifeDoesNotOverflow) {
  EXPECT_GT(longest_life(kTtlMax, 0.01), kTtlMax);
  EXPECT_EQ(longest_life(kTtlMax, 0.999), Duration::max());
}

TEST(Validity, AnAbsurdElapsedTimeLeavesNothing) {
  EXPECT_LT(validity_of(Duration::ms(1'000), Duration::max(), 0.01), Duration());
}

}  // namespace
}  // namespace redlock::validity_test
