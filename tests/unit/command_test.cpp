// What commands do to their keys, and that the compiler refuses a take without an undo.
#include "redlock/algorithm/command.hpp"

#include <gtest/gtest.h>

namespace redlock::command_test {
namespace {

const Resource kKey("k");
const Token kToken("7");

// What takes and cannot be undone, or is undone by something that removes nothing.
struct TakeForGood {
  static constexpr CommandTraits kTraits{.effect = Effect::acquires};
  [[nodiscard]] LockName lock() const { return {}; }
};
struct TakeUndoneByAQuestion : TakeForGood {
  [[nodiscard]] CheckEqual undo() const { return {Resource("r"), Token("t")}; }
};
struct TakeUndoneByARemoval : TakeForGood {
  [[nodiscard]] ReleaseAndHandOver undo() const { return {Resource("r"), Token("t")}; }
};
struct RemovalOnce {
  static constexpr CommandTraits kTraits{.effect = Effect::removes};
  [[nodiscard]] LockName lock() const { return {}; }
};

TEST(Rule12WhatTakesHasAnUndo, OrTheCompilerRefusesIt) {
  static_assert(!IsCommand<TakeForGood>);
  static_assert(!IsCommand<TakeUndoneByAQuestion>);
  static_assert(IsCommand<TakeUndoneByARemoval>);
}

TEST(Rule12WhatTakesHasAnUndo, AndWhatRemovesCanBeSentOnceMore) {
  static_assert(!IsCommand<RemovalOnce>);
  static_assert(IsCommand<StampRelease>);
}

struct QuestionThatHandsOver {
  static constexpr CommandTraits kTraits{.effect = Effect::asks, .hands_over = true};
  [[nodiscard]] LockName lock() const { return {}; }
};
struct RemovalThatEnqueues {
  static constexpr CommandTraits kTraits{.effect = Effect::removes, .enqueues = true};
  [[nodiscard]] LockName lock() const { return {}; }
  [[nodiscard]] RemovalThatEnqueues again() const { return *this; }
};

TEST(TraitsOf, ACommandThatContradictsItselfIsNone) {
  static_assert(!IsCommand<QuestionThatHandsOver>);
  static_assert(!IsCommand<RemovalThatEnqueues>);
}

TEST(TraitsOf, OnlyAnEnqueueLeavesEntriesAndOnlyItsReleaseHandsOver) {
  const Enqueue enqueue{kKey, kToken, {}, {}};
  EXPECT_TRUE(traits_of(enqueue).enqueues);
  EXPECT_FALSE(traits_of(SetIfAbsent{kKey, kToken, {}}).enqueues);
  EXPECT_TRUE(traits_of(*undo_of(enqueue)).hands_over);
  EXPECT_FALSE(traits_of(StampUndo{kKey, kToken}).hands_over);
}

TEST(TraitsOf, WhatTheServerHasACommandForNeedsNoScript) {
  EXPECT_FALSE(traits_of(SetIfAbsent{kKey, kToken, {}}).needs_script);
  EXPECT_FALSE(traits_of(CheckEndless{kKey}).needs_script);
  EXPECT_TRUE(traits_of(ReleaseAndHandOver{kKey, kToken}).needs_script);
}

TEST(EffectOf, EveryCommandSaysWhatItDoes) {
  EXPECT_TRUE(is_acquisition(SetIfAbsent{kKey, kToken, {}}));
  EXPECT_TRUE(is_acquisition(StampAcquire{kKey, kToken, {}}));
  EXPECT_TRUE(is_removal(ReleaseAndHandOver{kKey, kToken}));
  EXPECT_TRUE(is_removal(StampUndo{kKey, kToken}));
  EXPECT_TRUE(is_removal(StampRelease{kKey, kToken, {}}));
  EXPECT_EQ(traits_of(ExtendIfEqual{kKey, kToken, {}}).effect, Effect::prolongs);
  EXPECT_EQ(traits_of(RotateIfEqual{kKey, Token("old"), kToken, {}}).effect, Effect::acquires);
  EXPECT_EQ(traits_of(CheckEqual{kKey, kToken}).effect, Effect::asks);
  EXPECT_EQ(traits_of(CheckEndless{kKey}).effect, Effect::asks);
  EXPECT_EQ(traits_of(Inspect{kKey}).effect, Effect::asks);
  EXPECT_EQ(traits_of(StampCheck{kKey, kToken}).effect, Effect::asks);
}

TEST(UndoOf, ATakenLockIsUndoneByItsOwnToken) {
  const auto quorum = undo_of(SetIfAbsent{kKey, kToken, Duration::ms(5)});
  ASSERT_TRUE(quorum);
  EXPECT_EQ(std::get<ReleaseAndHandOver>(*quorum).resources, kKey);
  EXPECT_EQ(std::get<ReleaseAndHandOver>(*quorum).token, kToken);
  EXPECT_FALSE(std::get<ReleaseAndHandOver>(*quorum).hands_over) << "what was free is free again";
  const auto stamp = undo_of(StampAcquire{kKey, kToken, Duration::ms(5)});
  ASSERT_TRUE(stamp);
  EXPECT_EQ(std::get<StampUndo>(*stamp).token, kToken);
}

TEST(UndoOf, QuestionsLeaveNothingBehind) {
  EXPECT_FALSE(undo_of(CheckEqual{kKey, kToken}));
  EXPECT_FALSE(undo_of(StampCheck{kKey, Token("1.2")}));
  EXPECT_FALSE(undo_of(CheckEndless{kKey}));
  EXPECT_FALSE(undo_of(Inspect{kKey}));
  EXPECT_FALSE(undo_of(ExtendIfEqual{kKey, kToken, Duration::ms(5)}));
}

TEST(UndoOf, ASwapIsUndoneByTheFreshTokenAndLeavesTheOldOneAlone) {
  const RotateIfEqual swap{kKey, Token("old"), kToken, Duration::ms(5)};
  EXPECT_EQ(std::get<ReleaseAndHandOver>(*undo_of(swap)).token, kToken);
  EXPECT_TRUE(std::get<ReleaseAndHandOver>(*undo_of(swap)).hands_over);
  EXPECT_EQ(lock_name(Command(swap)), lock_name(*undo_of(swap)));
}

TEST(ATake, IsTriedAgainWithAnotherTokenUnlessItIsTheOnlyChance) {
  EXPECT_TRUE(traits_of(SetIfAbsent{kKey, kToken, {}}).is_retried());
  EXPECT_FALSE(traits_of(RotateIfEqual{kKey, Token("old"), kToken, {}}).is_retried());
  EXPECT_FALSE(traits_of(ReleaseAndHandOver{kKey, kToken}).is_retried());
}

TEST(UndoOf, ARemovalThatWentUnansweredIsRepeated) {
  EXPECT_TRUE(
      std::holds_alternative<ReleaseAndHandOver>(*undo_of(ReleaseAndHandOver{kKey, kToken})));
  EXPECT_TRUE(std::holds_alternative<StampUndo>(*undo_of(StampUndo{kKey, kToken})));
}

TEST(UndoOf, ARepeatedStampReleaseProvesOwnershipExactly) {
  const StampRelease mixed{kKey, Token("1.2"), {}, StampUnit::seconds, StampProof::exact_or_plain};
  const auto repeated = undo_of(mixed);
  ASSERT_TRUE(repeated);
  EXPECT_EQ(std::get<StampRelease>(*repeated).stamp, Token("1.2"));
  EXPECT_EQ(std::get<StampRelease>(*repeated).unit, StampUnit::seconds);
  EXPECT_EQ(std::get<StampRelease>(*repeated).proof, StampProof::exact);
}

TEST(LockName, JoinsATakeAndItsUndoAndNothingElse) {
  EXPECT_EQ(lock_name(SetIfAbsent{kKey, kToken, {}}), lock_name(ReleaseAndHandOver{kKey, kToken}));
  EXPECT_EQ(lock_name(StampAcquire{kKey, kToken, {}}), lock_name(StampUndo{kKey, kToken}));
  EXPECT_NE(lock_name(SetIfAbsent{kKey, kToken, {}}),
            lock_name(ReleaseAndHandOver{kKey, Token("other")}));
  EXPECT_NE(lock_name(SetIfAbsent{kKey, kToken, {}}),
            lock_name(ReleaseAndHandOver{Resource("other"), kToken}));
}

TEST(LockName, OfSeveralKeysDiffersWhereOneDoes) {
  const Resource both[] = {kKey, Resource("l")};
  const Resource others[] = {kKey, Resource("m")};
  EXPECT_EQ((LockName{both, "7"}), (LockName{both, "7"}));
  EXPECT_NE((LockName{both, "7"}), (LockName{others, "7"}));
  EXPECT_NE((LockName{both, "7"}), (LockName{{both, 1}, "7"}));
  EXPECT_LT((LockName{{both, 1}, "7"}), (LockName{{both, 1}, "8"}));
}

}  // namespace
}  // namespace redlock::command_test
