// Leases that a thread keeps alive, in worlds full of faults: it really happens, and nothing
// breaks.
#include <gtest/gtest.h>

#include "sim/world.hpp"

namespace redlock::sim::kept_test {
namespace {

constexpr std::uint64_t kSeeds = 800;
constexpr std::uint64_t kEnough = 20;

TEST(KeptLeasesTest, WhatOnlyKeptLeasesBringAboutReallyHappens) {
  LuaEngine engine;
  PlanWishes wishes;
  wishes.inside_only = true;
  Several sum;
  for (std::uint64_t seed = 43'001; seed <= 43'000 + kSeeds; ++seed) {
    const ScheduleResult result = run_schedule(seed, wishes, engine);
    ASSERT_TRUE(result.violations.empty()) << "seed " << seed;
    sum.kept += result.several.kept;
    sum.kept_extends += result.several.kept_extends;
    sum.kept_lost += result.several.kept_lost;
  }
  EXPECT_GT(sum.kept, 5 * kEnough);
  EXPECT_GT(sum.kept_extends, 10 * kEnough);
  EXPECT_GT(sum.kept_lost, kEnough);
}

TEST(KeptLeasesTest, HaveLimitsShorterAndLongerThanTheWork) {
  std::uint64_t shorter = 0;
  std::uint64_t longer = 0;
  PlanWishes wishes;
  wishes.inside_only = true;
  for (std::uint64_t seed = 43'001; seed <= 43'000 + kSeeds; ++seed) {
    const Plan plan = draw_plan(seed, wishes);
    for (const ClientPlan& client : plan.clients) {
      if (client.renew_max_ms == 0) continue;
      EXPECT_GE(client.renew_max_ms, client.ttl_ms);
      ++(client.renew_max_ms < client.work_ms ? shorter : longer);
    }
  }
  EXPECT_GT(shorter, kEnough);
  EXPECT_GT(longer, kEnough);
}

}  // namespace
}  // namespace redlock::sim::kept_test
