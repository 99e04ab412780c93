// Whoever leaves a line on a connection that the network has forgotten lingers until the next one
// carries it; nobody else does.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/checker_fixture.hpp"

namespace redlock::sim {
namespace {

// Client 0 has joined server 0 with "a", which has the lock there.
class ForgottenTest : public CheckerTest {
 protected:
  ForgottenTest() : CheckerTest(with_waiters()) {
    join(0, 0, "a", kNil);
    put(0, 0, "a", 60'000);
  }

  static Plan with_waiters() {
    Plan plan = make_plan();
    for (ClientPlan& client : plan.clients) client.wait_ms = 200;
    return plan;
  }
  [[nodiscard]] bool reported(ViolationKind kind) { return std::ranges::count(kinds(), kind) > 0; }
  const std::string removal_of_a_ = removal_of('a');
  const std::string removal_of_b_ = removal_of('b');
};

TEST_F(ForgottenTest, WhoeverLeavesOnAForgottenConnectionMayLinger) {
  links_.forgotten_links = {{.written = removal_of_a_}};
  checker_.check_undone(0, false);
  EXPECT_FALSE(reported(ViolationKind::undone_late));
}

TEST_F(ForgottenTest, WhoeverDidNotLeaveThereMayNot) {
  links_.forgotten_links = {{.written = "*1\r\n$4\r\nPING\r\n"}, {.written = removal_of_b_}};
  checker_.check_undone(0, false);
  EXPECT_TRUE(reported(ViolationKind::undone_late));
}

TEST_F(ForgottenTest, WhoseRemovalWasAnsweredMayNot) {
  links_.forgotten_links = {{.written = removal_of_a_, .answered = 1}};
  checker_.check_undone(0, false);
  EXPECT_TRUE(reported(ViolationKind::undone_late));
}

TEST_F(ForgottenTest, OnAnotherServerNobodyMay) {
  join(0, 1, "a", kNil);
  put(0, 1, "a", 60'000);
  links_.forgotten_links = {{.written = removal_of_a_}};
  checker_.check_undone(0, false);
  EXPECT_TRUE(reported(ViolationKind::undone_late));
}

// A call looks at its connections as it begins.
TEST_F(ForgottenTest, AReleaseMayNotBeSentThere) {
  checker_.granted(0, "a", 10'000 * kMs);
  links_.forgotten_links = {{.written = removal_of_a_}};
  checker_.check_undone(0, false);
  EXPECT_TRUE(reported(ViolationKind::release_late));
}

TEST_F(ForgottenTest, WhoeverDoesNotWaitMayNot) {
  plan_.clients[0].wait_ms = -1;
  links_.forgotten_links = {{.written = removal_of_a_}};
  checker_.check_undone(0, false);
  EXPECT_TRUE(reported(ViolationKind::undone_late));
}

}  // namespace
}  // namespace redlock::sim
