// What join must do and must not, claim by claim.
#include <gmock/gmock.h>

#include "sim/line_rules.hpp"

namespace redlock::sim::join_rules_test {
namespace {

using Joining = LineRules;

TEST_F(Joining, TakesALockThatIsAbsentForAFullTtlAndStandsInNoLine) {
  EXPECT_EQ(join("a", 5, 1234), kGranted);
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(left("k"), ":1234\r\n");
  EXPECT_EQ(line(), Line{});
  EXPECT_EQ(waiters(), 0U);
  EXPECT_EQ(on_pushes(), Pushes{});
}

TEST_F(Joining, WhatIsHeldStandsInLineAndTellsTheHoldersTimeAndTheServersClock) {
  hold("h", 700);
  EXPECT_EQ(join("b", 20), standing(700, 0));
  wait(45);
  EXPECT_EQ(join("c", 30), standing(655, 1));
  EXPECT_EQ(join("a", 10), standing(655, 0));
  EXPECT_EQ(join("c", 30), standing(655, 2));
  EXPECT_EQ(line(), (Line{"a", "b", "c"}));
  EXPECT_EQ(stored(), bulk("h"));
  EXPECT_EQ(left("k"), ":655\r\n");
}

TEST_F(Joining, OrdersEqualTicketsByToken) {
  hold("h");
  for (const char* token : {"b", "c", "a"}) join(token, 10);
  EXPECT_EQ(line(), (Line{"a", "b", "c"}));
}

TEST_F(Joining, AgainRefreshesTheEntryWhereItStands) {
  hold("h");
  join("a", 10, 1000, "1");
  wait(9'000);
  hold("h");
  join("a", 10, 2000, "2");
  EXPECT_EQ(line(), Line{"a"});
  EXPECT_EQ(told_of("a"), bulk("a 2 2000 " + std::to_string(now_ms_ / 1000)));
  join("b", 20);
  join("a", 30, 2000, "3");
  EXPECT_EQ(line(), (Line{"b", "a"})) << "a ticket that was corrected";
  join("a", 30, 2000, "18446744073709551615");
  EXPECT_EQ(told_of("a"), bulk("a 18446744073709551615 2000 " + std::to_string(now_ms_ / 1000)));
}

TEST_F(Joining, ForgetsWhomTheLineForgotAndNotWhoHasTheLock) {
  hold("h");
  wait_in_line("a", 10, 60'000);
  wait_in_line("killed", 20);
  pass("h");
  ASSERT_EQ(given(), bulk("1 a"));
  wait(16'000);
  ASSERT_EQ(line(), Line{});
  ASSERT_EQ(waiters(), 1U) << "of the one who was killed something is left";
  const std::string lasts = left("k:redlock:waiters");
  join("b", 30);
  EXPECT_EQ(line(), Line{"b"});
  EXPECT_EQ(waiters(), 1U) << "only b";
  EXPECT_NE(told_of("b"), "$-1\r\n");
  EXPECT_EQ(given(), bulk("1 a"));
  EXPECT_EQ(left("k:redlock:waiters"), lasts);
}

TEST_F(Joining, KeepsWhatIsKnownOfTheOthersInLine) {
  hold("h");
  wait_in_line("a", 10);
  wait_in_line("b", 20);
  join("a", 10, 1000, "2");
  EXPECT_EQ(waiters(), 2U);
}

TEST_F(Joining, ThatWasOvertakenByALaterOneChangesNothing) {
  hold("h");
  join("a", 10, 1000, "7");
  wait_in_line("b", 20);
  on_pushes();
  EXPECT_EQ(join("a", 30, 2000, "6"), standing(9000, 1));
  EXPECT_EQ(line(), (Line{"a", "b"}));
  EXPECT_EQ(told_of("a"), bulk("a 7 1000 " + std::to_string(now_ms_ / 1000)));
  listen("a");
  pass("h");
  on_pushes();
  EXPECT_EQ(join("a", 10, 2000, "6"), standing(1000, 1)) << "not even where it has the lock";
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(left("k"), ":1000\r\n");
  EXPECT_EQ(on_pushes(), Pushes{});
}

TEST_F(Joining, OfAHolderOfWhomItIsNotKnownWhichWasHisLatestChangesNothing) {
  hold("a", 1000);
  EXPECT_EQ(join("a", 10), standing(1000, 1));
  EXPECT_EQ(line(), Line{});
  run({"HSET", "k:redlock:waiters", "", "1 b"});
  EXPECT_EQ(join("a", 10), standing(1000, 1));
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(left("k"), ":1000\r\n");
}

TEST_F(Joining, SaysBehindWhichJoinTheLockWasGivenForAsLongAsItLasts) {
  join("a", 10, 60'000, "7");
  EXPECT_EQ(given(), bulk("7 a"));
  EXPECT_EQ(left("k:redlock:waiters"), ":60000\r\n");
  wait_in_line("b", 20);
  EXPECT_EQ(left("k:redlock:waiters"), ":60000\r\n");
  EXPECT_EQ(left("k:redlock:line"), ":15000\r\n");
}

TEST_F(Joining, AgainWithTheLockPutsItsTimeAnew) {
  join("a", 10, 1000);
  wait(900);
  EXPECT_EQ(join("a", 10, 1000), kGranted);
  EXPECT_EQ(left("k"), ":1000\r\n");
  wait(100);
  EXPECT_EQ(join("a", 10, 500), kGranted);
  EXPECT_EQ(left("k"), ":500\r\n") << "as asked for, be it less";
  EXPECT_EQ(line(), Line{});
}

TEST_F(Joining, YieldsALockItHasToAnEarlierTicket) {
  join("b", 20);
  wait_in_line("a", 10, 777);
  on_pushes();
  EXPECT_EQ(join("b", 20), standing(777, 0));
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(left("k"), ":777\r\n");
  EXPECT_EQ(line(), Line{"b"});
  EXPECT_EQ(on_pushes(), (Pushes{{"a", "granted 1 a"}}));
}

TEST_F(Joining, KeepsWhatWasHandedToItAndTakesNothingThatIsFree) {
  EXPECT_EQ(keep("a", 10), standing(-2, 0));
  EXPECT_EQ(stored(), kNil);
  hold("h", 700);
  listen("a");
  EXPECT_EQ(keep("a", 10, "2"), standing(700, 0));
  pass("h");
  on_pushes();
  EXPECT_EQ(keep("a", 10, "3"), kGranted);
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(left("k"), ":1000\r\n");
  EXPECT_EQ(given(), bulk("3 a"));
  EXPECT_EQ(line(), Line{});
}

TEST_F(Joining, KeepsNothingThatAnEarlierTicketWaitsFor) {
  join("b", 20);
  wait_in_line("a", 10, 777);
  on_pushes();
  EXPECT_EQ(keep("b", 20, "2"), standing(777, 0));
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(on_pushes(), (Pushes{{"a", "granted 1 a"}}));
}

// A holder whom nobody knows is the one whose late joins change nothing.
TEST_F(Joining, ForgetsTheHolderWhoseLockHadEndedByItself) {
  join("b", 20);
  wait(1001);
  EXPECT_EQ(join_only_to_stand("b", 20, "2"), standing(-2, 0));
  EXPECT_EQ(given(), kNil);
  // A lease that is kept alive repairs its vote again, and an earlier join arrives late.
  hold("b", 700);
  EXPECT_EQ(join("b", 20, 1000, "1"), standing(700, 1));
  EXPECT_EQ(stored(), bulk("b"));
}

TEST_F(Joining, ForgetsTheHolderWhoseTimeIsOverWhenHeJoinsAgain) {
  join("b", 20, 100);
  wait_in_line("c", 30);
  run({"SET", "k", "somebody", "PX", "500"});
  EXPECT_EQ(join("b", 20, 1000, "3"), standing(500, 0));
  EXPECT_EQ(given(), kNil);
  hold("b", 700);
  EXPECT_EQ(join("b", 20, 1000, "2"), standing(700, 1));
  EXPECT_EQ(stored(), bulk("b"));
}

// An extend counts the vote: a later join that comes behind it, on another connection, is too late.
TEST_F(Joining, ThatComesBehindAnExtendYieldsNothing) {
  join("b", 20);
  wait_in_line("a", 10, 777);
  EXPECT_EQ(run(scripts::extend_if_equal, {"b", "5000"}), kYes);
  EXPECT_EQ(join("b", 20, 1000, "2"), standing(5000, 1));
  EXPECT_EQ(stored(), bulk("b"));
}

// So does what takes several with a token that was handed over: it counts the vote.
TEST_F(Joining, ThatComesBehindWhatTookAllWithTheHandedTokenYieldsNothing) {
  join("b", 20);
  wait_in_line("a", 10, 777);
  EXPECT_EQ(run({"EVAL", scripts::set_all_if_absent.text, "2", "k", "other", "b", "5000"}),
            "+OK\r\n");
  EXPECT_EQ(join("b", 20, 1000, "2"), standing(5000, 1));
  EXPECT_EQ(stored(), bulk("b"));
}

// The servers forget behind which join it was given, so a late one of the old token is like any
// that waits; and one of the new token, which nobody sends, would find a holder of whom nothing is
// known.
TEST_F(Joining, ThatComesBehindASwapTakesNothingFromTheFreshToken) {
  join("b", 20);
  wait_in_line("a", 10, 777);
  EXPECT_EQ(run(scripts::swap_if_equal, {"b", "fresh", "5000"}), kYes);
  EXPECT_EQ(run({"HGET", "k:redlock:waiters", ""}), kNil);
  EXPECT_EQ(join("b", 20, 1000, "2"), standing(5000, 1));
  EXPECT_EQ(stored(), bulk("fresh"));
}

TEST_F(Joining, OfAHolderThatStandsInLineYetIsOverWithItsToken) {
  join_only_to_stand("a", 10);
  hold("a");
  ASSERT_NE(run({"ZRANK", "k:redlock:line", "a"}), kNil);
  EXPECT_EQ(run(scripts::swap_if_equal, {"a", "fresh", "5000"}), kYes);
  EXPECT_EQ(run({"ZRANK", "k:redlock:line", "a"}), kNil);
  EXPECT_EQ(run({"HGET", "k:redlock:waiters", "a"}), kNil);
}

TEST_F(Joining, ThatComesBehindAVoteThatWasRepairedAgainYieldsNothing) {
  join("b", 20);
  run({"DEL", "k"});
  EXPECT_EQ(run(scripts::extend_if_equal, {"b", "5000"}), kNo);
  wait_in_line("a", 10, 777);
  run({"DEL", "k"});
  hold("b");
  EXPECT_EQ(join("b", 20, 1000, "2"), standing(9000, 1));
  EXPECT_EQ(stored(), bulk("b"));
}

TEST_F(Joining, TellsHowLongAKeyOfOthersLivesHoweverLongThatIs) {
  run({"SET", "k", "x", "PX", "1000000000000000"});
  EXPECT_EQ(join("a", 10), standing(1'000'000'000'000'000, 0));
}

TEST_F(Joining, YieldsNothingToALaterTicket) {
  join("a", 10);
  wait_in_line("b", 20);
  EXPECT_EQ(join("a", 10), kGranted);
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(line(), Line{"b"});
}

TEST_F(Joining, LeavesAnAbsentLockToAnEarlierTicket) {
  hold("h", 100);
  wait_in_line("a", 10, 500);
  wait(101);
  EXPECT_EQ(join("b", 20), standing(500, 0));
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(on_pushes(), (Pushes{{"a", "granted 1 a"}}));
}

TEST_F(Joining, OnlyToStandLeavesAnAbsentLockToTheNextWhoRemovesOrTakes) {
  listen("a");
  EXPECT_EQ(join_only_to_stand("a", 10), standing(-2, 0));
  EXPECT_EQ(stored(), kNil);
  EXPECT_EQ(line(), Line{"a"});
  // What somebody gives back is his all the same.
  EXPECT_EQ(pass("somebody"), kNo);
  EXPECT_EQ(stored(), bulk("a"));
  EXPECT_EQ(on_pushes(), (Pushes{{"a", "granted 1 a"}}));
}

TEST_F(Joining, OnlyToStandGivesBackWhatItHasAndServesNobody) {
  join("a", 10);
  wait_in_line("b", 20);
  on_pushes();
  EXPECT_EQ(join_only_to_stand("a", 10), standing(-2, 0));
  EXPECT_EQ(stored(), kNil);
  EXPECT_EQ(line(), (Line{"a", "b"}));
  EXPECT_EQ(on_pushes(), Pushes{});
  // Who repaired it there has it.
  hold("h", 700);
  EXPECT_EQ(join("a", 10), standing(700, 0));
}

TEST_F(Joining, TakesAnAbsentLockPastThoseWhoCannotBeReached) {
  hold("h", 100);
  join("a", 10);
  join("b", 11);
  wait(101);
  EXPECT_EQ(join("c", 20), kGranted);
  EXPECT_EQ(line(), Line{});
  EXPECT_EQ(waiters(), 0U);
}

// Left out, everybody behind waits for a word that nobody says.
TEST_F(Joining, TellsTheNextWhenItTakesAnAbsentLock) {
  hold("h", 100);
  wait_in_line("b", 20);
  on_pushes();
  wait(101);
  EXPECT_EQ(join("a", 10, 600), kGranted);
  EXPECT_EQ(on_pushes(), (Pushes{{"b", "next 600 b"}}));
  EXPECT_EQ(line(), Line{"b"});
}

TEST_F(Joining, TellsTheNextWhenItYields) {
  join("b", 20);
  wait_in_line("a", 10, 600);
  wait_in_line("c", 15);
  on_pushes();
  join("b", 20);
  EXPECT_EQ(on_pushes(), (Pushes{{"c", "next 600 c"}, {"a", "granted 1 a"}}));
}

TEST_F(Joining, StrikesOutNeighboursThatWereNotHeardOf) {
  hold("h", 60'000);
  for (const char* token : {"a", "b", "d", "e"}) wait_in_line(token, token[0]);
  wait(14'000);
  join("c", 'c');
  EXPECT_EQ(line(), (Line{"a", "b", "c", "d", "e"}));
  wait(1'000);
  EXPECT_EQ(join("c", 'c'), standing(45'000, 0));
  EXPECT_EQ(line(), Line{"c"});
  EXPECT_EQ(waiters(), 1U);
}

TEST_F(Joining, StrikesOutNobodyWhoWasHeardOfNorBeyondHim) {
  hold("h", 60'000);
  for (const char* token : {"a", "b", "d", "e"}) wait_in_line(token, token[0]);
  wait(14'000);
  join("b", 'b');
  join("d", 'd');
  wait(1'000);
  join("c", 'c');
  EXPECT_EQ(line(), (Line{"a", "b", "c", "d", "e"}));
}

TEST_F(Joining, LetsBothKeysExpireFifteenSecondsAfterTheLastJoin) {
  hold("h", 60'000);
  join("a", 10);
  wait(14'999);
  EXPECT_EQ(left("k:redlock:line"), ":1\r\n");
  EXPECT_EQ(left("k:redlock:waiters"), ":1\r\n");
  join("b", 20);
  EXPECT_EQ(left("k:redlock:line"), ":15000\r\n");
  EXPECT_EQ(left("k:redlock:waiters"), ":15000\r\n");
  wait(15'001);
  EXPECT_EQ(left("k:redlock:line"), ":-2\r\n");
  EXPECT_EQ(left("k:redlock:waiters"), ":-2\r\n");
}

TEST_F(Joining, OverwritesNothingThatIsNoLockAndSaysWhatIsLeftOfIt) {
  run({"HSET", "k", "f", "v"});
  EXPECT_EQ(join("a", 10), standing(-1, 0));
  EXPECT_EQ(run({"HGET", "k", "f"}), bulk("v"));
  run({"DEL", "k"});
  run({"SET", "k", "for ever"});
  EXPECT_EQ(join("a", 10), standing(-1, 0));
  EXPECT_EQ(stored(), bulk("for ever"));
}

TEST_F(Joining, IsRefusedWhereTheLineIsNone) {
  for (const char* key : {"k:redlock:line", "k:redlock:waiters"}) {
    hold("h");
    run({"SET", key, "x"});
    EXPECT_EQ(join("a", 10).substr(0, 10), "-ERR a key") << key;
    EXPECT_EQ(stored(), bulk("h"));
    run({"DEL", key});
    EXPECT_EQ(line(), Line{});
  }
}

TEST_F(Joining, IsRefusedWhereNobodyMayBeTold) {
  hold("h");
  server_.conditions().no_channels = true;
  EXPECT_THAT(join("a", 10), testing::HasSubstr("can't publish"));
  EXPECT_EQ(line(), Line{});
  EXPECT_EQ(waiters(), 0U);
}

TEST_F(Joining, TakesNothingThatWasNotGivenForWantOfMemory) {
  server_.conditions().out_of_memory = true;
  EXPECT_EQ(join("a", 10).substr(0, 4), "-OOM");
  EXPECT_EQ(stored(), kNil);
  EXPECT_EQ(line(), Line{});
}

}  // namespace
}  // namespace redlock::sim::join_rules_test
