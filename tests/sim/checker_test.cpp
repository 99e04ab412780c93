// The checker reports what must not be, and nothing else.
#include <gtest/gtest.h>

#include "redlock/wire/scripts.hpp"
#include "sim/checker_fixture.hpp"

namespace redlock::sim {
namespace {

TEST_F(CheckerTest, AnOrdinaryLockViolatesNothing) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  go_to(50);
  checker_.given_up(0);
  for (std::uint32_t server = 0; server < 3; ++server) remove(0, server);
  set_everywhere(1, "b", 100);
  checker_.granted(1, "b", 147 * kMs);
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(CheckerTest, TwoHoldersAreSeen) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  keyspaces_ = {};
  set_everywhere(1, "b", 100);
  checker_.granted(1, "b", 97 * kMs);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::two_holders});
}

TEST_F(CheckerTest, ASecondHolderAtTheFirstsDeadlineIsNoViolation) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  keyspaces_ = {};
  go_to(97);
  set_everywhere(1, "b", 100);
  checker_.granted(1, "b", 150 * kMs);
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(CheckerTest, ValidityPastTheMajoritysExpiryIsSeen) {
  set(0, 0, "a", 100);
  set(0, 1, "a", 40);
  checker_.granted(0, "a", 97 * kMs);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::validity_beyond_expiry});
}

TEST_F(CheckerTest, AMajorityThatNeverWasIsSeen) {
  set(0, 0, "a", 100);
  checker_.granted(0, "a", 0);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::no_distinct_majority});
}

TEST_F(CheckerTest, RemovingAForeignLockIsSeen) {
  set(0, 0, "a", 100);
  remove(1, 0);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::foreign_removed});
}

TEST_F(CheckerTest, RemovingAMinoritysVoteOfAHeldLockIsNoViolation) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  remove(0, 2);
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(CheckerTest, RemovingAMajoritysVoteOfAHeldLockIsSeen) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  remove(0, 2);
  remove(0, 1);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::held_majority_lost});
}

TEST_F(CheckerTest, AKeyWithoutAnExpiryIsSeen) {
  const Entry entry{0, "lock", "a", ValueType::string, std::nullopt};
  checker_.key_changes(0, 0, nullptr, &entry);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::no_expiry});
}

TEST_F(CheckerTest, OverwritingALiveLockIsSeen) {
  set(0, 0, "a", 100);
  set(1, 0, "b", 100);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::live_overwritten});
}

TEST_F(CheckerTest, AKeyThatOutlivesItsTtlAndDriftIsSeen) {
  set(0, 0, "a", 100);
  clock_.step(0, -1000 * kMs);
  go_to(105);
  EXPECT_EQ(kinds(), Kinds{});
  go_to(106);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::outlives_ttl});
}

TEST_F(CheckerTest, AKeyThatWasGivenMoreTimeThanItsClientWantedIsSeen) {
  plan_.clients[0].ttl_ms = 100;
  set(0, 0, "a", 1000);
  go_to(105);
  EXPECT_EQ(kinds(), Kinds{});
  go_to(106);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::outlives_ttl});
}

TEST_F(CheckerTest, AKeyOfAFailedAttemptIsSeen) {
  set(0, 0, "a", 100);
  checker_.check_undone(1, false);
  EXPECT_EQ(kinds(), Kinds{});
  checker_.check_undone(0, false);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::undone_late});
}

TEST_F(CheckerTest, AKeyOfAReleasedLockIsSeen) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  checker_.given_up(0);
  remove(0, 0);
  remove(0, 1);
  checker_.check_undone(0, true);
  EXPECT_EQ(kinds(), Kinds{});
  checker_.check_undone(0, false);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::release_late});
}

TEST_F(CheckerTest, AReleaseThatWasConfirmedAndHasRemovedNoMajorityIsSeen) {
  set_everywhere(0, "a", 100);
  remove(0, 0);
  remove(0, 1);
  Outcome outcome;
  outcome.decision = Decision::granted;
  checker_.reported(0, Verb::release, "a", outcome);
  EXPECT_EQ(kinds(), Kinds{});
  set(0, 0, "a", 100);
  checker_.reported(0, Verb::release, "a", outcome);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::left_behind});
}

TEST(CheckerCommandsTest, EveryScriptOfTheLocksIsKnownByTextAndByName) {
  using namespace scripts;
  for (const Script* script : {&pass, &extend_if_equal, &check_equal, &stamp_take, &stamp_undo,
                               &stamp_release, &stamp_check}) {
    for (const bool by_text : {true, false}) {
      const Deed deed = deed_of({by_text ? "EVAL" : "EVALSHA",
                                 by_text ? script->text : script->sha1, "1", "lock", "4", "5"});
      EXPECT_NE(deed.verb, Verb::count) << script->text;
      EXPECT_EQ(deed.key, "lock");
      EXPECT_EQ(deed.token, script == &stamp_take ? "5" : "4");
    }
  }
}

TEST(CheckerCommandsTest, AnotherScriptIsNothingThatIsFollowed) {
  EXPECT_EQ(deed_of({"EVAL", "return 1", "1", "lock", "4"}).verb, Verb::count);
}

TEST_F(CheckerTest, AnAnswerTakenForAnothersIsSeen) {
  set(0, 0, "a", 100);
  Outcome outcome;
  outcome.nodes.resize(3);
  outcome.nodes[0] = {true, Reply::granted()};
  checker_.reported(0, Verb::take, "a", outcome);
  EXPECT_EQ(kinds(), Kinds{});
  outcome.nodes[1] = {true, Reply::granted()};
  checker_.reported(0, Verb::take, "a", outcome);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::wrong_reply});
}

TEST_F(CheckerTest, ACallPastItsBudgetIsSeen) {
  checker_.returned(0, 20 * kMs, 0, 20 * kMs);
  checker_.returned(0, 25 * kMs, 5 * kMs, 20 * kMs);
  EXPECT_EQ(kinds(), Kinds{});
  checker_.returned(0, 21 * kMs, 0, 20 * kMs);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::over_budget});
}

}  // namespace
}  // namespace redlock::sim
