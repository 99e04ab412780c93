// What may be violated outside the model, and nothing else.
#include "sim/breaches.hpp"

#include <gtest/gtest.h>

namespace redlock::sim::breaches_test {
namespace {

TEST(BreachesTest, OnlyClassesFromOutsideTheModelBreakAnything) {
  for (const FaultInfo& info : fault_table()) {
    bool any = false;
    for (std::size_t i = 0; i < kViolationKinds; ++i) {
      any = any || breaks(info.fault_class, static_cast<ViolationKind>(i));
    }
    EXPECT_EQ(any, info.model == Model::outside) << info.name;
  }
}

TEST(BreachesTest, WhatOneClassBreaksIsNoExcuseForTheRest) {
  Plan plan;
  plan.model = Model::outside;
  plan.faults.push_back({.fault_class = FaultClass::flush_all});
  EXPECT_TRUE(is_expected(ViolationKind::two_holders, plan));
  EXPECT_FALSE(is_expected(ViolationKind::foreign_removed, plan));
  EXPECT_FALSE(is_expected(ViolationKind::left_behind, plan));
}

}  // namespace
}  // namespace redlock::sim::breaches_test
