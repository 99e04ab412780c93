// What nodes say of a lock, and what a majority says.
#include "redlock/algorithm/holding.hpp"

#include <gtest/gtest.h>

namespace redlock {
namespace {

NodeReport says(std::string text) { return {true, Reply::granted(std::move(text))}; }
NodeReport absent() { return {true, Reply::denied()}; }
NodeReport silent() { return {true, Reply::unknown(Fault::timeout, "no answer in time")}; }

TEST(Holding, IsReadWithTheTimeThatIsLeft) {
  const auto holding = holding_of(says("1500 owner with blanks"));
  ASSERT_TRUE(holding);
  EXPECT_EQ(holding->token, Token("owner with blanks"));
  EXPECT_EQ(holding->left, Duration::ms(1'500));
}

TEST(Holding, WithoutAnEndHasNoTimeLeft) {
  const auto holding = holding_of(says("-1 x"));
  ASSERT_TRUE(holding);
  EXPECT_EQ(holding->left, std::nullopt);
}

TEST(Holding, ThatExpiredMeanwhileHasNothingLeft) {
  EXPECT_EQ(holding_of(says("-2 x"))->left, Duration());
}

TEST(Holding, OfNothingOrNonsenseIsNone) {
  EXPECT_FALSE(holding_of(absent()));
  EXPECT_FALSE(holding_of(silent()));
  EXPECT_FALSE(holding_of(NodeReport{}));
  for (const char* text : {"", "x", "12", "12x y", " 12 y"})
    EXPECT_FALSE(holding_of(says(text))) << text;
}

TEST(MajorityHolding, NeedsAMajorityOfAllNodesAndNotOfThoseThatAnswered) {
  EXPECT_FALSE(majority_holding({says("10 a"), silent(), silent()}));
  EXPECT_FALSE(majority_holding({says("10 a"), says("10 b"), absent()}));
  EXPECT_EQ(majority_holding({says("10 a"), silent(), says("20 a")})->token, Token("a"));
}

TEST(MajorityHolding, LastsUntilTooFewAreLeft) {
  EXPECT_EQ(majority_holding({says("10 a"), says("30 a"), says("20 a")})->left, Duration::ms(20));
  EXPECT_EQ(majority_holding({says("-1 a"), says("30 a"), absent()})->left, Duration::ms(30));
  EXPECT_EQ(majority_holding({says("-1 a"), says("-1 a"), says("5 a")})->left, std::nullopt);
}

}  // namespace
}  // namespace redlock
