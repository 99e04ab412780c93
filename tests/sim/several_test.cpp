// Clients that see to several locks at once: it really happens, and the checker tells them apart.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/checker_fixture.hpp"
#include "sim/world.hpp"

namespace redlock::sim::several_test {
namespace {

constexpr std::uint64_t kSeeds = 400;
constexpr std::uint64_t kEnough = 20;
constexpr std::uint64_t kCrowds = 12;
constexpr std::uint64_t kCrowdSeedsMax = 40'000;

TEST(SeveralLocksTest, WhatOnlySeveralLocksBringAboutReallyHappens) {
  LuaEngine engine;
  PlanWishes wishes;
  wishes.inside_only = true;
  Several sum;
  for (std::uint64_t seed = 40'001; seed <= 40'000 + kSeeds; ++seed) {
    const ScheduleResult result = run_schedule(seed, wishes, engine);
    ASSERT_TRUE(result.violations.empty()) << "seed " << seed;
    sum.begun_beside += result.several.begun_beside;
    sum.taken_together += result.several.taken_together;
    sum.shorter_extends += result.several.shorter_extends;
    sum.longer_extends += result.several.longer_extends;
    sum.re_entries += result.several.re_entries;
    sum.released_within += result.several.released_within;
  }
  EXPECT_GT(sum.begun_beside, 10 * kEnough);
  EXPECT_GT(sum.taken_together, kEnough);
  EXPECT_GT(sum.shorter_extends, kEnough);
  EXPECT_GT(sum.longer_extends, kEnough);
  EXPECT_GT(sum.re_entries, kEnough);
  EXPECT_GT(sum.released_within, 0U);
}

TEST(SeveralLocksTest, ACrowdOfCallsReachesTheBounds) {
  LuaEngine engine;
  PlanWishes wishes;
  wishes.inside_only = true;
  Several sum;
  for (std::uint64_t seed = 42'001; sum.crowds < kCrowds; ++seed) {
    ASSERT_LT(seed, 42'000 + kCrowdSeedsMax);
    if (!draw_plan(seed, wishes).crowd) continue;
    const ScheduleResult result = run_schedule(seed, wishes, engine);
    ASSERT_TRUE(result.violations.empty()) << "seed " << seed;
    sum.crowds += result.several.crowds;
    sum.bound_reached += result.several.bound_reached;
    sum.crowd_releases += result.several.crowd_releases;
    sum.crowd_arrived += result.several.crowd_arrived;
  }
  EXPECT_GT(sum.bound_reached, kEnough);
  // Of those that a server was not there for, 256 are remembered.
  EXPECT_LT(sum.crowd_arrived + kEnough, sum.crowd_releases);
}

TEST(SeveralLocksTest, AProcessExitsInTheMidstOfACall) {
  LuaEngine engine;
  PlanWishes wishes;
  wishes.fault_class = FaultClass::clean_exit;
  std::uint64_t exits = 0;
  for (std::uint64_t seed = 41'001; seed <= 41'000 + kSeeds; ++seed) {
    const ScheduleResult result = run_schedule(seed, wishes, engine);
    ASSERT_TRUE(result.violations.empty()) << "seed " << seed;
    exits += result.several.left_by_exit;
  }
  EXPECT_GT(exits, 0U);
}

TEST(SeveralLocksTest, ManagersOnOnePoolHaveTimesOfTheirOwn) {
  std::uint64_t apart = 0;
  std::uint64_t together = 0;
  std::uint64_t own_drift = 0;
  for (std::uint64_t seed = 40'001; seed <= 40'000 + kSeeds; ++seed) {
    const Plan plan = draw_plan(seed, {});
    for (std::uint32_t i = 1; i < plan.resources; ++i) {
      const std::int64_t timeout_ms = plan.timeout_of({0, i});
      // Beyond a factor of two a pool opens connections of their own.
      const bool far = timeout_ms > 2 * plan.timeout_ms || 2 * timeout_ms < plan.timeout_ms;
      ++(far ? apart : together);
      if (plan.drift_factor_of({0, i}) > plan.drift_factor()) ++own_drift;
      EXPECT_GE(plan.drift_factor_of({0, i}), plan.drift_factor());
    }
  }
  EXPECT_GT(apart, kEnough);
  EXPECT_GT(together, kEnough);
  EXPECT_GT(own_drift, kEnough);
}

TEST(SeveralLocksTest, TheStandardShapeHasOneLock) {
  PlanWishes wishes;
  wishes.standard_shape = true;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EXPECT_EQ(draw_plan(seed, wishes).resources, 1U) << "seed " << seed;
  }
}

class SeveralCheckerTest : public CheckerTest {
 protected:
  SeveralCheckerTest() : CheckerTest(with_two_resources()) {}

  static Plan with_two_resources() {
    Plan plan = make_plan();
    plan.resources = 2;
    plan.delay_high_ns = kMs / 10;
    for (ClientPlan& client : plan.clients) client.beside.resize(1);
    return plan;
  }
};

TEST_F(SeveralCheckerTest, OnlyTheSameResourceIsHeldTwice) {
  set_everywhere(0, "a", 200);
  checker_.granted(0, "a", 97 * kMs);
  checker_.granted({1, 1}, "a", 97 * kMs);
  EXPECT_EQ(std::ranges::count(kinds(), ViolationKind::two_holders), 0);
  checker_.granted(1, "a", 97 * kMs);
  EXPECT_EQ(std::ranges::count(kinds(), ViolationKind::two_holders), 1);
}

TEST_F(SeveralCheckerTest, AProcessThatEndsHoldsNoneOfItsLocks) {
  set_everywhere(0, "a", 200);
  checker_.granted({0, 1}, "a", 97 * kMs);
  checker_.all_given_up(0);
  checker_.granted({1, 1}, "a", 97 * kMs);
  EXPECT_EQ(std::ranges::count(kinds(), ViolationKind::two_holders), 0);
}

TEST_F(SeveralCheckerTest, AFailedAttemptIsNotOverdueForATakeOfAnotherResource) {
  plan_.clients[0].ttl_ms = 5000;
  go_to(1);
  set(0, 0, "a", 5000, 1);
  go_to(10);
  executed(0, 0, {"SET", "lock1", "b"}, kNil, 1);
  EXPECT_EQ(kinds(), Kinds{});
  EXPECT_EQ(checker_.judged()[static_cast<std::size_t>(ViolationKind::not_undone)], 0U);
  ask(0, 0, "c", 1);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
}

TEST_F(SeveralCheckerTest, ALockThatWasReleasedWhileItWasAskedAboutIsNobodys) {
  Outcome outcome;
  outcome.decision = Decision::denied;
  checker_.reported_of_released(0, outcome);
  EXPECT_EQ(kinds(), Kinds{});
  outcome.decision = Decision::granted;
  checker_.reported_of_released(0, outcome);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::trusted_after_release});
}

TEST_F(SeveralCheckerTest, AnotherResourceLeavesAServerFree) {
  checker_.begins({0, 1});
  set_everywhere(1, "b", 100);
  checker_.reported({0, 1}, Verb::take, "", Outcome());
  EXPECT_EQ(kinds(), Kinds{ViolationKind::unavailable});
}

TEST_F(SeveralCheckerTest, AnAnswerAboutAnotherResourceIsAWrongOne) {
  executed(0, 0, {"SET", "lock1", "a"}, kOk, 1);
  Outcome outcome;
  outcome.nodes.resize(3);
  outcome.nodes[0].answered = true;
  outcome.nodes[0].reply.answer = Answer::granted;
  checker_.reported({0, 1}, Verb::take, "a", outcome);
  EXPECT_EQ(kinds(), Kinds{});
  checker_.reported(0, Verb::take, "a", outcome);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::wrong_reply});
}

TEST_F(SeveralCheckerTest, WhatIsProlongedMayStayForTheTtlThatItWasProlongedBy) {
  plan_.clients[0].ttl_ms = 100;
  plan_.clients[0].extend_ttl_ms = 300;
  go_to(0);
  set(0, 0, "a", 300);
  go_to(150);  // longer than a take may set it for
  EXPECT_EQ(kinds(), Kinds{ViolationKind::outlives_ttl});
}

TEST_F(SeveralCheckerTest, AnExtendByALongerTtlOfItsOwnIsNoViolation) {
  plan_.clients[0].ttl_ms = 100;
  plan_.clients[0].extend_ttl_ms = 300;
  set(0, 0, "a", 100);
  go_to(10);
  set(0, 0, "a", 300);
  go_to(250);
  EXPECT_EQ(kinds(), Kinds{});
}

}  // namespace
}  // namespace redlock::sim::several_test
