// What nodes say of a lock and of those who wait for it, and what a majority says.
#include "redlock/algorithm/holding.hpp"

#include <gtest/gtest.h>

#include "redlock/wire/translate.hpp"

namespace redlock::holding_test {
namespace {

// What a node's server says to an Inspect.
NodeReport says(std::string text) {
  return {true, reply_to(Inspect{Resource("r")}, {RespKind::bulk, 0, std::move(text)}).value()};
}
NodeReport free_with(const std::string& waiters) { return says("-2 " + waiters + " 0 "); }
NodeReport absent() { return {true, Reply::denied()}; }
NodeReport foreign() { return {true, Reply::unknown(Fault::foreign, "the key has another type")}; }
NodeReport silent() { return {true, Reply::unknown(Fault::timeout, "no answer in time")}; }

// All nodes' answers to one.
Outcome of(std::vector<NodeReport> reports) {
  Outcome outcome;
  outcome.quorum = QuorumRule::majority(reports.size());
  outcome.nodes = std::move(reports);
  return outcome;
}

TEST(Holding, IsReadWithTheTimeThatIsLeft) {
  const auto holding = seen_by(says("1500 2 0 owner with blanks")).holding;
  ASSERT_TRUE(holding);
  EXPECT_EQ(holding->token, Token("owner with blanks"));
  EXPECT_EQ(holding->left, Duration::ms(1'500));
}

TEST(Holding, WithoutAnEndHasNoTimeLeft) {
  const auto holding = seen_by(says("-1 0 0 x")).holding;
  ASSERT_TRUE(holding);
  EXPECT_EQ(holding->left, std::nullopt);
}

TEST(Holding, ThatExpiredMeanwhileHasNothingLeft) {
  EXPECT_EQ(seen_by(says("-3 0 0 x")).holding->left, Duration());
}

TEST(Holding, OfNothingOrNonsenseIsNone) {
  EXPECT_FALSE(seen_by(absent()).holding);
  EXPECT_FALSE(seen_by(silent()).holding);
  EXPECT_FALSE(seen_by(NodeReport{}).holding);
  for (const char* text : {"", "x", "12", "12 ", "12 y", "12x 0 0 y", "12 0x 0 y", "12 0 0x y",
                           " 12 0 0 y", "12 1 1 y", "12 1 1 5 y", "12 1 1 5 2y", "12 1 1 5 3:ab",
                           "12 1 1 5x1:ay", "12 1 17 y", "12 1 -1 y"})
    EXPECT_FALSE(seen_by(says(text)).holding) << text;
}

TEST(MajorityHolding, NeedsAMajorityOfAllNodesAndNotOfThoseThatAnswered) {
  EXPECT_FALSE(seen_by_majority(of({says("10 0 0 a"), silent(), silent()})).holding);
  EXPECT_FALSE(seen_by_majority(of({says("10 0 0 a"), says("10 0 0 b"), absent()})).holding);
  EXPECT_EQ(seen_by_majority(of({says("10 0 0 a"), silent(), says("20 0 0 a")})).holding->token,
            Token("a"));
}

TEST(MajorityHolding, LastsUntilTooFewAreLeft) {
  EXPECT_EQ(
      seen_by_majority(of({says("10 0 0 a"), says("30 0 0 a"), says("20 0 0 a")})).holding->left,
      Duration::ms(20));
  EXPECT_EQ(seen_by_majority(of({says("-1 0 0 a"), says("30 0 0 a"), absent()})).holding->left,
            Duration::ms(30));
  EXPECT_EQ(
      seen_by_majority(of({says("-1 0 0 a"), says("-1 0 0 a"), says("5 0 0 a")})).holding->left,
      std::nullopt);
}

std::vector<Token> tokens(const std::vector<Holding>& held) {
  std::vector<Token> tokens;
  for (const Holding& holding : held) tokens.push_back(holding.token);
  return tokens;
}

const Token kA("a");
const Token kB("b");
using Tokens = std::vector<Token>;

TEST(MaybeHeld, IsWhatTheSilentCouldMakeAMajority) {
  EXPECT_EQ(tokens(maybe_held(of({says("10 0 0 a"), absent(), silent()}))), Tokens{kA});
  EXPECT_EQ(tokens(maybe_held(of({says("10 0 0 a"), absent(), NodeReport{}}))), Tokens{kA});
  EXPECT_EQ(tokens(maybe_held(of({says("10 0 0 a"), absent(), says("nonsense")}))), Tokens{kA});
  EXPECT_EQ(tokens(maybe_held(of({says("10 0 0 a"), absent(), absent()}))), Tokens{});
  EXPECT_EQ(tokens(maybe_held(of({says("9 0 0 a"), absent(), absent(), silent(), silent()}))),
            Tokens{kA});
  EXPECT_EQ(tokens(maybe_held(of({says("9 0 0 a"), absent(), absent(), absent(), silent()}))),
            Tokens{});
}

TEST(MaybeHeld, IsNothingThatNobodyHasSaid) {
  EXPECT_EQ(tokens(maybe_held(of({absent(), absent(), silent()}))), Tokens{});
  EXPECT_EQ(tokens(maybe_held(of({silent(), silent(), silent()}))), Tokens{});
}

TEST(MaybeHeld, IsNothingWhereAMajorityIsSeenToHoldTheSame) {
  EXPECT_EQ(tokens(maybe_held(of({says("10 0 0 a"), says("10 0 0 a"), silent()}))), Tokens{});
  EXPECT_EQ(tokens(maybe_held(of({says("10 0 0 a")}))), Tokens{});
}

TEST(MaybeHeld, DoesNotCountANodeThatHoldsAnotherKindOfThing) {
  EXPECT_EQ(tokens(maybe_held(of({says("10 0 0 a"), absent(), foreign()}))), Tokens{});
}

TEST(MaybeHeld, MayBeSeveralAndTheMostVotesComeFirst) {
  EXPECT_EQ(tokens(maybe_held(of({says("10 0 0 a"), says("10 0 0 b"), silent()}))),
            (Tokens{kA, kB}));
  EXPECT_EQ(tokens(maybe_held(
                of({says("9 0 0 a"), says("9 0 0 b"), says("9 0 0 b"), silent(), silent()}))),
            (Tokens{kB, kA}));
  EXPECT_EQ(tokens(maybe_held(of(
                {says("9 0 0 a"), says("9 0 0 b"), says("9 0 0 b"), says("9 0 0 c"), silent()}))),
            Tokens{kB});
}

TEST(MaybeHeld, HasTheLongestTimeThatIsSaidAndNoneWhereItNeverExpires) {
  const auto left = [](const NodeReport& one, const NodeReport& two) {
    return maybe_held(of({one, two, absent(), absent(), silent()})).at(0).left;
  };
  EXPECT_EQ(left(says("10 0 0 a"), says("30 0 0 a")), Duration::ms(30));
  EXPECT_EQ(left(says("-1 0 0 a"), says("30 0 0 a")), Duration::ms(30));
  EXPECT_EQ(left(says("30 0 0 a"), says("-1 0 0 a")), Duration::ms(30));
  EXPECT_EQ(left(says("-1 0 0 a"), says("-1 0 0 a")), std::nullopt);
}

TEST(ToTakeAway, IsWhatAMajorityHoldsOrMayHoldAndExpires) {
  EXPECT_EQ(to_take_away(of({says("10 0 0 a"), says("10 0 0 a"), says("10 0 0 b")})), Tokens{kA});
  EXPECT_EQ(to_take_away(of({says("10 0 0 a"), says("10 0 0 b"), silent()})), (Tokens{kA, kB}));
  EXPECT_EQ(to_take_away(of({says("10 0 0 a"), absent(), absent()})), Tokens{});
  EXPECT_EQ(to_take_away(of({says("-1 0 0 a"), says("-1 0 0 a"), absent()})), Tokens{});
  EXPECT_EQ(to_take_away(of({says("-1 0 0 a"), says("10 0 0 b"), silent()})), Tokens{kB});
}

TEST(Waiters, AreToldWhereSomethingStandsAndWhereNothingDoes) {
  EXPECT_EQ(seen_by(says("1500 3 0 a")).waiters, 3);
  EXPECT_EQ(seen_by(free_with("2")).waiters, 2);
  EXPECT_EQ(seen_by(free_with("0")).waiters, 0);
}

TEST(Waiters, ThatNobodyCountedAreNotKnown) {
  EXPECT_EQ(seen_by(says("1500 -1 0 a")).waiters, std::nullopt);
  EXPECT_EQ(seen_by(free_with("-1")).waiters, std::nullopt);
  EXPECT_EQ(seen_by(silent()).waiters, std::nullopt);
  EXPECT_EQ(seen_by(NodeReport{}).waiters, std::nullopt);
  EXPECT_EQ(seen_by(says("1500")).waiters, std::nullopt);
  EXPECT_EQ(seen_by(absent()).waiters, std::nullopt);
}

TEST(Waiters, AreNotReadOutOfTheReasonOfAnError) {
  const LockState seen = seen_by({true, Reply::unknown(Fault::rejected, "1500 3 0 a")});
  EXPECT_EQ(seen.waiters, std::nullopt);
  EXPECT_FALSE(seen.holding);
}

TEST(MajorityWaiters, AreAtLeastSoManyAtAMajorityOfAllNodes) {
  EXPECT_EQ(seen_by_majority(of({says("10 3 0 a"), says("10 1 0 a"), free_with("2")})).waiters, 2);
  EXPECT_EQ(seen_by_majority(of({says("10 3 0 a"), silent(), free_with("2")})).waiters, 2);
  EXPECT_EQ(seen_by_majority(of({says("10 3 0 a"), silent(), silent()})).waiters, std::nullopt);
  EXPECT_EQ(seen_by_majority(of({says("10 3 0 a"), says("10 -1 0 a"), silent()})).waiters,
            std::nullopt);
  EXPECT_EQ(seen_by_majority(of({free_with("0")})).waiters, 0);
}

TEST(Line, NamesItsFirstWhateverTheirNamesAre) {
  const LockState seen = seen_by(says("1500 3 2 900 3:a b40 9: 12 1:3 :xheld by 1"));
  ASSERT_EQ(seen.line.size(), 2U);
  EXPECT_EQ(seen.line[0].token, Token("a b"));
  EXPECT_EQ(seen.line[0].waited, Duration::ms(900));
  EXPECT_EQ(seen.line[1].token, Token(" 12 1:3 :"));
  EXPECT_EQ(seen.holding->token, Token("xheld by 1"));
  EXPECT_EQ(seen.waiters, 3);
}

TEST(Line, NamesAsManyAsTheScriptDoesAndAnAnswerWithMoreIsNone) {
  const auto naming = [](std::size_t waiters) {
    std::string text = "1500 99 " + std::to_string(waiters) + ' ';
    for (std::size_t i = 0; i < waiters; ++i) text += "900 1:a";
    return seen_by(says(text + "holder"));
  };
  EXPECT_EQ(naming(kNamedInLine).line.size(), 16U);
  EXPECT_EQ(naming(kNamedInLine).holding->token, Token("holder"));
  EXPECT_FALSE(naming(17).holding);
}

TEST(Line, OfAFreeLockIsNamedToo) {
  const LockState seen = seen_by(says("-2 1 1 -5 1:a"));
  ASSERT_EQ(seen.line.size(), 1U);
  EXPECT_EQ(seen.line[0].waited, Duration()) << "a clock behind his has not seen him wait";
  EXPECT_FALSE(seen.holding);
}

TEST(MajorityLine, NamesWhomAMajorityOfAllNodesNamesTheLongestWaitFirst) {
  const NodeReport one = says("1 3 3 30 1:a20 1:b10 1:cx");
  const NodeReport two = says("1 2 2 50 1:c25 1:bx");
  const auto line = seen_by_majority(of({one, two, silent()})).line;
  ASSERT_EQ(line.size(), 2U);
  EXPECT_EQ(line[0].token, Token("c"));
  EXPECT_EQ(line[0].waited, Duration::ms(50));
  EXPECT_EQ(line[1].token, Token("b"));
  EXPECT_EQ(line[1].waited, Duration::ms(25));
  EXPECT_TRUE(seen_by_majority(of({one, silent(), silent()})).line.empty());
}

TEST(SeenByMajority, OfNobodyWhoWasAskedIsNothing) {
  EXPECT_FALSE(seen_by_majority(Outcome{}).holding);
  EXPECT_FALSE(seen_by_majority(Outcome{}).waiters);
}

}  // namespace
}  // namespace redlock::holding_test
