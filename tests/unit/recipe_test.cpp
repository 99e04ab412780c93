// What the two kinds of lock send, and how long they may be trusted.
#include <gtest/gtest.h>

#include "redlock/algorithm/quorum_recipe.hpp"
#include "redlock/algorithm/stamp_recipe.hpp"
#include "redlock/algorithm/validity.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock {
namespace {

const Resource kResource("r");
const Token kToken("7");

TEST(QuorumRecipe, TakesWithTheTokenAndUndoesThatVeryToken) {
  const QuorumRecipe recipe(kResource, Duration::ms(500), 0.01);
  const Command take = recipe.take(kToken);
  const Command undo = recipe.undo(kToken);
  EXPECT_EQ(std::get<SetIfAbsent>(take).resource, kResource);
  EXPECT_EQ(std::get<SetIfAbsent>(take).token, kToken);
  EXPECT_EQ(std::get<SetIfAbsent>(take).ttl, Duration::ms(500));
  EXPECT_EQ(std::get<DeleteIfEqual>(undo).resource, kResource);
  EXPECT_EQ(std::get<DeleteIfEqual>(undo).token, kToken);
}

TEST(QuorumRecipe, TrustsTheFormula) {
  const QuorumRecipe recipe(kResource, Duration::ms(500), 0.02);
  EXPECT_EQ(recipe.validity(Duration::ms(9)),
            validity_of(Duration::ms(500), Duration::ms(9), 0.02));
}

TEST(QuorumRecipe, DrawsAnUnguessableToken) {
  test::SeededEntropy entropy;
  const QuorumRecipe recipe(kResource, Duration::ms(500), 0.01);
  EXPECT_EQ(recipe.fresh_token(entropy).view().size(), 2 * kTokenRandomBytes);
}

TEST(StampRecipe, TheStampLastsForLeaseAndBuffer) {
  const StampRecipe recipe(kResource, Duration::ms(500), Duration::ms(3), 0, StampUnit::seconds);
  const Command take = recipe.take(kToken);
  EXPECT_EQ(std::get<StampTake>(take).key, kResource);
  EXPECT_EQ(std::get<StampTake>(take).token, kToken);
  EXPECT_EQ(std::get<StampTake>(take).lease, Duration::ms(503));
  EXPECT_EQ(std::get<StampTake>(take).unit, StampUnit::seconds);
}

TEST(StampRecipe, TheHolderTrustsTheLeaseWithoutTheBuffer) {
  const StampRecipe recipe(kResource, Duration::ms(500), Duration::ms(3), 0,
                           StampUnit::milliseconds);
  EXPECT_EQ(recipe.validity(Duration::ms(20)), Duration::ms(480));
  EXPECT_LE(recipe.validity(Duration::ms(500)), Duration());
}

TEST(StampRecipe, TheHolderTrustsTheLeaseLessItsShareOfDriftAndNoFloor) {
  const StampRecipe recipe(kResource, Duration::seconds(20), Duration::ms(1), 0.01,
                           StampUnit::milliseconds);
  EXPECT_EQ(recipe.validity(Duration()), Duration::ms(19'800));
  EXPECT_EQ(recipe.validity(Duration::ms(19'799)), Duration::ms(1));
  EXPECT_LE(recipe.validity(Duration::ms(19'800)), Duration());
  const StampRecipe shortest(kResource, Duration::ms(1), Duration(), 0.01, StampUnit::milliseconds);
  EXPECT_EQ(shortest.validity(Duration()), Duration::us(990));
}

TEST(StampRecipe, AServerKeepsItForLeaseAndBufferAndWhatTheClocksDifferBy) {
  const StampRecipe recipe(kResource, Duration::ms(900), Duration::ms(100), 0.01,
                           StampUnit::milliseconds);
  EXPECT_EQ(recipe.life_max(), longest_life(Duration::ms(1'000), 0.01));
}

TEST(StampRecipe, UndoesByTheFractionAlone) {
  const StampRecipe recipe(kResource, Duration::ms(500), Duration(), 0.01, StampUnit::milliseconds);
  const Command undo = recipe.undo(kToken);
  EXPECT_EQ(std::get<StampUndo>(undo).key, kResource);
  EXPECT_EQ(std::get<StampUndo>(undo).token, kToken);
}

TEST(StampRecipe, TheFractionIsDecimalAndCarriesAtLeast64Bits) {
  test::SeededEntropy entropy;
  const StampRecipe recipe(kResource, Duration::ms(500), Duration(), 0.01, StampUnit::milliseconds);
  const Token fraction = recipe.fresh_token(entropy);
  EXPECT_GE(fraction.view().size(), 20U);
  EXPECT_EQ(fraction.view().find_first_not_of("0123456789"), std::string_view::npos);
}

}  // namespace
}  // namespace redlock
