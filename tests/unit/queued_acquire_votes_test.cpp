// What the votes are worth to who stands in line, and when they are given back.
#include "redlock/queue/queued_acquire.hpp"

#include <gtest/gtest.h>

#include "support/wait_fixture.hpp"

namespace redlock::queued_acquire_votes_test {
namespace {

using test::kAnswerTime;
using test::kWaitersTtl;
using test::kWall;
using test::Nodes;
using test::nodes_of;
using test::only;
using test::t;
using test::Wait;

TEST_F(Wait, AMajorityThatIsHandedOverIsTheLock) {
  stand(Duration::ms(5'000));
  deny_all(t(1));
  push(2, t(300));
  EXPECT_FALSE(granted());
  push(0, t(301));
  ASSERT_TRUE(granted());
  EXPECT_TRUE(line_->outcome()->handed_over);
  EXPECT_EQ(line_->outcome()->token, join(0).token);
  EXPECT_TRUE(only<ReleaseAndHandOver>(drain()).empty());
  EXPECT_FALSE(line_->next_deadline());
}

TEST_F(Wait, JoinsOfOneTurnAreOneAttempt) {
  stand(Duration::ms(20'000));
  deny_all(t(1));
  const auto latest = joins_.at(2).attempt;
  line_->on_time(t(10'001));
  const std::vector<Request> again = only<Enqueue>(drain());
  ASSERT_EQ(again.size(), 3U);
  for (const Request& request : again) EXPECT_EQ(request.attempt, latest + 1);
}

TEST_F(Wait, AMajorityOfAnswersAloneWasNotHandedOver) {
  stand(Duration::ms(5'000));
  drain();
  grant(0, t(1));
  grant(2, t(1));
  ASSERT_TRUE(granted());
  EXPECT_FALSE(line_->outcome()->handed_over);
}

TEST_F(Wait, ValidityCountsFromTheJoinAndNotFromThePush) {
  stand(Duration::ms(5'000));
  deny_all(t(1));
  push(0, t(300));
  push(1, t(301));
  ASSERT_TRUE(granted());
  EXPECT_EQ(line_->outcome()->validity,
            validity_of(kWaitersTtl, Duration::ms(301), kDriftFactorDefault));
  EXPECT_EQ(line_->outcome()->decided_at, t(301));
  EXPECT_GE(line_->outcome()->gone_by, t(301) + kWaitersTtl);
}

TEST_F(Wait, ValidityCountsFromTheMajorityThLatestJoin) {
  stand(Duration::ms(20'000));
  drain();
  deny(0, t(1), "2000 0 " + std::to_string(kWall));
  deny(1, t(1));
  deny(2, t(1));
  line_->on_time(t(1'001));  // the first of node 0 asks again
  drain();
  grant(0, t(1'002));
  push(1, t(1'100));
  ASSERT_TRUE(granted());
  EXPECT_EQ(line_->outcome()->validity,
            validity_of(kWaitersTtl, Duration::ms(1'100), kDriftFactorDefault));
}

TEST_F(Wait, VotesBehindOldJoinsAreAskedForOnceMore) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  push(0, t(6'000));
  push(1, t(6'000));
  EXPECT_FALSE(granted());
  EXPECT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0, 1}));
  grant(0, t(6'001));
  EXPECT_FALSE(granted());
  grant(1, t(6'001));
  ASSERT_TRUE(granted());
  EXPECT_EQ(line_->outcome()->validity,
            validity_of(kWaitersTtl, Duration::ms(1), kDriftFactorDefault));
}

TEST_F(Wait, OldVotesAreAskedForOnceMoreThoughOnlyOneOfThemWasHandedOver) {
  stand(Duration::ms(60'000));
  drain();
  grant(1, t(1));
  for (const std::size_t node : {0U, 2U}) deny(node, t(1));
  push(0, t(6'000));
  EXPECT_FALSE(granted());
  EXPECT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0, 1}));
}

TEST_F(Wait, OldVotesAreTakenAsTheyAreWhenTheWaitEnds) {
  stand(Duration::ms(6'000));
  deny_all(t(1));
  push(0, t(5'999));
  push(1, t(6'000));
  ASSERT_TRUE(granted());
}

TEST_F(Wait, AVoteIsVoidWhileItIsJoinedAgain) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  push(0, t(10));
  line_->on_time(t(10) + Duration::ms(10));  // too few: offered to whoever was earlier
  ASSERT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0}));
  push(1, t(21));
  EXPECT_FALSE(granted());
  grant(0, t(22));
  EXPECT_TRUE(granted());
}

TEST_F(Wait, TooFewVotesAreOfferedLaterEachTime) {
  stand(Duration::ms(60'000));
  deny_all(t(1));  // a round trip of 1 ms
  push(0, t(10));
  Instant due = t(13);
  Duration pause = Duration::ms(3);
  for (int i = 0; i < 12; ++i) {
    ASSERT_EQ(line_->next_deadline(), due) << i;
    line_->on_time(due);
    ASSERT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0})) << i;
    grant(0, due);
    pause = std::min(pause * 2, kOfferPauseMax);
    due = due + pause;
  }
}

TEST_F(Wait, AnAnswerThatIsDoubledIsNoRoundTrip) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  deny(1, t(300));
  push(0, t(301));
  EXPECT_EQ(line_->next_deadline(), t(304));
}

TEST_F(Wait, VotesThatNobodyTakesAreGivenBackWhileOthersHaveTheLock) {
  stand(Duration::ms(60'000));
  drain();
  grant(0, t(1));  // its server has forgotten the lock
  for (const std::size_t node : {1U, 2U}) deny(node, t(1));
  for (int offers = 1; offers < kOffersMax; ++offers) {
    const Instant due = line_->next_deadline().value();
    line_->on_time(due);
    drain();
    EXPECT_EQ(join(0).entry.policy, ClaimPolicy::claim) << offers;
    grant(0, due);
  }
  const Instant due = line_->next_deadline().value();
  line_->on_time(due);
  ASSERT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0}));
  EXPECT_EQ(join(0).entry.policy, ClaimPolicy::observe);
  deny(0, due, "-2 0 " + std::to_string(kWall));
  EXPECT_EQ(line_->next_deadline(), due + kFirstAsksEvery);
}

TEST_F(Wait, WithAVoteMoreTheyAreOfferedAsOftenOnceMore) {
  stand(Duration::ms(60'000), 5);
  drain();
  grant(0, t(1));
  for (const std::size_t node : {1U, 2U, 3U, 4U}) deny(node, t(1));
  Instant due;
  for (int offers = 1; offers < kOffersMax; ++offers) {
    due = line_->next_deadline().value();
    line_->on_time(due);
    drain();
    grant(0, due);
  }
  push(3, due);
  due = line_->next_deadline().value();
  line_->on_time(due);
  drain();
  EXPECT_EQ(join(0).entry.policy, ClaimPolicy::claim);
}

TEST_F(Wait, VotesAreNotGivenBackWhileNobodyElseHasTheLock) {
  stand(Duration::ms(60'000));
  drain();
  grant(0, t(1));
  deny(1, t(1));
  for (int offers = 1; offers < 2 * kOffersMax; ++offers) {
    const Instant due = line_->next_deadline().value();
    line_->on_time(due);
    drain();
    EXPECT_EQ(join(0).entry.policy, ClaimPolicy::claim) << offers;
    grant(0, due);
  }
}

TEST_F(Wait, WhatAServerHasForgottenIsLeftToWhoHasTheLock) {
  stand(Duration::ms(60'000));
  drain();
  for (std::size_t node = 0; node < 3; ++node) {
    EXPECT_EQ(join(node).entry.policy, ClaimPolicy::claim);
    deny(node, t(1), "500 0 " + std::to_string(kWall));
  }
  line_->on_subscription(NodeIndex(0), {"", Fault::closed, "restarted"}, t(100));
  line_->on_subscription(NodeIndex(0), {"there", {}, {}}, t(200));
  ASSERT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0}));
  EXPECT_EQ(join(0).entry.policy, ClaimPolicy::observe);
  deny(0, t(201), "-2 0 " + std::to_string(kWall));
  EXPECT_TRUE(drain().empty());
  // Until the others are free too.
  line_->on_time(t(503));
  EXPECT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0, 1, 2}));
  for (std::size_t node = 0; node < 3; ++node)
    EXPECT_EQ(join(node).entry.policy, ClaimPolicy::claim);
}

TEST_F(Wait, WhatWasLeftIsTakenOnceAMajorityIsWithinReach) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  line_->on_subscription(NodeIndex(0), {"there", {}, {}}, t(2));
  drain();
  deny(0, t(3), "-2 0 " + std::to_string(kWall));
  EXPECT_TRUE(drain().empty());
  push(1, t(4));
  EXPECT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0}));
  EXPECT_EQ(join(0).entry.policy, ClaimPolicy::claim);
  grant(0, t(5));
  EXPECT_TRUE(granted());
}

// Whoever can be asked by more servers would wait for it as long as we do.
TEST_F(Wait, AVoteIsYieldedWhereNoMajorityCanBeAsked) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  for (const std::size_t node : {1U, 2U}) {
    line_->on_subscription(NodeIndex(node), {"", Fault::timeout, "no answer"}, t(2));
  }
  EXPECT_TRUE(drain().empty());
  push(0, t(3));
  ASSERT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0}));
  EXPECT_EQ(join(0).entry.policy, ClaimPolicy::yield);
  deny(0, t(4), "500 0 " + std::to_string(kWall));
  EXPECT_TRUE(drain().empty());
}

TEST_F(Wait, WhatWasYieldedIsTakenOnceAMajorityCanBeAsked) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  for (const std::size_t node : {1U, 2U}) {
    line_->on_subscription(NodeIndex(node), {"", Fault::closed, "gone"}, t(2));
  }
  push(0, t(3));
  drain();
  deny(0, t(4), "-2 0 " + std::to_string(kWall));
  EXPECT_TRUE(drain().empty());
  line_->on_subscription(NodeIndex(1), {"there", {}, {}}, t(5));
  ASSERT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{1}));
  EXPECT_EQ(join(1).entry.policy, ClaimPolicy::yield);
  deny(1, t(6), "-2 0 " + std::to_string(kWall));
  ASSERT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0, 1}));
  for (const std::size_t node : {0U, 1U}) EXPECT_EQ(join(node).entry.policy, ClaimPolicy::claim);
}

// What is told to be free is within reach again, whatever its server said before.
TEST_F(Wait, ALockThatIsToldToBeFreeIsTaken) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  for (const std::size_t node : {0U, 1U}) {
    line_->on_push(NodeIndex(node), {Push::Kind::next, join(node).token, 0, Duration()}, t(9));
  }
  ASSERT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0, 1}));
  EXPECT_EQ(join(1).entry.policy, ClaimPolicy::claim);
}

TEST_F(Wait, ALockWithoutAnEndIsOutOfReachForGood) {
  stand(Duration::ms(60'000));
  drain();
  for (std::size_t node = 0; node < 3; ++node) deny(node, t(1), "-1 0 " + std::to_string(kWall));
  line_->on_subscription(NodeIndex(0), {"there", {}, {}}, t(30'000));
  drain();
  EXPECT_EQ(join(0).entry.policy, ClaimPolicy::retain);
}

// A release may have handed it the vote by the time this arrives.
TEST_F(Wait, WhoAsksWhileOthersHaveTheLockKeepsWhatIsHandedToHim) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  const Push next{Push::Kind::next, join(0).token, 0, kWaitersTtl};
  line_->on_push(NodeIndex(0), next, t(6'000));
  ASSERT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0})) << "his join before that is old";
  EXPECT_EQ(join(0).entry.policy, ClaimPolicy::retain);
  grant(0, t(6'001));
  push(1, t(6'001));
  EXPECT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{1})) << "the other vote is too old to last";
  EXPECT_EQ(join(1).entry.policy, ClaimPolicy::claim);
  grant(1, t(6'002));
  EXPECT_TRUE(granted());
}

// Kept, it would be renewed with each join whose answer is lost, and no lease had room there.
TEST_F(Wait, WhoseAnswerIsLostGivesBackWhatHeMayHave) {
  stand(Duration::ms(60'000));
  drain();
  for (const std::size_t node : {1U, 2U}) deny(node, t(1));
  const Instant overdue = t(0) + kAnswerTime;
  line_->on_time(overdue);
  line_->on_time(overdue + kTroublePauseFirst);
  ASSERT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0}));
  EXPECT_EQ(join(0).entry.policy, ClaimPolicy::observe);
}

TEST_F(Wait, AVoteMoreForTheLockThatItHasIsItsOwn) {
  stand(Duration::ms(500));
  deny_all(t(1));
  push(0, t(2));
  push(1, t(2));
  ASSERT_TRUE(granted());
  push(2, t(3));
}

TEST_F(Wait, AVoteIsNotTrustedBeyondItsLife) {
  stand(Duration::ms(60'000), 3, Duration::ms(100));
  deny_all(t(1));
  push(0, t(2));
  line_->on_time(t(5));
  drain();
  grant(0, t(5));
  push(1, t(150));  // behind a join of t(0): its key may be gone
  EXPECT_FALSE(granted());
}

TEST_F(Wait, AnswersSlowerThanTheLockLivesNeverGrantIt) {
  stand(Duration::ms(200), 1, Duration::ms(20));
  for (std::int64_t ms = 25; ms <= 200; ms += 25) {
    ASSERT_EQ(only<Enqueue>(drain()).size(), 1U) << ms;
    grant(0, t(ms));
    ASSERT_FALSE(granted()) << ms;
  }
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::expired_in_flight);
}

}  // namespace
}  // namespace redlock::queued_acquire_votes_test
