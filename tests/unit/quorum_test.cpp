// The tally decides as early as is sound, and never otherwise.
#include "redlock/algorithm/quorum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "redlock/algorithm/quorum_rule.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::quorum_test {
namespace {

enum class Ballot { silent, yes, no };

// The twin knows no arithmetic shortcut: it plays out how the silent nodes might still vote.
bool wins(const std::vector<Ballot>& ballots) {
  const auto yes = std::ranges::count(ballots, Ballot::yes);
  return 2 * yes > static_cast<std::ptrdiff_t>(ballots.size());
}

Verdict dumb_verdict(std::vector<Ballot> ballots) {
  const auto silent = std::ranges::find(ballots, Ballot::silent);
  if (silent == ballots.end()) return wins(ballots) ? Verdict::won : Verdict::lost;
  *silent = Ballot::yes;
  const Verdict with_yes = dumb_verdict(ballots);
  *silent = Ballot::no;
  const Verdict with_no = dumb_verdict(ballots);
  return with_yes == with_no ? with_yes : Verdict::pending;
}

Tally of_majority(std::size_t n) { return {n, QuorumRule::majority(n).grants()}; }

Tally tally_of(const std::vector<Ballot>& ballots) {
  Tally tally = of_majority(ballots.size());
  for (std::size_t i = 0; i < ballots.size(); ++i) {
    if (ballots[i] == Ballot::silent) continue;
    tally.record(NodeIndex(i), ballots[i] == Ballot::yes ? Vote::yes : Vote::no);
  }
  return tally;
}

TEST(Rule06MajorityOfTheConfiguredServers, IsMoreThanHalf) {
  const std::vector<std::size_t> expected{1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9};
  for (std::size_t n = 1; n <= kNodesMax; ++n)
    EXPECT_EQ(QuorumRule::majority(n).grants(), expected[n - 1]) << n;
}

TEST(Rule06MajorityOfTheConfiguredServers, TwoMajoritiesAlwaysShareAServer) {
  for (std::size_t n = 1; n <= kNodesMax; ++n) EXPECT_GT(2 * QuorumRule::majority(n).grants(), n);
}

TEST(Rule06MajorityOfTheConfiguredServers, IsNotOfTheReachableOnes) {
  // Two of five say yes, three cannot be reached.
  using enum Ballot;
  EXPECT_EQ(tally_of({yes, yes, no, no, no}).verdict(), Verdict::lost);
}

TEST(QuorumRule, FailsWithoutMoreThanItCanSpare) {
  for (std::size_t n = 1; n <= kNodesMax; ++n) {
    const QuorumRule rule = QuorumRule::majority(n);
    EXPECT_EQ(rule.node_count(), n);
    EXPECT_EQ(rule.denials(), rule.grants());
    for (std::size_t missing = 0; missing <= n; ++missing) {
      EXPECT_EQ(rule.fails_without(missing), 2 * (n - missing) <= n) << missing << " of " << n;
    }
  }
}

TEST(QuorumRule, OfNoServersDecidesNothing) { EXPECT_FALSE(QuorumRule().fails_without(0)); }

TEST(Tally, IsPendingBeforeAnyVote) {
  for (std::size_t n = 1; n <= kNodesMax; ++n)
    EXPECT_EQ(of_majority(n).verdict(), Verdict::pending);
}

TEST(Tally, WinsWithTheVoteThatCompletesTheMajorityAndNotOneEarlier) {
  Tally tally = of_majority(5);
  tally.record(NodeIndex(4), Vote::yes);
  tally.record(NodeIndex(0), Vote::yes);
  EXPECT_EQ(tally.verdict(), Verdict::pending);
  tally.record(NodeIndex(2), Vote::yes);
  EXPECT_EQ(tally.verdict(), Verdict::won);
}

TEST(Tally, LosesWithTheVoteThatMakesAMajorityImpossibleAndNotOneEarlier) {
  Tally tally = of_majority(4);
  tally.record(NodeIndex(0), Vote::no);
  EXPECT_EQ(tally.verdict(), Verdict::pending);
  tally.record(NodeIndex(1), Vote::no);
  EXPECT_EQ(tally.verdict(), Verdict::lost);
}

TEST(Tally, AgreesWithTheDumbTwinOnEveryBallotOfUpToSevenNodes) {
  for (std::size_t n = 1; n <= 7; ++n) {
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < n; ++i) combinations *= 3;
    for (std::size_t code = 0; code < combinations; ++code) {
      std::vector<Ballot> ballots(n);
      std::size_t rest = code;
      for (Ballot& ballot : ballots) {
        ballot = static_cast<Ballot>(rest % 3);
        rest /= 3;
      }
      ASSERT_EQ(tally_of(ballots).verdict(), dumb_verdict(ballots)) << n << " nodes, " << code;
    }
  }
}

TEST(Tally, ADecidedVerdictNeverChangesWhateverTheOrder) {
  test::SeededEntropy random(20);
  for (int run = 0; run < 2000; ++run) {
    std::vector<Ballot> ballots(random.between(1, kNodesMax), Ballot::silent);
    Tally tally = of_majority(ballots.size());
    Verdict before = Verdict::pending;
    while (!tally.complete()) {
      const std::size_t i = random.between(0, ballots.size() - 1);
      if (ballots[i] != Ballot::silent) continue;
      ballots[i] = random.between(0, 1) == 0 ? Ballot::yes : Ballot::no;
      tally.record(NodeIndex(i), ballots[i] == Ballot::yes ? Vote::yes : Vote::no);
      if (before != Verdict::pending) {
        ASSERT_EQ(tally.verdict(), before) << "run " << run;
      }
      before = tally.verdict();
    }
    ASSERT_EQ(before, wins(ballots) ? Verdict::won : Verdict::lost) << "run " << run;
  }
}

TEST(Tally, RemembersWhoHasVoted) {
  using enum Ballot;
  const Tally tally = tally_of({yes, silent, no});
  EXPECT_TRUE(tally.has_voted(NodeIndex(0)));
  EXPECT_FALSE(tally.has_voted(NodeIndex(1)));
  EXPECT_TRUE(tally.has_voted(NodeIndex(2)));
  EXPECT_FALSE(tally.complete());
}

TEST(TallyDeathTest, ASecondVoteOfOneNodeIsOurMistake) {
  Tally tally = of_majority(3);
  tally.record(NodeIndex(1), Vote::yes);
  EXPECT_DEATH(tally.record(NodeIndex(1), Vote::yes), "voted_");
}

TEST(TallyDeathTest, ANodeBeyondTheListIsOurMistake) {
  Tally tally = of_majority(3);
  EXPECT_DEATH(tally.record(NodeIndex(3), Vote::yes), "node_count_");
}

TEST(TallyDeathTest, NoNodesOrTooManyAreOurMistake) {
  EXPECT_DEATH(Tally(0, 1), "node_count");
  EXPECT_DEATH(Tally(3, 0), "needed");
  EXPECT_DEATH(Tally(3, 4), "needed");
  EXPECT_DEATH(Tally(kNodesMax + 1, 1), "node_count");
}

}  // namespace
}  // namespace redlock::quorum_test
