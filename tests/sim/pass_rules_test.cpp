// What pass must do and must not, claim by claim.
#include "sim/line_rules.hpp"

namespace redlock::sim::pass_rules_test {
namespace {

using Passing = LineRules;

TEST_F(Passing, HandsTheLockToTheEarliestTicketForItsOwnTtl) {
  hold("h");
  wait_in_line("b", 20);
  wait_in_line("a", 10, 321);
  on_pushes();
  EXPECT_EQ(pass("h"), kYes);
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(left("k"), ":321\r\n");
  EXPECT_EQ(line(), Line{"b"});
  EXPECT_EQ(waiters(), 1U);
}

TEST_F(Passing, TellsWhomItHandsTheLockByWhichJoinAndTheNextHowLong) {
  hold("h");
  wait_in_line("a", 10, 321);
  wait_in_line("b", 20);
  join("a", 10, 321, "7");
  on_pushes();
  pass("h");
  EXPECT_EQ(on_pushes(), (Pushes{{"b", "next 321 b"}, {"a", "granted 7 a"}}))
      << "what is said last leaves the server first";
}

TEST_F(Passing, OverTheDeadTellsWhoComesNextAsWell) {
  hold("h");
  join("dead", 10);
  wait_in_line("a", 20, 321);
  join("gone", 25);
  wait_in_line("b", 30);
  on_pushes();
  pass("h");
  const Pushes pushes = on_pushes();
  ASSERT_GE(pushes.size(), 2U);
  EXPECT_EQ(pushes[pushes.size() - 2], (Push{"b", "next 321 b"}));
  EXPECT_EQ(pushes.back(), (Push{"a", "granted 1 a"}));
  EXPECT_EQ(line(), Line{"b"});
}

TEST_F(Passing, SaysBehindWhichJoinTheLockWasHandedToWhom) {
  hold("h");
  wait_in_line("a", 10, 60'000);
  pass("h");
  EXPECT_EQ(given(), bulk("1 a"));
  EXPECT_EQ(left("k:redlock:waiters"), ":60000\r\n");
  pass("a");
  EXPECT_TRUE(server_.keyspace().entries().empty());
}

TEST_F(Passing, OfAnAttemptThatFailedLeavesTheKeyFreeAndTellsWhoeverIsFirst) {
  hold("h");
  join("dead", 5);
  wait_in_line("a", 10);
  wait_in_line("b", 20);
  on_pushes();
  EXPECT_EQ(undo("h"), kYes);
  EXPECT_EQ(stored(), kNil);
  EXPECT_EQ(on_pushes(), (Pushes{{"a", "next -2 a"}, {"b", "next 100 b"}}))
      << "the first may stand still";
  EXPECT_EQ(line(), (Line{"a", "b"}));
}

// Also where the attempt got nothing: a take that was told so late may have found the key held.
TEST_F(Passing, OfAnAttemptThatGotNothingTellsOfAFreeKey) {
  hold("h", 5);
  wait_in_line("a", 10);
  wait(6);
  on_pushes();
  EXPECT_EQ(undo("x"), kNo);
  EXPECT_EQ(stored(), kNil);
  EXPECT_EQ(on_pushes(), (Pushes{{"a", "next -2 a"}}));
}

TEST_F(Passing, OfAnAttemptThatFailedTellsTheFirstWhoDoesNotYield) {
  hold("h", 5);
  wait_in_line("a", 10);
  wait_in_line("b", 20);
  wait(6);
  yield("a", 10, "2");
  hold("h");
  on_pushes();
  undo("h");
  EXPECT_EQ(on_pushes(), (Pushes{{"b", "next -2 b"}}));
  pass("b");
  hold("h");
  on_pushes();
  undo("h");
  EXPECT_EQ(on_pushes(), (Pushes{{"a", "next -2 a"}})) << "nobody else is there";
}

TEST_F(Passing, ComparesBeforeItDeletes) {
  hold("h");
  wait_in_line("a", 10);
  EXPECT_EQ(pass("x"), kNo);
  EXPECT_EQ(stored(), bulk("h"));
  EXPECT_EQ(line(), Line{"a"});
  EXPECT_EQ(on_pushes(), Pushes{});
}

TEST_F(Passing, LeavesTheLine) {
  hold("h");
  for (const char* token : {"a", "b", "c"}) wait_in_line(token, token[0]);
  EXPECT_EQ(pass("b"), kNo);
  EXPECT_EQ(line(), (Line{"a", "c"}));
  EXPECT_EQ(told_of("b"), kNil);
  EXPECT_EQ(stored(), bulk("h"));
  EXPECT_EQ(on_pushes(), Pushes{}) << "nobody has moved to the front";
}

TEST_F(Passing, AsTheFirstTellsTheNext) {
  hold("h", 400);
  for (const char* token : {"a", "b", "c"}) wait_in_line(token, token[0]);
  pass("a");
  EXPECT_EQ(on_pushes(), (Pushes{{"b", "next 400 b"}}));
}

TEST_F(Passing, AsTheFirstTellsTheNextWhoCanBeReached) {
  hold("h", 400);
  for (const char* token : {"a", "b", "c"}) wait_in_line(token, token[0]);
  unsubscribe("b");
  pass("a");
  EXPECT_EQ(on_pushes(), (Pushes{{"c", "next 400 c"}}));
  EXPECT_EQ(line(), Line{"c"});
}

TEST_F(Passing, IsHarmlessWhenItIsRepeatedOrLate) {
  hold("h");
  wait_in_line("a", 10);
  wait_in_line("b", 20);
  pass("h");
  on_pushes();
  EXPECT_EQ(pass("h"), kNo);
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(line(), Line{"b"});
  EXPECT_EQ(on_pushes(), Pushes{});
}

TEST_F(Passing, HandsOnWhatHasExpiredMeanwhile) {
  hold("h", 100);
  wait_in_line("a", 10);
  wait(101);
  EXPECT_EQ(pass("h"), kNo);
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(on_pushes(), (Pushes{{"a", "granted 1 a"}}));
}

TEST_F(Passing, HandsNothingToWhoeverPasses) {
  hold("h", 100);
  wait_in_line("a", 10);
  wait(101);
  EXPECT_EQ(pass("a"), kNo);
  EXPECT_EQ(stored(), kNil);
  EXPECT_EQ(line(), Line{});
}

TEST_F(Passing, StrikesOutThoseWhoReceiveNothing) {
  hold("h");
  join("a", 10);
  join("b", 11);
  wait_in_line("c", 12);
  wait_in_line("d", 13);
  pass("h");
  EXPECT_EQ(stored(), bulk("c"));
  EXPECT_EQ(line(), Line{"d"});
  EXPECT_EQ(waiters(), 1U);
}

TEST_F(Passing, StrikesOutThoseWhoWereNotHeardOfThoughTheyWouldReceive) {
  hold("h", 60'000);
  wait_in_line("a", 10);
  wait(10'000);
  wait_in_line("b", 20);
  wait(5'000);
  pass("h");
  EXPECT_EQ(stored(), bulk("b"));
  EXPECT_EQ(on_pushes(), (Pushes{{"b", "granted 1 b"}}));
  EXPECT_EQ(line(), Line{});
}

// Clients that subscribe to patterns receive what is published for the dead, too.
TEST_F(Passing, StrikesOutThoseForWhomOnlyStrangersListen) {
  server_.conditions().strangers = 2;
  hold("h");
  join("dead", 10);
  wait_in_line("a", 12);
  join("gone", 13);
  wait_in_line("b", 14);
  on_pushes();
  pass("h");
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(on_pushes().back(), (Push{"a", "granted 1 a"}));
  EXPECT_EQ(line(), Line{"b"});
  pass("b");
  join("c", 20);
  join("d", 30);
  pass("c");
  EXPECT_EQ(line(), Line{}) << "as one who leaves, too";
}

TEST_F(Passing, OverACrowdOfDeadReachesTheLiving) {
  hold("h");
  for (int i = 0; i < 200; ++i) join("dead" + std::to_string(i), 1);
  wait_in_line("a", 10);
  pass("h");
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(line(), Line{});
}

TEST_F(Passing, AsksForNoMoreThanSoManyOfTheDeadAtATime) {
  constexpr int kDead = 2'600;
  constexpr int kTurns = 2'000;
  hold("h");
  for (int i = 0; i < kDead; ++i) join("dead" + std::to_string(i), 1);
  EXPECT_EQ(pass("h"), kYes);
  EXPECT_EQ(stored(), kNil);
  EXPECT_EQ(line().size(), kDead - kTurns);
}

TEST_F(Passing, WithNobodyLeftLeavesNothing) {
  hold("h");
  join("a", 10);
  EXPECT_EQ(pass("h"), kYes);
  EXPECT_TRUE(server_.keyspace().entries().empty());
}

TEST_F(Passing, RemovesThoughTheLineIsNoneOrRefused) {
  for (const char* key : {"k:redlock:line", "k:redlock:waiters"}) {
    hold("h");
    wait_in_line("a", 10);
    run({"DEL", key});
    run({"SET", key, "x"});
    EXPECT_EQ(pass("h"), kYes) << key;
    EXPECT_EQ(stored(), kNil) << key;
    run({"DEL", key});
  }
  hold("h");
  server_.conditions().no_line_keys = true;
  EXPECT_EQ(pass("h"), kYes);
  EXPECT_EQ(stored(), kNil);
}

TEST_F(Passing, HandsNothingToWhomItMayNotTell) {
  hold("h");
  wait_in_line("a", 10);
  server_.conditions().no_channels = true;
  EXPECT_EQ(pass("h"), kYes);
  EXPECT_EQ(stored(), kNil);
  EXPECT_EQ(line(), Line{"a"}) << "he asks by himself";
}

TEST_F(Passing, TellsTheFirstToAskForItselfWhereNothingCanBeSet) {
  hold("h", 100);
  wait_in_line("a", 10);
  wait(101);
  server_.conditions().read_only = true;
  EXPECT_EQ(pass("h"), kNo);
  EXPECT_EQ(on_pushes(), (Pushes{{"a", "next -2 a"}}));
  EXPECT_EQ(line(), Line{"a"});
}

TEST_F(Passing, ThatCannotTakeAnybodyOutOfTheLineSaysSo) {
  hold("h");
  join("a", 10);
  join("b", 20);
  server_.conditions().read_only = true;
  EXPECT_EQ(pass("b").substr(0, 9), "-READONLY");
  EXPECT_EQ(pass("c"), kNo) << "he stands in no line";
  server_.conditions().read_only = false;
  EXPECT_EQ(pass("b"), kNo);
  EXPECT_EQ(line(), Line{"a"});
}

TEST_F(Passing, HandsOnThoughMemoryIsShort) {
  hold("h");
  wait_in_line("a", 10);
  server_.conditions().out_of_memory = true;
  EXPECT_EQ(pass("h"), kYes);
  EXPECT_EQ(stored(), bulk("a"));
}

TEST_F(Passing, OfWhatIsNoLockIsRefusedAndLeavesTheLineAllTheSame) {
  wait_in_line("a", 10);
  run({"DEL", "k"});
  run({"HSET", "k", "f", "v"});
  join("a", 10);
  EXPECT_EQ(pass("a").substr(0, 10), "-WRONGTYPE");
  EXPECT_EQ(line(), Line{});
  EXPECT_EQ(run({"HGET", "k", "f"}), bulk("v"));
}

}  // namespace
}  // namespace redlock::sim::pass_rules_test
