// Schedules in which somebody asks for fences: they rise, and everything that can disturb them
// happens.
#include <gtest/gtest.h>

#include "sim/amounts.hpp"
#include "sim/world.hpp"

namespace redlock::sim::fences_test {
namespace {

constexpr std::uint64_t kFirstSeed = 60'001;
constexpr std::uint64_t kSeeds = watched(400);
constexpr std::uint64_t kPlans = 400;
constexpr std::int64_t kHourNs = 3'600'000 * kMs;

PlanWishes with_fences() {
  PlanWishes wishes;
  wishes.inside_only = true;
  wishes.fences = true;
  return wishes;
}

TEST(FencesInSchedulesTest, RiseWhateverIsInTheModel) {
  LuaEngine engine;
  std::uint64_t judged = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kSeeds; ++seed) {
    const ScheduleResult result = run_schedule(seed, with_fences(), engine);
    ASSERT_TRUE(result.violations.empty())
        << "seed " << seed << ": " << result.violations.front().text;
    judged += result.judged[static_cast<std::size_t>(ViolationKind::fence_not_rising)];
  }
  EXPECT_GT(judged, kSeeds);
}

TEST(FencesInSchedulesTest, SomeCoursesAskForThemAndOthersDoNot) {
  std::uint64_t asking = 0;
  std::uint64_t others = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kPlans; ++seed) {
    const Plan plan = draw_plan(seed, with_fences());
    ASSERT_TRUE(plan.has_fences()) << "seed " << seed;
    for (const ClientPlan& client : plan.clients) ++(client.fence ? asking : others);
  }
  EXPECT_GT(asking, kPlans);
  EXPECT_GT(others, kPlans / 2);
}

TEST(FencesInSchedulesTest, ThereAreLinesClocksThatAreWrongAndServersThatForget) {
  std::uint64_t lines = 0;
  std::uint64_t behind = 0;
  std::uint64_t ahead = 0;
  std::uint64_t forgetful = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kPlans; ++seed) {
    const Plan plan = draw_plan(seed, with_fences());
    lines += plan.has_lines() ? 1 : 0;
    for (const ClientPlan& client : plan.clients) {
      behind += client.clock_skew_ns < -kHourNs ? 1 : 0;
      ahead += client.clock_skew_ns > 24 * kHourNs ? 1 : 0;
    }
    forgetful += plan.has_forgetful_servers() ? 1 : 0;
  }
  EXPECT_GT(lines, kPlans / 3);
  EXPECT_LT(lines, kPlans * 2 / 3);
  EXPECT_GT(behind, kPlans / 10);
  EXPECT_GT(ahead, kPlans / 10);
  EXPECT_GT(forgetful, 0U);
  EXPECT_LT(forgetful, kPlans / 2);
}

TEST(FencesInSchedulesTest, NobodyAsksForThemWhereTheyAreNotWishedFor) {
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kPlans; ++seed) {
    ASSERT_FALSE(draw_plan(seed, {}).has_fences()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace redlock::sim::fences_test
