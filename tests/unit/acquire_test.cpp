// The acquiring machine, one event at a time.
#include "redlock/algorithm/acquire.hpp"

#include <gtest/gtest.h>

#include <set>

#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/validity.hpp"
#include "support/machine.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::acquire_test {
namespace {

using test::drain;
using test::kOneNs;
using test::nodes_of;
using test::only;
using test::t;

constexpr Duration kTtl = Duration::ms(1'000);
constexpr Duration kAnswerTime = Duration::ms(50);

class AcquireOfThree : public testing::Test {
 protected:
  void begin(RetryPolicy retry = RetryPolicy::exact(1, Duration())) {
    acquire_ = std::make_unique<Acquire>(test::answer_times(3, kAnswerTime),
                                         std::make_shared<QuorumKind>(Resource("r"), kTtl, 0.01),
                                         retry, entropy_);
    acquire_->start(t(0));
    sent_ = drain(*acquire_);
  }
  // Delivers one reply and collects what the machine sends upon it.
  std::vector<Request> reply(std::size_t node, Reply answer, Instant now = t(1),
                             AttemptNumber attempt = 0) {
    acquire_->on_reply(NodeIndex(node), attempt == 0 ? attempt_ : attempt, std::move(answer), now);
    return drain(*acquire_);
  }
  std::vector<Request> time(Instant now) {
    acquire_->on_time(now);
    return drain(*acquire_);
  }
  [[nodiscard]] std::optional<Decision> decision() const {
    return acquire_->outcome() ? std::optional(acquire_->outcome()->decision) : std::nullopt;
  }
  static Token token_of(const Request& set) { return std::get<SetIfAbsent>(*set.command).token; }
  static Token undone(const Request& undo) {
    return std::get<ReleaseAndHandOver>(*undo.command).token;
  }

  test::SeededEntropy entropy_;
  std::unique_ptr<Acquire> acquire_;
  std::vector<Request> sent_;
  AttemptNumber attempt_ = 1;
};

TEST_F(AcquireOfThree, WantsNothingBeforeItBegins) {
  Acquire acquire(test::answer_times(3, kAnswerTime),
                  std::make_shared<QuorumKind>(Resource("r"), kTtl, 0.01),
                  RetryPolicy::exact(1, Duration()), entropy_);
  EXPECT_FALSE(acquire.next_deadline());
  EXPECT_FALSE(acquire.next_request());
}

TEST_F(AcquireOfThree, AsksEveryNodeTheSameThingAtOnce) {
  begin();
  const auto sets = only<SetIfAbsent>(sent_);
  EXPECT_EQ(nodes_of(sets), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(sets[0].command, sets[2].command);
  EXPECT_EQ(sets[0].answer_by, t(50));
  EXPECT_EQ(acquire_->next_deadline(), t(50));
}

TEST_F(AcquireOfThree, IsGrantedByTheSecondYesWithoutWaitingForTheThird) {
  begin();
  EXPECT_TRUE(reply(0, Reply::granted()).empty());
  EXPECT_FALSE(decision());
  EXPECT_TRUE(reply(2, Reply::granted()).empty());
  EXPECT_EQ(decision(), Decision::granted);
  EXPECT_EQ(acquire_->outcome()->token, token_of(sent_[0]));
  EXPECT_EQ(acquire_->next_deadline(), std::nullopt);
}

TEST_F(AcquireOfThree, AsksThoseThatWereNotAskedYetThoughItIsGranted) {
  Acquire acquire(test::answer_times(3, kAnswerTime),
                  std::make_shared<QuorumKind>(Resource("r"), kTtl, 0.01),
                  RetryPolicy::exact(1, Duration()), entropy_);
  acquire.start(t(0));
  for (const std::size_t node : {0U, 1U}) {
    ASSERT_TRUE(acquire.next_request());
    acquire.on_reply(NodeIndex(node), attempt_, Reply::granted(), t(1));
  }
  ASSERT_EQ(acquire.outcome()->decision, Decision::granted);
  EXPECT_EQ(nodes_of(only<SetIfAbsent>(drain(acquire))), (std::vector<std::size_t>{2}));
}

TEST_F(AcquireOfThree, AGrantThatComesAfterTheOutcomeIsLeftAlone) {
  begin();
  reply(0, Reply::granted());
  reply(1, Reply::granted());
  EXPECT_TRUE(reply(2, Reply::granted()).empty());
  EXPECT_TRUE(time(t(9'999)).empty());
  EXPECT_FALSE(acquire_->outcome()->nodes[2].answered);
}

TEST_F(AcquireOfThree, ValidityCountsFromTheStartToTheDecision) {
  begin();
  reply(0, Reply::granted(), t(3));
  reply(1, Reply::granted(), t(30));
  EXPECT_EQ(acquire_->outcome()->validity, validity_of(kTtl, Duration::ms(30), 0.01));
  EXPECT_EQ(acquire_->outcome()->decided_at, t(30));
}

TEST_F(AcquireOfThree, ALostAttemptIsUndoneWhereverItMayHaveSucceeded) {
  begin();
  reply(0, Reply::granted());
  reply(1, Reply::denied());
  const auto undos = only<ReleaseAndHandOver>(reply(2, Reply::denied()));
  EXPECT_EQ(nodes_of(undos), (std::vector<std::size_t>{0}));
  EXPECT_EQ(undone(undos[0]), token_of(sent_[0]));
  EXPECT_FALSE(undos[0].wants_answer);
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(AcquireOfThree, ASilentNodeOfALostAttemptIsUndoneToo) {
  begin();
  reply(0, Reply::denied());
  const auto undos = only<ReleaseAndHandOver>(reply(1, Reply::denied()));
  EXPECT_EQ(nodes_of(undos), (std::vector<std::size_t>{2}));
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(AcquireOfThree, NodesThatWereNeverReachedNeedNoUndo) {
  begin();
  reply(0, Reply::unknown(Fault::connect, ""));
  reply(1, Reply::unknown(Fault::bound, ""));
  EXPECT_TRUE(reply(2, Reply::unknown(Fault::resolve, "")).empty());
  EXPECT_EQ(decision(), Decision::unreachable);
}

TEST_F(AcquireOfThree, AnErrorOrSilenceIsUndone) {
  begin();
  reply(0, Reply::unknown(Fault::rejected, "LOADING"));
  const auto undos = only<ReleaseAndHandOver>(reply(1, Reply::unknown(Fault::closed, "")));
  EXPECT_EQ(nodes_of(undos), (std::vector<std::size_t>{0, 1, 2}));
}

TEST_F(AcquireOfThree, SilenceIsLostAtTheDeadlineAndNotOneNanosecondBefore) {
  begin();
  EXPECT_TRUE(time(t(50) - kOneNs).empty());
  EXPECT_FALSE(decision());
  EXPECT_EQ(only<ReleaseAndHandOver>(time(t(50))).size(), 3U);
  EXPECT_EQ(decision(), Decision::unreachable);
}

TEST_F(AcquireOfThree, TheLastAttemptWaitsToTellBusyFromDown) {
  begin();
  reply(0, Reply::denied());
  reply(1, Reply::unknown(Fault::closed, ""));
  EXPECT_FALSE(decision());
  EXPECT_EQ(acquire_->next_deadline(), t(50));
  EXPECT_TRUE(reply(2, Reply::denied(), t(20)).empty());
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(AcquireOfThree, AGrantThatComesWhileTellingBusyFromDownIsUndoneAlready) {
  begin();
  reply(0, Reply::denied());
  const auto undos = only<ReleaseAndHandOver>(reply(1, Reply::unknown(Fault::closed, "")));
  EXPECT_EQ(nodes_of(undos), (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(reply(2, Reply::granted(), t(20)).empty());
  EXPECT_EQ(decision(), Decision::split);
}

TEST_F(AcquireOfThree, PausesBetweenAttemptsAndNotAfterTheLast) {
  begin(RetryPolicy::exact(2, Duration::ms(100)));
  reply(0, Reply::denied(), t(2));
  reply(1, Reply::denied(), t(3));
  EXPECT_FALSE(decision());
  EXPECT_EQ(acquire_->next_deadline(), t(103));
  EXPECT_TRUE(time(t(103) - kOneNs).empty());
  EXPECT_EQ(only<SetIfAbsent>(time(t(103))).size(), 3U);
  attempt_ = 2;
  reply(0, Reply::denied(), t(105));
  reply(1, Reply::denied(), t(105));
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(AcquireOfThree, SpreadAttemptsAreEarlyOrLateButTheLastIsWhereExactOnesWouldHaveIt) {
  begin(RetryPolicy::spread(6, Duration::ms(100)));
  std::set<std::int64_t> shifts_ns;
  Instant now = t(0);
  for (attempt_ = 1; attempt_ < 6; ++attempt_) {
    reply(0, Reply::denied(), now);
    reply(1, Reply::denied(), now);
    now = acquire_->next_deadline().value();
    const Duration shift = now - t(100 * static_cast<std::int64_t>(attempt_));
    EXPECT_LE(std::max(shift, Duration() - shift), Duration::ms(50));
    shifts_ns.insert(shift.count_ns());
    EXPECT_EQ(only<SetIfAbsent>(time(now)).size(), 3U);
  }
  EXPECT_EQ(now, t(500));
  EXPECT_EQ(shifts_ns.size(), 5U);
}

TEST_F(AcquireOfThree, TheUndoOfAnAttemptIsHandedOutBeforeTheNextAttempt) {
  begin(RetryPolicy::exact(2, Duration()));
  acquire_->on_reply(NodeIndex(0), 1, Reply::granted(), t(1));
  acquire_->on_reply(NodeIndex(1), 1, Reply::denied(), t(1));
  acquire_->on_reply(NodeIndex(2), 1, Reply::denied(), t(1));
  acquire_->on_time(t(1));
  const auto requests = drain(*acquire_);
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_TRUE(std::holds_alternative<ReleaseAndHandOver>(*requests[0].command));
  EXPECT_TRUE(std::holds_alternative<SetIfAbsent>(*requests[1].command));
}

TEST_F(AcquireOfThree, ALateReplyToAnEarlierAttemptDoesNotCount) {
  begin(RetryPolicy::exact(2, Duration::ms(1)));
  reply(0, Reply::denied());
  reply(1, Reply::denied());
  time(t(2));
  attempt_ = 2;
  reply(0, Reply::granted(), t(3));
  reply(2, Reply::granted(), t(3), 1);
  EXPECT_FALSE(decision());
  reply(2, Reply::granted(), t(4));
  EXPECT_EQ(decision(), Decision::granted);
}

TEST_F(AcquireOfThree, AReplyDuringThePauseIsIgnored) {
  begin(RetryPolicy::exact(2, Duration::ms(100)));
  reply(0, Reply::denied());
  reply(1, Reply::denied());
  EXPECT_TRUE(reply(2, Reply::granted(), t(5)).empty());
  EXPECT_EQ(acquire_->next_deadline(), t(101));
}

TEST_F(AcquireOfThree, AnUndoHasItsTimeFromWhenItIsSent) {
  begin();
  reply(0, Reply::granted(), t(30));
  reply(1, Reply::denied(), t(40));
  const auto undos = only<ReleaseAndHandOver>(reply(2, Reply::denied(), t(45)));
  ASSERT_EQ(undos.size(), 1U);
  EXPECT_EQ(undos[0].answer_by, t(45) + kAnswerTime);
}

TEST_F(AcquireOfThree, AMajorityThatComesTooLateIsUndoneAndOneNanosecondEarlierItIsALock) {
  const Duration usable = validity_of(kTtl, Duration(), 0.01);
  begin();
  reply(0, Reply::granted());
  const auto undos = only<ReleaseAndHandOver>(reply(1, Reply::granted(), t(0) + usable));
  EXPECT_EQ(nodes_of(undos), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(decision(), Decision::expired_in_flight);
  begin();
  reply(0, Reply::granted());
  EXPECT_TRUE(reply(1, Reply::granted(), t(0) + usable - kOneNs).empty());
  EXPECT_EQ(decision(), Decision::granted);
  EXPECT_EQ(acquire_->outcome()->validity, kOneNs);
}

TEST_F(AcquireOfThree, OnlyTheLastAttemptDecidesWhetherItWasTooLate) {
  begin(RetryPolicy::exact(2, Duration()));
  reply(0, Reply::granted());
  reply(1, Reply::granted(), t(0) + kTtl);
  const Instant second = t(0) + kTtl + Duration::ms(1);
  time(second);
  attempt_ = 2;
  reply(0, Reply::denied(), second);
  reply(1, Reply::denied(), second);
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(AcquireOfThree, VotesThatMakeNoMajorityForAnybodyAreSplitAndNotDenied) {
  begin();
  reply(0, Reply::granted());
  reply(1, Reply::denied());
  reply(2, Reply::unknown(Fault::rejected, "LOADING"));
  EXPECT_EQ(decision(), Decision::split);
  EXPECT_TRUE(is_refusal(*decision()));
}

TEST_F(AcquireOfThree, SplitVotesDoNotWaitForANodeInDoubt) {
  begin();
  acquire_->on_suspicion(NodeIndex(2), 1);
  EXPECT_TRUE(reply(0, Reply::granted()).empty());
  const auto undos = only<ReleaseAndHandOver>(reply(1, Reply::denied()));
  EXPECT_EQ(nodes_of(undos), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(decision(), Decision::split);
}

TEST_F(AcquireOfThree, ANodeInDoubtMayStillGiveTheDecidingVote) {
  begin();
  acquire_->on_suspicion(NodeIndex(2), 1);
  reply(0, Reply::granted());
  reply(2, Reply::granted());
  EXPECT_EQ(decision(), Decision::granted);
}

TEST_F(AcquireOfThree, ANodeInDoubtIsWaitedForWhereNoMajorityCanBeAskedWithoutIt) {
  begin();
  acquire_->on_suspicion(NodeIndex(2), 1);
  reply(0, Reply::granted());
  reply(1, Reply::unknown(Fault::closed, ""));
  EXPECT_FALSE(decision());
  reply(2, Reply::granted(), t(49));
  EXPECT_EQ(decision(), Decision::granted);
}

TEST_F(AcquireOfThree, ADoubtOfAnEarlierAttemptDoesNotCount) {
  begin(RetryPolicy::exact(2, Duration()));
  reply(0, Reply::denied());
  reply(1, Reply::denied());
  time(t(2));
  attempt_ = 2;
  acquire_->on_suspicion(NodeIndex(2), 1);
  reply(0, Reply::granted(), t(3));
  reply(1, Reply::denied(), t(3));
  EXPECT_FALSE(decision());
}

TEST_F(AcquireOfThree, AnAbortUndoesWhatMayBeHeld) {
  begin();
  reply(0, Reply::granted());
  reply(1, Reply::denied());
  acquire_->abort(t(2));
  EXPECT_EQ(nodes_of(only<ReleaseAndHandOver>(drain(*acquire_))), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(decision(), Decision::aborted);
}

TEST_F(AcquireOfThree, AnAbortDuringThePauseHasNothingLeftToUndo) {
  begin(RetryPolicy::exact(2, Duration::ms(100)));
  reply(0, Reply::granted());
  reply(1, Reply::denied());
  reply(2, Reply::denied());
  acquire_->abort(t(2));
  EXPECT_TRUE(drain(*acquire_).empty());
  EXPECT_EQ(decision(), Decision::aborted);
}

TEST_F(AcquireOfThree, AnAbortAfterTheGrantChangesNothing) {
  begin();
  reply(0, Reply::granted());
  reply(1, Reply::granted());
  acquire_->abort(t(2));
  EXPECT_TRUE(drain(*acquire_).empty());
  EXPECT_EQ(decision(), Decision::granted);
}

TEST_F(AcquireOfThree, AForeignValueEndsAllAttemptsAtOnce) {
  begin(RetryPolicy::exact(5, Duration()));
  reply(0, Reply::unknown(Fault::foreign, "no timestamp"));
  reply(1, Reply::denied());
  EXPECT_EQ(decision(), Decision::foreign);
}

TEST(Rule02AFreshTokenPerAttempt, NoTokenIsEverUsedTwice) {
  test::SeededEntropy entropy;
  Acquire acquire(test::answer_times({50}), std::make_shared<QuorumKind>(Resource("r"), kTtl, 0.01),
                  RetryPolicy::exact(50, Duration::ms(1)), entropy);
  acquire.start(t(0));
  std::set<Token> tokens;
  std::size_t sets = 0;
  for (AttemptNumber attempt = 1; acquire.outcome() == nullptr; ++attempt) {
    for (const Request& request : only<SetIfAbsent>(drain(acquire))) {
      tokens.insert(std::get<SetIfAbsent>(*request.command).token);
      ++sets;
    }
    const Instant now = t(static_cast<std::int64_t>(2 * attempt));
    acquire.on_reply(NodeIndex(0), attempt, Reply::denied(), now);
    acquire.on_time(now + Duration::ms(1));
  }
  EXPECT_EQ(sets, 50U);
  EXPECT_EQ(tokens.size(), 50U);
}

TEST(Rule06MajorityOfTheConfiguredServers, TwoOfFiveReachableServersAreNoLock) {
  test::SeededEntropy entropy;
  Acquire acquire(test::answer_times(5, kAnswerTime),
                  std::make_shared<QuorumKind>(Resource("r"), kTtl, 0.01),
                  RetryPolicy::exact(1, Duration()), entropy);
  acquire.start(t(0));
  drain(acquire);
  for (std::size_t i = 0; i < 5; ++i) {
    Reply reply = i < 2 ? Reply::granted() : Reply::unknown(Fault::connect, "refused");
    acquire.on_reply(NodeIndex(i), 1, std::move(reply), t(1));
  }
  EXPECT_EQ(acquire.outcome()->decision, Decision::unreachable);
  EXPECT_EQ(nodes_of(only<ReleaseAndHandOver>(drain(acquire))), (std::vector<std::size_t>{0, 1}));
}

}  // namespace
}  // namespace redlock::acquire_test
