// The watch over removals complains where one is missing, and only there.
#include "sim/safety/removal_watch.hpp"

#include <gtest/gtest.h>

#include "redlock/wire/scripts.hpp"

namespace redlock::sim::removal_watch_test {
namespace {

class RemovalWatchTest : public testing::Test {
 protected:
  using Told = RemovalWatch::Told;
  static constexpr Origin kFirst{.connection = 0};
  static constexpr Origin kSecond{.connection = 1};

  static Plan make_plan() {
    Plan plan;
    plan.servers = 1;
    plan.clients.resize(1);
    return plan;
  }
  std::string take(const Origin& origin, const std::string& token) {
    return watch_.executed(origin, deed_of({"SET", "lock", token, "NX", "PX", "9"}), Told::served);
  }
  std::string remove(const Origin& origin, const std::string& token, Told told = Told::served) {
    const Script& script = scripts::pass;
    return watch_.executed(origin, deed_of({"EVAL", script.text, "1", "lock", token}), told);
  }

  const Plan plan_ = make_plan();
  RemovalWatch watch_{plan_};
};

TEST_F(RemovalWatchTest, ARemovalThatMetANoscriptMustBeFollowedByItsTextBeforeTheEnd) {
  EXPECT_EQ(remove(kFirst, "first", Told::no_script), "");
  EXPECT_NE(watch_.ended(kFirst), "");
  EXPECT_EQ(remove(kFirst, "first"), "");
  EXPECT_EQ(watch_.ended(kFirst), "");
}

TEST_F(RemovalWatchTest, WhatTheKernelDidNotTakeMayHaveBeenTheRemoval) {
  EXPECT_EQ(remove(kFirst, "first", Told::no_script), "");
  EXPECT_EQ(watch_.ended(kFirst, false), "");
}

TEST_F(RemovalWatchTest, AnotherLocksRemovalIsNotEnough) {
  EXPECT_EQ(remove(kFirst, "first", Told::no_script), "");
  EXPECT_EQ(remove(kFirst, "second"), "");
  EXPECT_NE(watch_.ended(kFirst), "");
}

TEST_F(RemovalWatchTest, ANoscriptThatIsLeftOutIsKnownToNobody) {
  EXPECT_EQ(remove(kFirst, "first", Told::nothing), "");
  EXPECT_EQ(watch_.ended(kFirst), "");
}

TEST_F(RemovalWatchTest, ANoscriptThatWasHeardIsNotForgottenForALaterOneThatIsLeftOut) {
  EXPECT_EQ(remove(kFirst, "first", Told::no_script), "");
  EXPECT_EQ(remove(kFirst, "first", Told::nothing), "");
  EXPECT_NE(watch_.ended(kFirst), "");
}

TEST_F(RemovalWatchTest, AChildMustLeaveItsParentsLocksAlone) {
  EXPECT_EQ(take(kFirst, "first"), "");
  watch_.inherit(0, 1);
  EXPECT_EQ(remove(kFirst, "first"), "");
  EXPECT_NE(remove(kSecond, "first"), "");
  EXPECT_EQ(take(kSecond, "second"), "");
  EXPECT_EQ(remove(kSecond, "second"), "");
}

}  // namespace
}  // namespace redlock::sim::removal_watch_test
