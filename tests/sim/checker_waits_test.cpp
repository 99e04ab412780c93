// Whoever waits for a lock that could be had for long is seen, and what is no reason to wait for
// it.
#include <gtest/gtest.h>

#include "sim/checker_fixture.hpp"

namespace redlock::sim {
namespace {

class WaitsTest : public CheckerTest {
 protected:
  WaitsTest() : CheckerTest(with_waiters()) { ask(1, 0, "x"); }

  static Plan with_waiters() {
    Plan plan = make_plan();
    for (ClientPlan& client : plan.clients) client.wait_ms = 60'000;
    return plan;
  }
  // Two of three servers are full for it.
  void majority_turns_away(std::uint32_t client) {
    for (const std::uint32_t server : {0U, 1U}) checker_.turned_away(client, server);
  }
  [[nodiscard]] bool in_vain() const {
    return std::ranges::count(kinds(), ViolationKind::waits_in_vain) > 0;
  }
  // Something happens, long afterwards.
  void go_far() {
    go_to(now_ms_ + 5'000);
    ask(1, 0, "x");
  }
};

TEST_F(WaitsTest, WhoeverWaitsForAFreeLockForLongIsSeen) {
  checker_.begins(0, true);
  go_to(500);
  ask(1, 0, "x");
  EXPECT_FALSE(in_vain());
  go_far();
  EXPECT_TRUE(in_vain());
}

TEST_F(WaitsTest, WhereSomebodyHasTheLockThereIsNothingToBeHad) {
  set_everywhere(1, "a", 60'000);
  checker_.begins(0, true);
  go_far();
  EXPECT_FALSE(in_vain());
}

TEST_F(WaitsTest, WhoeverCannotBeToldByAMajorityAsksNowAndThen) {
  checker_.begins(0, true);
  majority_turns_away(0);
  go_far();
  EXPECT_FALSE(in_vain());
  checker_.returned(0, kMs, 0, kMs);
  EXPECT_EQ(checker_.judged()[static_cast<std::size_t>(ViolationKind::waits_in_vain)], 0U);
}

TEST_F(WaitsTest, WhoeverCannotBeToldAsHeBeginsAsksNowAndThenToo) {
  majority_turns_away(0);
  go_to(10);
  checker_.begins(0, true);
  go_far();
  EXPECT_FALSE(in_vain());
}

TEST_F(WaitsTest, WhoeverCanBeToldByAMajorityHasNoReasonToWait) {
  checker_.begins(0, true);
  checker_.turned_away(0, 0);
  go_far();
  EXPECT_TRUE(in_vain());
}

TEST_F(WaitsTest, ThatAnotherOneCannotBeToldIsNoReason) {
  checker_.begins(0, true);
  majority_turns_away(1);
  go_far();
  EXPECT_TRUE(in_vain());
}

TEST_F(WaitsTest, WhatWasFullInAnEarlierWaitIsNoReason) {
  checker_.begins(0, true);
  majority_turns_away(0);
  go_far();
  checker_.returned(0, kMs, 0, kMs);
  checker_.begins(0, true);
  go_far();
  EXPECT_TRUE(in_vain());
}

TEST_F(WaitsTest, TwoThatWereFullOneBehindTheOtherAreNoReason) {
  checker_.begins(0, true);
  checker_.turned_away(0, 0);
  go_to(10);
  join(0, 0, "mine", kNil);
  checker_.turned_away(0, 1);
  go_far();
  EXPECT_TRUE(in_vain());
}

// Whoever has the votes cannot know.
TEST_F(WaitsTest, AWordThatIsHeldBackIsWaitedForAndNoLonger) {
  checker_.begins(0, true);
  checker_.troubled(6'000 * kMs);
  go_far();
  EXPECT_FALSE(in_vain());
  go_far();
  EXPECT_TRUE(in_vain());
}

// Who is first is told, and says nothing: whoever is behind him misses it a heartbeat later.
TEST_F(WaitsTest, BehindAProcessThatFellSilentInLineAHeartbeatIsWaitedFor) {
  checker_.begins(0, true);
  checker_.begins(1, true);
  checker_.falls_silent(1);
  checker_.all_given_up(1);
  go_far();
  EXPECT_FALSE(in_vain());
  go_far();
  go_far();
  EXPECT_TRUE(in_vain());
}

TEST_F(WaitsTest, AProcessThatFellSilentElsewhereIsNoReasonToWait) {
  checker_.begins(0, true);
  checker_.falls_silent(1);
  go_far();
  EXPECT_TRUE(in_vain());
}

TEST_F(WaitsTest, AProcessThatWasKilledInLineIsNoReasonToWait) {
  checker_.begins(0, true);
  checker_.begins(1, true);
  checker_.all_given_up(1);
  go_far();
  EXPECT_TRUE(in_vain());
}

TEST_F(WaitsTest, AProcessThatFellSilentLongAgoIsNoReasonToWait) {
  checker_.begins(1, true);
  checker_.falls_silent(1);
  checker_.all_given_up(1);
  go_to(40'000);
  checker_.begins(0, true);
  go_far();
  EXPECT_TRUE(in_vain());
}

}  // namespace
}  // namespace redlock::sim
