// The one-round machine: asks once, decides as soon as it is certain, undoes nothing.
#include "redlock/algorithm/quorum_query.hpp"

#include <gtest/gtest.h>

#include "support/machine.hpp"

namespace redlock::quorum_query_test {
namespace {

using test::answer_times;
using test::drain;
using test::kOneNs;
using test::t;

constexpr AttemptNumber kAttempt = 1;

class QuorumQueryOfThree : public testing::Test {
 protected:
  explicit QuorumQueryOfThree(LossDetail detail = LossDetail::reason)
      : query_(answer_times({50, 50, 50}), QuorumRule::majority(3),
               ReleaseAndHandOver{Resource("r"), Token("t")}, detail) {
    query_.start(t(0));
    requests_ = drain(query_);
  }
  void reply(std::size_t node, Reply answer, Instant now = t(1)) {
    query_.on_reply(NodeIndex(node), kAttempt, std::move(answer), now);
  }
  [[nodiscard]] std::optional<Decision> decision() const {
    return query_.outcome() ? std::optional(query_.outcome()->decision) : std::nullopt;
  }

  QuorumQuery query_;
  std::vector<Request> requests_;
};

class ReleaseOfThree : public QuorumQueryOfThree {
 protected:
  ReleaseOfThree() : QuorumQueryOfThree(LossDetail::none) {}
};

TEST_F(QuorumQueryOfThree, AsksEveryNode) {
  EXPECT_EQ(test::nodes_of(requests_), (std::vector<std::size_t>{0, 1, 2}));
}

TEST_F(QuorumQueryOfThree, IsGrantedWithTheSecondYesWithoutWaitingForTheThird) {
  reply(2, Reply::granted());
  EXPECT_FALSE(decision());
  reply(0, Reply::granted(), t(4));
  EXPECT_EQ(decision(), Decision::granted);
  EXPECT_EQ(query_.outcome()->decided_at, t(4));
  EXPECT_EQ(query_.next_deadline(), std::nullopt);
}

TEST_F(QuorumQueryOfThree, WaitsForConnectionsThatAreBeingMade) {
  for (const std::size_t node : {0U, 1U, 2U}) {
    query_.on_delay(NodeIndex(node), kAttempt, t(100));
  }
  EXPECT_EQ(query_.next_deadline(), t(150));
}

TEST_F(QuorumQueryOfThree, IsDeniedOnceAMajorityHasSaidNo) {
  reply(0, Reply::denied());
  EXPECT_FALSE(decision());
  reply(1, Reply::denied());
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(QuorumQueryOfThree, IsUnreachableOnceAMajorityCannotBeAsked) {
  reply(0, Reply::unknown(Fault::connect, ""));
  EXPECT_FALSE(decision());
  reply(1, Reply::unknown(Fault::rejected, ""));
  EXPECT_EQ(decision(), Decision::unreachable);
}

TEST_F(QuorumQueryOfThree, WaitsForTheLastNodeToTellNoFromNobodyThere) {
  reply(0, Reply::denied());
  reply(1, Reply::unknown(Fault::closed, ""));
  EXPECT_FALSE(decision());
  reply(2, Reply::denied());
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(QuorumQueryOfThree, SilenceAtTheDeadlineIsNoAnswerAndOneNanosecondBeforeItIsNothing) {
  reply(0, Reply::denied());
  EXPECT_EQ(query_.next_deadline(), t(50));
  query_.on_time(t(50) - kOneNs);
  EXPECT_FALSE(decision());
  query_.on_time(t(50));
  EXPECT_EQ(decision(), Decision::unreachable);
}

TEST_F(QuorumQueryOfThree, ADecidedOutcomeNeverChanges) {
  reply(0, Reply::granted());
  reply(1, Reply::granted());
  reply(2, Reply::denied());
  query_.on_time(t(99));
  query_.abort(t(99));
  EXPECT_EQ(decision(), Decision::granted);
  EXPECT_FALSE(query_.outcome()->nodes[2].answered);
}

TEST_F(QuorumQueryOfThree, AnAbortUndoesNothing) {
  query_.abort(t(3));
  EXPECT_EQ(decision(), Decision::aborted);
  EXPECT_TRUE(drain(query_).empty());
}

TEST_F(ReleaseOfThree, ALostReleaseDoesNotWaitToLearnWhy) {
  reply(0, Reply::denied());
  reply(1, Reply::unknown(Fault::closed, ""));
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(ReleaseOfThree, ALostReleaseThatReachedNobodySaysSo) {
  reply(0, Reply::unknown(Fault::closed, ""));
  reply(1, Reply::unknown(Fault::closed, ""));
  EXPECT_EQ(decision(), Decision::unreachable);
}

TEST(Rule05AnErrorIsAVoteAgainst, AReleaseThatErredIsNotReleased) {
  for (const Fault fault : {Fault::timeout, Fault::rejected, Fault::protocol}) {
    QuorumQuery release(answer_times({50}), QuorumRule::majority(1),
                        ReleaseAndHandOver{Resource("r"), Token("t")}, LossDetail::none);
    release.start(t(0));
    drain(release);
    release.on_reply(NodeIndex(0), kAttempt, Reply::unknown(fault, ""), t(1));
    EXPECT_EQ(release.outcome()->decision, Decision::unreachable);
  }
}

// With its last reply; before that it must not be decided.
Outcome check_by(const std::vector<Reply>& replies) {
  QuorumQuery check(answer_times(replies.size(), Duration::ms(50)),
                    QuorumRule::majority(replies.size()), CheckEqual{Resource("r"), Token("t")},
                    LossDetail::reason);
  check.start(t(0));
  drain(check);
  for (std::size_t i = 0; i < replies.size(); ++i) {
    EXPECT_EQ(check.outcome(), nullptr) << "before reply " << i;
    check.on_reply(NodeIndex(i), kAttempt, replies[i], t(1));
  }
  return *check.outcome();
}

class ProvenDenied : public testing::Test {
 protected:
  const Reply yes_ = Reply::granted();
  const Reply no_ = Reply::denied();
  const Reply down_ = Reply::unknown(Fault::connect, "");
};

TEST_F(ProvenDenied, ByAsManyAsLeaveTheOthersNoMajority) {
  const std::vector<std::vector<Reply>> proofs{{no_},
                                               {yes_, no_},
                                               {down_, no_},
                                               {yes_, no_, no_},
                                               {yes_, no_, yes_, no_},
                                               {down_, yes_, no_, no_},
                                               {yes_, down_, no_, no_, no_}};
  for (const auto& replies : proofs) {
    const Outcome outcome = check_by(replies);
    EXPECT_EQ(outcome.decision, Decision::denied);
    EXPECT_TRUE(proven_denied(outcome)) << replies.size();
  }
}

TEST_F(ProvenDenied, NotWhereNobodyWasAsked) {
  EXPECT_FALSE(proven_denied(Outcome()));
  EXPECT_EQ(taken_away(Outcome()), Decision::aborted);
}

TEST_F(ProvenDenied, NotWhereTheSilentOnesCouldMakeAMajority) {
  const std::vector<std::vector<Reply>> open{
      {yes_, no_, down_}, {yes_, yes_, down_, no_}, {yes_, no_, down_, no_, down_}};
  for (const auto& replies : open) {
    const Outcome outcome = check_by(replies);
    EXPECT_EQ(outcome.decision, Decision::denied);
    EXPECT_FALSE(proven_denied(outcome)) << replies.size();
  }
}

Decision taken_away_by(const std::vector<Reply>& replies) {
  QuorumQuery release(answer_times(replies.size(), Duration::ms(50)),
                      QuorumRule::majority(replies.size()),
                      ReleaseAndHandOver{Resource("r"), Token("t")}, LossDetail::each);
  release.start(t(0));
  drain(release);
  for (std::size_t i = 0; i < replies.size(); ++i) {
    release.on_reply(NodeIndex(i), kAttempt, replies[i], t(1));
  }
  return taken_away(*release.outcome());
}

TEST(TakenAway, IsWhatAMajorityHasNoLonger) {
  const Reply silence = Reply::unknown(Fault::timeout, "");
  EXPECT_EQ(taken_away_by({Reply::granted(), Reply::granted(), silence}), Decision::granted);
  EXPECT_EQ(taken_away_by({Reply::granted(), Reply::denied(), silence}), Decision::granted);
  EXPECT_EQ(taken_away_by({Reply::granted(), Reply::granted(), silence, silence}),
            Decision::granted)
      << "two of four are no majority";
  EXPECT_EQ(taken_away_by({Reply::granted(), silence, silence}), Decision::unreachable);
  EXPECT_EQ(taken_away_by({silence, silence, silence}), Decision::unreachable);
}

TEST(TakenAway, WasNobodysWhereAMajorityDidNotHaveIt) {
  const Reply silence = Reply::unknown(Fault::timeout, "");
  EXPECT_EQ(taken_away_by({Reply::denied(), Reply::denied(), silence}), Decision::denied);
  EXPECT_EQ(taken_away_by({Reply::granted(), Reply::denied(), Reply::denied()}), Decision::denied);
  EXPECT_EQ(taken_away_by({Reply::denied(), silence, silence}), Decision::unreachable);
  EXPECT_EQ(taken_away_by({Reply::granted(), Reply::denied()}), Decision::denied);
}

TEST(QuorumQuery, AskedTooEarlyItHasNothingToSay) {
  QuorumQuery query(answer_times({50}), QuorumRule::majority(1),
                    CheckEqual{Resource("r"), Token("t")}, LossDetail::none);
  EXPECT_FALSE(query.next_request());
  EXPECT_EQ(query.next_deadline(), std::nullopt);
  EXPECT_EQ(query.outcome(), nullptr);
}

}  // namespace
}  // namespace redlock::quorum_query_test
