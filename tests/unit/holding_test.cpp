// What nodes say of a lock and of those who wait for it, and what a majority says.
#include "redlock/algorithm/holding.hpp"

#include <gtest/gtest.h>

namespace redlock {
namespace {

NodeReport says(std::string text) { return {true, Reply::granted(std::move(text))}; }
NodeReport free_with(std::string waiters) { return {true, Reply::denied(std::move(waiters))}; }
NodeReport absent() { return {true, Reply::denied()}; }
NodeReport silent() { return {true, Reply::unknown(Fault::timeout, "no answer in time")}; }

TEST(Holding, IsReadWithTheTimeThatIsLeft) {
  const auto holding = holding_of(says("1500 2 owner with blanks"));
  ASSERT_TRUE(holding);
  EXPECT_EQ(holding->token, Token("owner with blanks"));
  EXPECT_EQ(holding->left, Duration::ms(1'500));
}

TEST(Holding, WithoutAnEndHasNoTimeLeft) {
  const auto holding = holding_of(says("-1 0 x"));
  ASSERT_TRUE(holding);
  EXPECT_EQ(holding->left, std::nullopt);
}

TEST(Holding, ThatExpiredMeanwhileHasNothingLeft) {
  EXPECT_EQ(holding_of(says("-2 0 x"))->left, Duration());
}

TEST(Holding, OfNothingOrNonsenseIsNone) {
  EXPECT_FALSE(holding_of(absent()));
  EXPECT_FALSE(holding_of(silent()));
  EXPECT_FALSE(holding_of(NodeReport{}));
  for (const char* text : {"", "x", "12", "12 ", "12 y", "12x 0 y", "12 0x y", " 12 0 y"})
    EXPECT_FALSE(holding_of(says(text))) << text;
}

TEST(MajorityHolding, NeedsAMajorityOfAllNodesAndNotOfThoseThatAnswered) {
  EXPECT_FALSE(majority_holding({says("10 0 a"), silent(), silent()}));
  EXPECT_FALSE(majority_holding({says("10 0 a"), says("10 0 b"), absent()}));
  EXPECT_EQ(majority_holding({says("10 0 a"), silent(), says("20 0 a")})->token, Token("a"));
}

TEST(MajorityHolding, LastsUntilTooFewAreLeft) {
  EXPECT_EQ(majority_holding({says("10 0 a"), says("30 0 a"), says("20 0 a")})->left,
            Duration::ms(20));
  EXPECT_EQ(majority_holding({says("-1 0 a"), says("30 0 a"), absent()})->left, Duration::ms(30));
  EXPECT_EQ(majority_holding({says("-1 0 a"), says("-1 0 a"), says("5 0 a")})->left, std::nullopt);
}

TEST(Waiters, AreToldWhereSomethingStandsAndWhereNothingDoes) {
  EXPECT_EQ(waiters_of(says("1500 3 a")), 3);
  EXPECT_EQ(waiters_of(free_with("2")), 2);
  EXPECT_EQ(waiters_of(free_with("0")), 0);
}

TEST(Waiters, ThatNobodyCountedAreNotKnown) {
  EXPECT_EQ(waiters_of(says("1500 -1 a")), std::nullopt);
  EXPECT_EQ(waiters_of(free_with("-1")), std::nullopt);
  EXPECT_EQ(waiters_of(silent()), std::nullopt);
  EXPECT_EQ(waiters_of(NodeReport{}), std::nullopt);
  EXPECT_EQ(waiters_of(says("1500")), std::nullopt);
  EXPECT_EQ(waiters_of(absent()), std::nullopt);
}

TEST(MajorityWaiters, AreAtLeastSoManyAtAMajorityOfAllNodes) {
  EXPECT_EQ(majority_waiters({says("10 3 a"), says("10 1 a"), free_with("2")}), 2);
  EXPECT_EQ(majority_waiters({says("10 3 a"), silent(), free_with("2")}), 2);
  EXPECT_EQ(majority_waiters({says("10 3 a"), silent(), silent()}), std::nullopt);
  EXPECT_EQ(majority_waiters({says("10 3 a"), says("10 -1 a"), silent()}), std::nullopt);
  EXPECT_EQ(majority_waiters({free_with("0")}), 0);
}

}  // namespace
}  // namespace redlock
