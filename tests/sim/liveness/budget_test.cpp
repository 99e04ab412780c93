// A call that takes too long is seen.
#include "sim/checker_fixture.hpp"

namespace redlock::sim::budget_test {
namespace {

TEST_F(CheckerTest, ACallPastItsBudgetIsSeen) {
  checker_.returned(0, 20 * kMs, 0, 20 * kMs);
  checker_.returned(0, 25 * kMs, 5 * kMs, 20 * kMs);
  EXPECT_EQ(kinds(), Kinds{});
  checker_.returned(0, 21 * kMs, 0, 20 * kMs);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::over_budget});
}

}  // namespace
}  // namespace redlock::sim::budget_test
