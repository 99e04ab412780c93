// Whoever waits for a lock that could be had for long is seen, and what is no reason to wait for
// it.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "sim/checker_fixture.hpp"

namespace redlock::sim::waits_test {
namespace {

class WaitsTest : public CheckerTest {
 protected:
  explicit WaitsTest(Plan plan = with_waiters()) : CheckerTest(std::move(plan)) { ask(1, 0, "x"); }

  static Plan with_waiters() {
    Plan plan = make_waiting_plan(60'000);
    plan.clients.push_back(plan.clients.front());
    return plan;
  }
  // Two of three servers are full for it.
  void majority_turns_away(std::uint32_t client) {
    for (const std::uint32_t server : {0U, 1U}) checker_.turned_away(client, server);
  }
  [[nodiscard]] bool in_vain() const { return seen(ViolationKind::waits_in_vain); }
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
  EXPECT_EQ(judged(ViolationKind::waits_in_vain), 0U);
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

// Those behind them were told of another end, by the joins that they sent before: no reason either.
TEST_F(WaitsTest, WhereTheHolderAndTheFirstAreKilledTheNextLooksSoonBehindTheEnd) {
  set_everywhere(1, "a", 20'000);
  checker_.begins(0, true);
  checker_.begins(2, true);
  set_everywhere(1, "b", 3'000);
  checker_.all_given_up(2);
  go_to(4'000);
  ask(1, 0, "x");
  EXPECT_FALSE(in_vain());
  go_to(9'000);
  ask(1, 0, "x");
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

// Connecting and an answer take 4.8 ms at most, and a SELECT 2.4 ms more.
struct Haste {
  const char* name;
  bool selects;
  std::int64_t timeout_ms;  // client 0's, who is judged
  std::int64_t others_ms;   // client 1's
  bool other_waits;
  bool judged;
};

class WaitsInHasteTest : public WaitsTest, public testing::WithParamInterface<Haste> {
 protected:
  WaitsInHasteTest() : WaitsTest(with_haste(GetParam())) {}

  static Plan with_haste(const Haste& haste) {
    Plan plan = with_waiters();
    plan.delay_high_ns = 1'200'000;
    plan.database = haste.selects ? 3 : 0;
    plan.clients[0].timeout_ms = haste.timeout_ms;
    plan.clients[1].timeout_ms = haste.others_ms;
    if (!haste.other_waits) plan.clients[1].wait_ms = -1;
    return plan;
  }
};

TEST_P(WaitsInHasteTest, WhoeverIsAnsweredInTimeByLuckOnlyIsServedByLuck) {
  checker_.begins(0, true);
  go_far();
  EXPECT_EQ(in_vain(), GetParam().judged);
  checker_.returned(0, kMs, 0, kMs);
  if (GetParam().judged) return;
  EXPECT_EQ(judged(ViolationKind::waits_in_vain), 0U);
}

INSTANTIATE_TEST_SUITE_P(All, WaitsInHasteTest,
                         testing::Values(Haste{"ASelectTooMuch", true, 6, 6, true, false},
                                         Haste{"JustInTime", false, 6, 6, true, true},
                                         Haste{"InTimeBehindASelect", true, 9, 9, true, true},
                                         Haste{"BehindSomebodyInHaste", true, 20, 6, true, false},
                                         Haste{"BesideOneWhoDoesNotWait", true, 20, 6, false,
                                               true}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace redlock::sim::waits_test
