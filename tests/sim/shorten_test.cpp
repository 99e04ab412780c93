// Leases that are shortened in worlds full of faults: it really happens, also to those that a
// thread keeps alive and to those that were waited for, and nothing breaks.
#include <gtest/gtest.h>

#include "sim/world.hpp"

namespace redlock::sim::shorten_test {
namespace {

constexpr std::uint64_t kSeeds = 800;
constexpr std::uint64_t kEnough = 20;

TEST(ShortenTest, WhatOnlyShortenedLeasesBringAboutReallyHappens) {
  LuaEngine engine;
  PlanWishes wishes;
  wishes.inside_only = true;
  Several sum;
  for (std::uint64_t seed = 71'001; seed <= 71'000 + kSeeds; ++seed) {
    const ScheduleResult result = run_schedule(seed, wishes, engine);
    ASSERT_TRUE(result.violations.empty()) << "seed " << seed;
    sum.shortened += result.several.shortened;
    sum.kept_shortened += result.several.kept_shortened;
    sum.shortened_within += result.several.shortened_within;
    sum.transferred_within += result.several.transferred_within;
    sum.shorten_lost += result.several.shorten_lost;
  }
  EXPECT_GT(sum.shortened, 5 * kEnough);
  EXPECT_GT(sum.kept_shortened, kEnough / 2);
  EXPECT_GT(sum.shortened_within, kEnough / 4);
  EXPECT_GT(sum.transferred_within, kEnough / 10);
  EXPECT_GT(sum.shorten_lost, kEnough / 2);
}

// A handler shortens what is being shortened, and the outer call fails first.
TEST(ShortenTest, WhatIsShortenedFurtherIsGivenUpBeforeTheOuterCallsFailureTakesItsVotes) {
  LuaEngine engine;
  const ScheduleResult result = run_schedule(60'179, {}, engine);
  EXPECT_TRUE(result.violations.empty()) << result.violations.front().text;
  EXPECT_GT(result.several.shortened_within, 0U);
  EXPECT_GT(result.several.shorten_lost, 0U);
}

// A majority had answered, and the request ended in the handler that ran meanwhile: the fresh token
// is the lock's, and nobody's failed attempt.
TEST(ShortenTest, WhatWasDecidedInAHandlerIsTakenThoughTheRequestEndsInIt) {
  LuaEngine engine;
  PlanWishes wishes;
  wishes.lines = true;
  wishes.inside_only = true;
  const ScheduleResult result = run_schedule(1'101'636, wishes, engine);
  EXPECT_TRUE(result.violations.empty()) << result.violations.front().text;
}

}  // namespace
}  // namespace redlock::sim::shorten_test
