// The machine that acquires a lock with a fence, one event at a time.
#include "redlock/algorithm/fenced_acquire.hpp"

#include <gtest/gtest.h>

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/quorum_kind.hpp"
#include "support/allocations.hpp"
#include "support/machine.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::fenced_acquire_test {
namespace {

using test::drain;
using test::nodes_of;
using test::only;
using test::t;

constexpr Duration kTtl = Duration::ms(1'000);
constexpr Duration kAnswerTime = Duration::ms(50);
constexpr std::int64_t kWallUs = 1'700'000'000'000'000;
const FenceProposals kProposals{kWallUs, t(0), kFenceTtlDefault};
const Reply kRecorded = Reply::granted(FenceVote{true, 0});

Reply taken_behind(std::int64_t last) { return Reply::granted(FenceVote{false, last}); }
Reply not_larger_than(std::int64_t last) { return Reply::denied(FenceVote{false, last}); }

class FencedAcquireOfThree : public testing::Test {
 protected:
  FencedAcquireOfThree() {
    const auto kind = std::make_shared<QuorumKind>(Resource("r"), kTtl, 0.01, "", kProposals);
    const AnswerTimes times = test::answer_times(3, kAnswerTime);
    fenced_ = std::make_unique<FencedAcquire>(
        times, kind, kProposals,
        std::make_unique<Acquire>(times, kind, RetryPolicy::exact(1, Duration()), entropy_));
    fenced_->start(t(0));
    sent_ = drain(*fenced_);
  }
  void reply(std::size_t node, Reply answer, Instant now = t(1)) {
    fenced_->on_reply(NodeIndex(node), sent_.at(0).attempt, std::move(answer), now);
    std::vector<Request> more = drain(*fenced_);
    if (!more.empty()) sent_ = std::move(more);
  }
  // Of those that were sent last.
  [[nodiscard]] std::int64_t raised() const {
    return std::get<RaiseFence>(*sent_.at(0).command).proposal.fence;
  }
  [[nodiscard]] std::optional<Decision> decision() const {
    return fenced_->outcome() ? std::optional(fenced_->outcome()->decision) : std::nullopt;
  }
  void acquire_behind(std::int64_t last) {
    reply(0, kRecorded);
    reply(1, taken_behind(last));
  }

  test::SeededEntropy entropy_;
  std::unique_ptr<FencedAcquire> fenced_;
  std::vector<Request> sent_;
};

TEST_F(FencedAcquireOfThree, ProposesTheWallClockWithTheLock) {
  const auto sets = only<SetAllIfAbsent>(sent_);
  EXPECT_EQ(nodes_of(sets), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(std::get<SetAllIfAbsent>(*sets[0].command).fence,
            (FenceProposal{kWallUs, kFenceTtlDefault}));
}

TEST_F(FencedAcquireOfThree, WhatAMajorityRecordedIsTheFenceInOneRound) {
  reply(0, kRecorded);
  EXPECT_FALSE(decision());
  reply(2, kRecorded);
  ASSERT_EQ(decision(), Decision::granted);
  EXPECT_EQ(fenced_->outcome()->fence, kWallUs);
  EXPECT_EQ(fenced_->next_deadline(), std::nullopt);
}

TEST_F(FencedAcquireOfThree, AMajorityOfGrantsThatDidNotAllRecordItIsNoFenceYet) {
  acquire_behind(5);
  EXPECT_FALSE(decision());
  const auto raises = only<RaiseFence>(sent_);
  EXPECT_EQ(nodes_of(raises), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(raised(), kWallUs + 1'000);
}

TEST_F(FencedAcquireOfThree, IsRaisedAboveTheLargestThatWasSaid) {
  acquire_behind(kWallUs * 2);
  EXPECT_EQ(raised(), kWallUs * 2 + 1);
  reply(0, Reply::granted(), t(2));
  reply(1, Reply::granted(), t(2));
  ASSERT_EQ(decision(), Decision::granted);
  EXPECT_EQ(fenced_->outcome()->fence, kWallUs * 2 + 1);
}

TEST_F(FencedAcquireOfThree, IsRaisedWhereNothingWasSaidOfFencesAsBehindAHandOver) {
  reply(0, Reply::granted());
  reply(1, Reply::granted());
  EXPECT_EQ(raised(), kWallUs + 1'000);
}

TEST_F(FencedAcquireOfThree, IsRaisedWhereTheProposalIsOldAsBehindAWait) {
  const Instant late = t(0) + kAnswerTime + Duration::ms(1);
  reply(0, kRecorded, late);
  reply(1, kRecorded, late);
  EXPECT_FALSE(decision());
  EXPECT_EQ(raised(), kWallUs + 51'000);
}

TEST_F(FencedAcquireOfThree, IsRaisedOnceMoreWhereItWasNotLarger) {
  acquire_behind(5);
  reply(0, not_larger_than(kWallUs + 9'000), t(2));
  reply(1, Reply::granted(), t(2));
  EXPECT_FALSE(decision());
  reply(2, Reply::denied(), t(2));
  EXPECT_EQ(raised(), kWallUs + 9'001);
  reply(0, Reply::granted(), t(3));
  reply(1, Reply::granted(), t(3));
  EXPECT_EQ(fenced_->outcome()->fence, kWallUs + 9'001);
}

TEST_F(FencedAcquireOfThree, IsRaisedAboveWhatItRecordedItselfWhereTheOthersWereSilent) {
  acquire_behind(kWallUs * 2);
  const std::int64_t before = raised();
  reply(0, Reply::granted(), t(2));
  reply(2, Reply::denied(), t(2));
  fenced_->on_time(t(1) + kAnswerTime);
  sent_ = drain(*fenced_);
  ASSERT_FALSE(decision());
  EXPECT_GT(raised(), before);
}

TEST_F(FencedAcquireOfThree, WhereAServerFailsAtOnceItIsNotRaisedBeforeItsTimeIsOver) {
  acquire_behind(5);
  const std::int64_t before = raised();
  reply(0, Reply::granted(), t(2));
  reply(2, Reply::denied(), t(2));
  reply(1, Reply::unknown(Fault::closed, "gone"), t(3));
  EXPECT_EQ(raised(), before);
  EXPECT_EQ(fenced_->next_deadline(), t(1) + kAnswerTime);
  fenced_->on_time(t(1) + kAnswerTime);
  sent_ = drain(*fenced_);
  EXPECT_GT(raised(), before);
}

TEST_F(FencedAcquireOfThree, WhereTheMissingServerIsSilentAgainAndAgainThatIsToldAsAnOutage) {
  acquire_behind(5);
  Instant now = t(1);
  for (std::size_t i = 0; i < kFenceRaisesMax; ++i) {
    ASSERT_FALSE(decision()) << i;
    reply(0, Reply::granted(), now);
    reply(2, Reply::denied(), now);
    reply(1, Reply::unknown(Fault::closed, "gone"), now);
    now = fenced_->next_deadline().value_or(now);
    fenced_->on_time(now);
    if (!decision()) sent_ = drain(*fenced_);
  }
  EXPECT_EQ(decision(), Decision::unreachable);
}

TEST_F(FencedAcquireOfThree, GivesUpWhereOthersAreLargerAgainAndAgain) {
  acquire_behind(kWallUs * 2);
  for (std::size_t i = 0; i < kFenceRaisesMax; ++i) {
    ASSERT_FALSE(decision()) << i;
    const std::int64_t proposal = raised();
    reply(0, not_larger_than(proposal));
    reply(1, not_larger_than(proposal));
  }
  EXPECT_EQ(decision(), Decision::expired_in_flight);
}

TEST_F(FencedAcquireOfThree, ValidityCountsFromTheLocksStartNotFromTheRaise) {
  acquire_behind(5);
  reply(0, Reply::granted(), t(30));
  reply(1, Reply::granted(), t(30));
  EXPECT_EQ(fenced_->outcome()->validity, Duration::ms(1'000 - 30 - 12));
  EXPECT_EQ(fenced_->outcome()->decided_at, t(30));
}

TEST_F(FencedAcquireOfThree, ALockThatNoMajorityHasAtTheRaiseIsUndone) {
  acquire_behind(5);
  reply(0, Reply::denied(), t(2));
  reply(1, Reply::denied(), t(2));
  EXPECT_EQ(decision(), Decision::expired_in_flight);
  EXPECT_EQ(nodes_of(only<ReleaseAndHandOver>(sent_)), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_FALSE(fenced_->outcome()->fence);
}

TEST_F(FencedAcquireOfThree, SilenceAtTheRaiseIsAskedOnceMoreWhileTheLockLasts) {
  acquire_behind(5);
  fenced_->on_time(t(1) + kAnswerTime);
  sent_ = drain(*fenced_);
  EXPECT_EQ(nodes_of(only<RaiseFence>(sent_)), (std::vector<std::size_t>{0, 1, 2}));
  reply(0, Reply::granted(), t(60));
  reply(2, Reply::granted(), t(60));
  EXPECT_EQ(decision(), Decision::granted);
}

TEST_F(FencedAcquireOfThree, SilenceAgainAndAgainIsAnOutageAndUndone) {
  acquire_behind(5);
  while (!decision()) {
    fenced_->on_time(fenced_->next_deadline().value());
    sent_ = drain(*fenced_);
  }
  EXPECT_EQ(decision(), Decision::unreachable);
  EXPECT_EQ(nodes_of(only<ReleaseAndHandOver>(sent_)), (std::vector<std::size_t>{0, 1, 2}));
}

TEST_F(FencedAcquireOfThree, AFenceThatComesWhenTheLockIsOverIsNoGrant) {
  acquire_behind(5);
  reply(0, Reply::granted(), t(2));
  reply(1, Reply::granted(), t(990));
  EXPECT_EQ(decision(), Decision::expired_in_flight);
  EXPECT_EQ(only<ReleaseAndHandOver>(sent_).size(), 3U);
}

TEST_F(FencedAcquireOfThree, GivenUpWhileItRaisesUndoesTheLockAndAcquiresNothingMore) {
  acquire_behind(5);
  fenced_->abort(t(2));
  EXPECT_EQ(decision(), Decision::aborted);
  const std::vector<Request> undo = drain(*fenced_);
  EXPECT_EQ(only<ReleaseAndHandOver>(undo).size(), undo.size());
  EXPECT_EQ(undo.size(), 3U);
}

TEST_F(FencedAcquireOfThree, GivenUpWhereNoMemoryLetItRaiseUndoesTheLock) {
  reply(0, kRecorded);
  const Reply behind = taken_behind(5);
  const AttemptNumber attempt = sent_.at(0).attempt;
  const test::Tried tried = test::try_without(
      0, test::Shortage::once, [&] { fenced_->on_reply(NodeIndex(1), attempt, behind, t(1)); });
  ASSERT_TRUE(tried.threw);
  fenced_->abort(t(2));
  EXPECT_EQ(decision(), Decision::aborted);
  EXPECT_EQ(nodes_of(only<ReleaseAndHandOver>(drain(*fenced_))),
            (std::vector<std::size_t>{0, 1, 2}));
}

TEST_F(FencedAcquireOfThree, ARefusedLockIsRefusedAndProposesNothing) {
  reply(0, Reply::denied());
  reply(1, Reply::denied());
  EXPECT_EQ(decision(), Decision::denied);
  EXPECT_TRUE(only<RaiseFence>(sent_).empty());
}

TEST_F(FencedAcquireOfThree, AnAnswerToTheAcquireIsNoneToTheRaise) {
  const AttemptNumber acquire = sent_.at(0).attempt;
  acquire_behind(5);
  for (const std::size_t node : {0U, 1U, 2U}) {
    fenced_->on_reply(NodeIndex(node), acquire, kRecorded, t(2));
  }
  EXPECT_FALSE(decision());
}

TEST(FenceProposals, FollowTheClockAndStayBelowTheLargest) {
  EXPECT_EQ(kProposals.above(1, t(3)), kWallUs + 3'000);
  EXPECT_EQ(kProposals.above(kFenceMax - 1, t(3)), kFenceMax);
  EXPECT_EQ(kProposals.above(kFenceMax, t(3)), kFenceMax);
  EXPECT_EQ((FenceProposals{-5, t(0)}.first()), 1);
  EXPECT_EQ((FenceProposals{kFenceMax + 1, t(0)}.first()), kFenceMax);
}

}  // namespace
}  // namespace redlock::fenced_acquire_test
