// People who wait in line, in worlds full of faults: it really happens, and nothing breaks.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/world.hpp"

namespace redlock::sim::lines_test {
namespace {

constexpr std::uint64_t kSeeds = 400;
// For what is rare.
constexpr std::uint64_t kManySeeds = 800;
constexpr std::uint64_t kEnough = 20;
constexpr std::uint64_t kFirst = 50'001;

PlanWishes with_lines() {
  PlanWishes wishes;
  wishes.inside_only = true;
  wishes.lines = true;
  return wishes;
}

TEST(LinesTest, WhatOnlyLinesBringAboutReallyHappens) {
  LuaEngine engine;
  LineCounts sum;
  Judged judged{};
  for (std::uint64_t seed = kFirst; seed < kFirst + kManySeeds; ++seed) {
    const ScheduleResult result = run_schedule(seed, with_lines(), engine);
    ASSERT_TRUE(result.violations.empty())
        << "seed " << seed << ": " << result.violations.front().text;
    sum.waits += result.lines.waits;
    sum.granted += result.lines.granted;
    sum.in_line += result.lines.in_line;
    sum.refused += result.lines.refused;
    sum.handed += result.lines.handed;
    sum.yielded += result.lines.yielded;
    sum.struck_out += result.lines.struck_out;
    sum.overtaken += result.lines.overtaken;
    sum.unheard += result.lines.unheard;
    for (std::size_t i = 0; i < kViolationKinds; ++i) judged[i] += result.judged[i];
  }
  EXPECT_GT(sum.granted, kManySeeds);
  EXPECT_LT(sum.granted, sum.waits);
  EXPECT_GT(sum.in_line, kManySeeds / 2);
  EXPECT_GT(sum.refused, kEnough);
  EXPECT_GT(sum.handed, kManySeeds);
  EXPECT_GT(sum.yielded, kEnough);
  EXPECT_GT(sum.struck_out, kEnough);
  EXPECT_GT(sum.overtaken, 0U);
  EXPECT_GT(sum.unheard, kEnough);
  for (const ViolationKind kind : {ViolationKind::wrongly_served, ViolationKind::out_of_order,
                                   ViolationKind::waits_in_vain, ViolationKind::dead_in_line}) {
    EXPECT_GT(judged[static_cast<std::size_t>(kind)], kEnough) << name_of(kind);
  }
}

TEST(LinesTest, SomeWaitForNoTimeAndSomeForSeveralTtls) {
  std::uint64_t plain = 0;
  std::uint64_t at_once = 0;
  std::uint64_t shorter = 0;
  std::uint64_t longer = 0;
  std::uint64_t skewed = 0;
  std::uint64_t quiet = 0;
  for (std::uint64_t seed = kFirst; seed < kFirst + kSeeds; ++seed) {
    const Plan plan = draw_plan(seed, with_lines());
    quiet += plan.faults.empty() ? 1 : 0;
    for (const ClientPlan& client : plan.clients) {
      skewed += client.clock_skew_ns != 0 ? 1 : 0;
      if (client.wait_ms < 0) {
        ++plain;
      } else if (client.wait_ms == 0) {
        ++at_once;
      } else {
        ++(client.wait_ms < client.ttl_ms ? shorter : longer);
      }
    }
  }
  for (const std::uint64_t count : {plain, at_once, shorter, longer, skewed, quiet}) {
    EXPECT_GT(count, kEnough);
  }
}

TEST(LinesTest, AThirdOfTheSchedulesOfRedLockInsideTheModelHaveLines) {
  PlanWishes wishes;
  wishes.inside_only = true;
  std::uint64_t all = 0;
  std::uint64_t lines = 0;
  for (std::uint64_t seed = 1; seed <= 10 * kSeeds; ++seed) {
    const Plan plan = draw_plan(seed, wishes);
    if (plan.kind == LockKind::stamp) {
      EXPECT_FALSE(plan.has_lines());
      continue;
    }
    ++all;
    lines += plan.has_lines() ? 1 : 0;
  }
  EXPECT_GT(4 * lines, all);
  EXPECT_LT(2 * lines, all);
}

TEST(LinesTest, NobodyWaitsInTheStandardShape) {
  PlanWishes wishes;
  wishes.standard_shape = true;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EXPECT_FALSE(draw_plan(seed, wishes).has_lines()) << "seed " << seed;
  }
}

TEST(LinesTest, TheStandardShapeHasThemWhereTheyAreAskedFor) {
  PlanWishes wishes = with_lines();
  wishes.standard_shape = true;
  for (std::uint64_t seed = kFirst; seed < kFirst + kSeeds; ++seed) {
    const Plan plan = draw_plan(seed, wishes);
    EXPECT_TRUE(plan.has_lines()) << "seed " << seed;
    EXPECT_EQ(plan.servers, 3U);
    EXPECT_EQ(plan.resources, 1U);
  }
}

}  // namespace
}  // namespace redlock::sim::lines_test
