// A lock without a majority is seen.
#include "sim/checker_fixture.hpp"

namespace redlock::sim::majority_test {
namespace {

TEST_F(CheckerTest, ValidityPastTheMajoritysExpiryIsSeen) {
  set(0, 0, "a", 100);
  set(0, 1, "a", 40);
  checker_.granted(0, "a", 97 * kMs);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::validity_beyond_expiry});
}

TEST_F(CheckerTest, AMajorityThatNeverWasIsSeen) {
  set(0, 0, "a", 100);
  checker_.granted(0, "a", 0);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::no_distinct_majority});
}

TEST_F(CheckerTest, RemovingAMinoritysVoteOfAHeldLockIsNoViolation) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  remove(0, 2);
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(CheckerTest, RemovingAMajoritysVoteOfAHeldLockIsSeen) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  remove(0, 2);
  remove(0, 1);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::held_majority_lost});
}

}  // namespace
}  // namespace redlock::sim::majority_test
