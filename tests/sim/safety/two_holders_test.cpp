// Two holders are seen, and one behind the other is no violation.
#include "sim/checker_fixture.hpp"

namespace redlock::sim::two_holders_test {
namespace {

TEST_F(CheckerTest, AnOrdinaryLockViolatesNothing) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  go_to(50);
  checker_.given_up(0);
  for (std::uint32_t server = 0; server < 3; ++server) remove(0, server);
  set_everywhere(1, "b", 100);
  checker_.granted(1, "b", 147 * kMs);
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(CheckerTest, TwoHoldersAreSeen) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  keyspaces_ = {};
  set_everywhere(1, "b", 100);
  checker_.granted(1, "b", 97 * kMs);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::two_holders});
}

TEST_F(CheckerTest, ASecondHolderAtTheFirstsDeadlineIsNoViolation) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  keyspaces_ = {};
  go_to(97);
  set_everywhere(1, "b", 100);
  checker_.granted(1, "b", 150 * kMs);
  EXPECT_EQ(kinds(), Kinds{});
}

}  // namespace
}  // namespace redlock::sim::two_holders_test
