// Under every class that the table does not name, each property is held against something.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "sim/liveness/excuses.hpp"
#include "sim/world.hpp"

namespace redlock::sim::excuses_test {
namespace {

constexpr std::uint64_t kSeedsMax = 400;

// Of the others it is not counted how often they are judged: that is at every event.
constexpr std::array kCounted{ViolationKind::left_behind, ViolationKind::not_undone,
                              ViolationKind::undone_late, ViolationKind::release_late,
                              ViolationKind::unavailable, ViolationKind::wrong_reply};

TEST(ExcusesTest, EveryExcuseHasAReason) {
  for (const Excuse& excuse : excuses()) {
    EXPECT_FALSE(excuse.why.empty());
    EXPECT_FALSE(excuse.classes.empty());
  }
}

// Whose removal is not the client's business any more.
bool leaves_for_good(FaultClass fault_class) {
  return fault_class == FaultClass::forks || fault_class == FaultClass::too_many_clients ||
         fault_class == FaultClass::no_permission;
}

TEST(ExcusesTest, WhatIsLeftIsJudgedUnderEveryInsideClassThatDoesNotLeaveItForGood) {
  for (const FaultInfo& info : fault_table()) {
    if (info.model == Model::outside || leaves_for_good(info.fault_class)) continue;
    EXPECT_TRUE(judged_under(ViolationKind::not_undone, info.fault_class)) << info.name;
  }
}

TEST(ExcusesTest, APlanIsJudgedWhereEachOfItsClassesIs) {
  Plan plan;
  EXPECT_TRUE(judged_under(ViolationKind::unavailable, plan));
  plan.faults.push_back({.fault_class = FaultClass::stall});
  EXPECT_TRUE(judged_under(ViolationKind::unavailable, plan));
  plan.faults.push_back({.fault_class = FaultClass::slices});
  EXPECT_FALSE(judged_under(ViolationKind::unavailable, plan));
}

class JudgedClassTest : public testing::TestWithParam<FaultInfo> {};

TEST_P(JudgedClassTest, IsWhatTheTableSays) {
  LuaEngine engine;
  PlanWishes wishes;
  wishes.fault_class = GetParam().fault_class;
  Judged judged{};
  const auto expected = [](ViolationKind kind) {
    return judged_under(kind, GetParam().fault_class);
  };
  const auto seen = [&](ViolationKind kind) { return judged[static_cast<std::size_t>(kind)] > 0; };
  for (std::uint64_t seed = 30'001; seed <= 30'000 + kSeedsMax; ++seed) {
    const ScheduleResult result = run_schedule(seed, wishes, engine);
    for (std::size_t i = 0; i < kViolationKinds; ++i) judged[i] += result.judged[i];
    const bool all = std::ranges::all_of(
        kCounted, [&](ViolationKind kind) { return seen(kind) == expected(kind); });
    if (all && seed % 20 == 0) break;
  }
  for (const ViolationKind kind : kCounted) {
    EXPECT_EQ(seen(kind), expected(kind)) << name_of(kind);
  }
}

std::vector<FaultInfo> inside_classes() {
  std::vector<FaultInfo> infos;
  for (const FaultInfo& info : fault_table()) {
    if (info.model == Model::inside) infos.push_back(info);
  }
  return infos;
}

std::string parameter_name(const testing::TestParamInfo<FaultInfo>& info) {
  std::string name(info.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, JudgedClassTest, testing::ValuesIn(inside_classes()),
                         parameter_name);

}  // namespace
}  // namespace redlock::sim::excuses_test
