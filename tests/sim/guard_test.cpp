// Schedules in which servers restart at once: with the guard nothing is violated, and without it
// two clients have the lock.
#include <gtest/gtest.h>

#include "sim/amounts.hpp"
#include "sim/world.hpp"

namespace redlock::sim::guard_test {
namespace {

constexpr std::uint64_t kFirstSeed = 70'001;
constexpr std::uint64_t kSeeds = watched(120);

PlanWishes restarting(bool guarded) {
  PlanWishes wishes;
  wishes.inside_only = true;
  wishes.guard = guarded;
  wishes.unguarded = !guarded;
  return wishes;
}

TEST(GuardInSchedulesTest, WithItNothingIsViolatedWhateverServersForget) {
  LuaEngine engine;
  std::uint64_t grants = 0;
  std::uint64_t restarts = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kSeeds; ++seed) {
    const ScheduleResult result = run_schedule(seed, restarting(true), engine);
    ASSERT_EQ(result.model, Model::inside);
    ASSERT_TRUE(result.violations.empty())
        << "seed " << seed << ": " << result.violations.front().text;
    grants += result.grants;
    for (const FaultClass at_once :
         {FaultClass::crash_lose_all_at_once, FaultClass::crash_lose_second_at_once}) {
      restarts += result.fired[static_cast<std::size_t>(at_once)];
    }
  }
  EXPECT_GT(grants, kSeeds);
  EXPECT_GT(restarts, kSeeds);
}

TEST(GuardInSchedulesTest, WithoutItTheSameSchedulesHaveTwoHolders) {
  LuaEngine engine;
  std::uint64_t violated = 0;
  constexpr std::uint64_t kFew = kSeeds / 10;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kFew; ++seed) {
    const ScheduleResult result = run_schedule(seed, restarting(false), engine);
    for (const Violation& violation : result.failures) {
      if (violation.kind != ViolationKind::two_holders) continue;
      ++violated;
      break;
    }
  }
  EXPECT_GT(violated, kFew / 4);
}

TEST(GuardInSchedulesTest, NobodyHasItWhereItIsNotWishedFor) {
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kSeeds; ++seed) {
    const Plan plan = draw_plan(seed, {});
    ASSERT_FALSE(plan.guarded || plan.restarts) << "seed " << seed;
  }
}

}  // namespace
}  // namespace redlock::sim::guard_test
