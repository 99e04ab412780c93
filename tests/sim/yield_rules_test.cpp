// What becomes of a lock where somebody stands in line who yields.
#include "sim/line_rules.hpp"

namespace redlock::sim::yield_rules_test {
namespace {

using Yielding = LineRules;

TEST_F(Yielding, PassesWhatItHadToThoseBehind) {
  join("a", 10);
  wait_in_line("b", 20, 777);
  wait_in_line("c", 30);
  on_pushes();
  EXPECT_EQ(yield("a", 10, "2"), standing(777, 0));
  EXPECT_EQ(stored(), bulk("b"));
  EXPECT_EQ(on_pushes(), (Pushes{{"b", "granted 1 b"}}));
  EXPECT_EQ(line(), (Line{"a", "c"}));
}

TEST_F(Yielding, TakesNothing) {
  EXPECT_EQ(yield("a", 10), standing(-2, 0));
  EXPECT_EQ(stored(), kNil);
  EXPECT_EQ(yield("a", 10, "2"), standing(-2, 0));
}

// Or two of them would tell each other for ever.
TEST_F(Yielding, TellsWhoeverIsNextOnceWhereNobodyTakesIt) {
  listen("b");
  yield("b", 20);
  EXPECT_EQ(join("a", 10), kGranted);
  on_pushes();
  yield("a", 10, "2");
  EXPECT_EQ(stored(), kNil);
  EXPECT_EQ(on_pushes(), (Pushes{{"b", "next -2 b"}}));
  EXPECT_EQ(yield("a", 10, "3"), standing(-2, 0));
  EXPECT_EQ(on_pushes(), Pushes{});
}

// Attempts that were too few to win, and newcomers, would bring it the vote again and again.
TEST_F(Yielding, IsSkippedUntilItTakesAgain) {
  listen("a");
  yield("a", 10);
  wait_in_line("b", 20);
  EXPECT_EQ(stored(), bulk("b")) << "who came later";
  pass("b");
  EXPECT_EQ(stored(), kNil);
  EXPECT_EQ(line(), Line{"a"});
  EXPECT_EQ(join("a", 10, 1000, "2"), kGranted);
}

TEST_F(Yielding, IsOvertakenByNoEarlierJoin) {
  yield("a", 10, "7");
  EXPECT_EQ(join("a", 10, 1000, "6"), standing(-2, 1));
  EXPECT_EQ(stored(), kNil);
}

TEST_F(Yielding, WhatSomebodyElseHoldsIsServedInItsTurn) {
  hold("h");
  listen("a");
  yield("a", 10);
  wait_in_line("b", 20);
  pass("h");
  EXPECT_EQ(stored(), bulk("a"));
}

TEST_F(Yielding, StaysTheFirstAndIsToldSo) {
  listen("a");
  yield("a", 10);
  hold("h");
  wait_in_line("b", 20, 777);
  on_pushes();
  pass("h");
  EXPECT_EQ(stored(), bulk("b"));
  EXPECT_EQ(on_pushes(), (Pushes{{"a", "next 777 a"}, {"b", "granted 1 b"}}));
}

TEST_F(Yielding, WithTheDeadInFrontServesTheFirstWhoCanBeReached) {
  yield("dead", 10);
  hold("h");
  join("gone", 15);
  wait_in_line("a", 20);
  wait_in_line("b", 30);
  pass("h");
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(line(), Line{"b"});
}

TEST_F(Yielding, WithSomebodyDeadInFrontTellsWhoeverComesNext) {
  yield("dead", 10);
  hold("h");
  wait_in_line("a", 20, 777);
  wait_in_line("b", 30);
  on_pushes();
  pass("h");
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(on_pushes(), (Pushes{{"b", "next 777 b"}, {"a", "granted 1 a"}}));
  EXPECT_EQ(line(), Line{"b"});
}

}  // namespace
}  // namespace redlock::sim::yield_rules_test
