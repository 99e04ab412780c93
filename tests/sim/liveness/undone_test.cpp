// What a client gave up and is not gone is seen.
//
// Whoever leaves a line on a connection that the network has forgotten lingers until the next one
// carries it; nobody else does.
#include <gtest/gtest.h>

#include "sim/checker_fixture.hpp"

namespace redlock::sim::undone_test {
namespace {

TEST_F(CheckerTest, AKeyOfAFailedAttemptIsSeen) {
  set(0, 0, "a", 100);
  checker_.check_undone(1, false);
  EXPECT_EQ(kinds(), Kinds{});
  checker_.check_undone(0, false);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::undone_late});
}

TEST_F(CheckerTest, AKeyOfAReleasedLockIsSeen) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  checker_.given_up(0);
  remove(0, 0);
  remove(0, 1);
  checker_.check_undone(0, true);
  EXPECT_EQ(kinds(), Kinds{});
  checker_.check_undone(0, false);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::release_late});
}

// Client 0 has joined server 0 with "a", which has the lock there.
class ForgottenTest : public CheckerTest {
 protected:
  ForgottenTest() : CheckerTest(make_waiting_plan()) {
    join(0, 0, "a", kNil);
    put(0, 0, "a", 60'000);
  }
  const std::string removal_of_a_ = removal_of('a');
  const std::string removal_of_b_ = removal_of('b');
};

TEST_F(ForgottenTest, WhoeverLeavesOnAForgottenConnectionMayLinger) {
  links_.forgotten_links = {{.written = removal_of_a_}};
  checker_.check_undone(0, false);
  EXPECT_FALSE(seen(ViolationKind::undone_late));
}

TEST_F(ForgottenTest, WhoeverDidNotLeaveThereMayNot) {
  links_.forgotten_links = {{.written = "*1\r\n$4\r\nPING\r\n"}, {.written = removal_of_b_}};
  checker_.check_undone(0, false);
  EXPECT_TRUE(seen(ViolationKind::undone_late));
}

TEST_F(ForgottenTest, WhoseRemovalWasAnsweredMayNot) {
  links_.forgotten_links = {{.written = removal_of_a_, .answered = 1}};
  checker_.check_undone(0, false);
  EXPECT_TRUE(seen(ViolationKind::undone_late));
}

TEST_F(ForgottenTest, OnAnotherServerNobodyMay) {
  join(0, 1, "a", kNil);
  put(0, 1, "a", 60'000);
  links_.forgotten_links = {{.written = removal_of_a_}};
  checker_.check_undone(0, false);
  EXPECT_TRUE(seen(ViolationKind::undone_late));
}

// A call looks at its connections as it begins.
TEST_F(ForgottenTest, AReleaseMayNotBeSentThere) {
  checker_.granted(0, "a", 10'000 * kMs);
  links_.forgotten_links = {{.written = removal_of_a_}};
  checker_.check_undone(0, false);
  EXPECT_TRUE(seen(ViolationKind::release_late));
}

TEST_F(ForgottenTest, WhoeverDoesNotWaitMayNot) {
  plan_.clients[0].wait_ms = -1;
  links_.forgotten_links = {{.written = removal_of_a_}};
  checker_.check_undone(0, false);
  EXPECT_TRUE(seen(ViolationKind::undone_late));
}

}  // namespace
}  // namespace redlock::sim::undone_test
