// What commands do to their keys, and that the compiler refuses a take without an undo.
#include "redlock/algorithm/command.hpp"

#include <gtest/gtest.h>

namespace redlock {
namespace {

const Resource kKey("k");
const Token kToken("7");

// What takes and cannot be undone, or is undone by something that removes nothing.
struct TakeForGood {
  static constexpr Effect kEffect = Effect::takes;
  [[nodiscard]] LockName lock() const { return {}; }
};
struct TakeUndoneByAQuestion : TakeForGood {
  [[nodiscard]] CheckEqual undo() const { return {Resource("r"), Token("t")}; }
};
struct TakeUndoneByARemoval : TakeForGood {
  [[nodiscard]] ReleaseAndHandOver undo() const { return {Resource("r"), Token("t")}; }
};
struct RemovalOnce {
  static constexpr Effect kEffect = Effect::removes;
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

TEST(EffectOf, EveryCommandSaysWhatItDoes) {
  EXPECT_TRUE(is_take(SetIfAbsent{kKey, kToken, {}}));
  EXPECT_TRUE(is_take(StampTake{kKey, kToken, {}}));
  EXPECT_TRUE(is_removal(ReleaseAndHandOver{kKey, kToken}));
  EXPECT_TRUE(is_removal(StampUndo{kKey, kToken}));
  EXPECT_TRUE(is_removal(StampRelease{kKey, kToken, {}}));
  EXPECT_EQ(effect_of(ExtendIfEqual{kKey, kToken, {}}), Effect::prolongs);
  EXPECT_EQ(effect_of(RotateIfEqual{kKey, Token("old"), kToken, {}}), Effect::takes);
  EXPECT_EQ(effect_of(CheckEqual{kKey, kToken}), Effect::asks);
  EXPECT_EQ(effect_of(CheckEndless{kKey}), Effect::asks);
  EXPECT_EQ(effect_of(Inspect{kKey}), Effect::asks);
  EXPECT_EQ(effect_of(StampCheck{kKey, kToken}), Effect::asks);
}

TEST(UndoOf, ATakenLockIsUndoneByItsOwnToken) {
  const auto quorum = undo_of(SetIfAbsent{kKey, kToken, Duration::ms(5)});
  ASSERT_TRUE(quorum);
  EXPECT_EQ(std::get<ReleaseAndHandOver>(*quorum).resources, kKey);
  EXPECT_EQ(std::get<ReleaseAndHandOver>(*quorum).token, kToken);
  EXPECT_FALSE(std::get<ReleaseAndHandOver>(*quorum).hands_over) << "what was free is free again";
  const auto stamp = undo_of(StampTake{kKey, kToken, Duration::ms(5)});
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
  EXPECT_TRUE(is_retried_take(SetIfAbsent{kKey, kToken, {}}));
  EXPECT_FALSE(is_retried_take(RotateIfEqual{kKey, Token("old"), kToken, {}}));
  EXPECT_FALSE(is_retried_take(ReleaseAndHandOver{kKey, kToken}));
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
  EXPECT_EQ(lock_name(StampTake{kKey, kToken, {}}), lock_name(StampUndo{kKey, kToken}));
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
}  // namespace redlock
