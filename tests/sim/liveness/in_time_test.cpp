// A take that is sent too late is seen.
#include "sim/checker_fixture.hpp"

namespace redlock::sim::in_time_test {
namespace {

TEST_F(CheckerTest, ATakeBehindTheReturnOfItsCallIsSeen) {
  go_to(1);
  set(0, 0, "a", 100);
  go_to(5);
  checker_.returned(0, 4 * kMs, 0, 20 * kMs);
  ask(0, 1, "b");
  EXPECT_EQ(kinds(), Kinds{});
  go_to(6);
  set(0, 1, "a", 100);
  EXPECT_TRUE(seen(ViolationKind::sent_too_late));
}

TEST_F(CheckerTest, ATakeWhoseTimeIsOverIsSeen) {
  go_to(1);
  set(0, 0, "a", 100);
  go_to(41);
  set(0, 1, "a", 100);
  EXPECT_EQ(kinds(), Kinds{});
  go_to(42);
  set(0, 2, "a", 100);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::sent_too_late});
}

}  // namespace
}  // namespace redlock::sim::in_time_test
