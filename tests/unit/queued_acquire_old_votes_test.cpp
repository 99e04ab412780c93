// What becomes of votes that are old, or over, where their server cannot be asked again.
#include <gtest/gtest.h>

#include "redlock/queue/queued_acquire.hpp"
#include "support/wait_fixture.hpp"

namespace redlock::queued_acquire_old_votes_test {
namespace {

using test::kAnswerTime;
using test::kWaitersTtl;
using test::Nodes;
using test::nodes_of;
using test::only;
using test::t;
using test::Wait;

class OldVotes : public Wait {
 protected:
  // In the lines of three: `voter` has given its vote in its answer, the others have denied it, and
  // then it cannot be heard any more.
  void stand_with_a_vote_of(std::size_t voter, Duration wait, Duration ttl, Fault fault) {
    stand(wait, 3, ttl);
    drain();
    for (std::size_t node = 0; node < 3; ++node)
      node == voter ? grant(node, t(1)) : deny(node, t(1));
    go_silent(voter, fault, t(2));
  }
  void go_silent(std::size_t node, Fault fault, Instant now) {
    line_->on_subscription(NodeIndex(node), {{}, fault, "gone"}, now);
  }
  void expect_joins(const Nodes& nodes) { EXPECT_EQ(nodes_of(only<Enqueue>(drain())), nodes); }
  void expect_granted_for(Duration age) {
    ASSERT_TRUE(granted());
    EXPECT_EQ(line_->outcome()->validity, validity_of(ttl_, age, kDriftFactorDefault));
  }
};

TEST_F(OldVotes, AStaleVoteThatCannotBeRenewedIsForgotten) {
  stand_with_a_vote_of(0, Duration::ms(30'000), Duration::ms(1'000), Fault::maxclients);
  push(1, t(1'500));
  expect_joins({1});
  grant(1, t(1'501));
  // One vote is no majority, and is not asked for again and again.
  EXPECT_EQ(line_->outcome(), nullptr);
  expect_joins({});
}

TEST_F(OldVotes, SoIsOneOfAServerThatIsDown) {
  stand(Duration::ms(30'000), 3, Duration::ms(1'000));
  deny_all(t(1));
  push(0, t(2));
  go_silent(0, Fault::closed, t(3));
  push(1, t(1'500));
  expect_joins({1});
  grant(1, t(1'501));
  EXPECT_EQ(line_->outcome(), nullptr);
  expect_joins({});
  // Where it comes back as it was, the vote is asked for anew.
  line_->on_subscription(NodeIndex(0), {"there", {}, {}}, t(1'502));
  expect_joins({0});
  grant(0, t(1'503));
  EXPECT_TRUE(granted());
}

TEST_F(OldVotes, AVoteThatIsGoodStaysThoughItCannotBeRenewedAndAnotherCan) {
  stand(Duration::ms(30'000), 3, Duration::ms(1'000));
  deny_all(t(1));
  line_->on_subscription(NodeIndex(0), {"there", {}, {}}, t(1'200));
  drain();
  grant(0, t(1'201));
  go_silent(0, Fault::maxclients, t(1'202));
  push(1, t(1'203));
  expect_joins({1});
  grant(1, t(1'204));
  expect_granted_for(Duration::ms(4));
}

TEST_F(OldVotes, WithAnOldVoteThatCannotBeRenewedTheOthersAreAskedOnceMoreAndNotForEver) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  push(0, t(2));
  go_silent(0, Fault::closed, t(3));
  push(1, t(6'000));
  expect_joins({1});
  grant(1, t(6'001));
  expect_granted_for(Duration::ms(6'001));
}

TEST_F(OldVotes, AMajorityOfVotesThatAreOverAtTheEndCameTooLate) {
  stand_with_a_vote_of(0, Duration::ms(1'400), Duration::ms(1'000), Fault::maxclients);
  push(1, t(1'400));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::expired_in_flight);
}

TEST_F(OldVotes, WhyAServerRefusesIsToldThoughOtherVotesAreForgotten) {
  stand(Duration::ms(30'000), 5, Duration::ms(1'000));
  drain();
  grant(0, t(1));
  go_silent(0, Fault::maxclients, t(2));
  answer(3, Reply::unknown(Fault::acl, "NOPERM"), t(2));
  for (const std::size_t node : {1U, 2U, 4U}) deny(node, t(2));
  push(1, t(1'500));
  push(2, t(1'500));
  line_->abort(t(1'501));
  EXPECT_EQ(line_->outcome()->nodes[0].reply.fault, Fault::maxclients);
  EXPECT_EQ(line_->outcome()->nodes[3].reply.fault, Fault::acl);
}

// Its own join is on its way, and makes up for the one that is as good as over.
TEST_F(OldVotes, WhatIsAskedAlreadyIsWaitedForBeforeAnOldVoteThatCannotBeRenewed) {
  stand_with_a_vote_of(1, Duration::ms(60'000), kWaitersTtl, Fault::closed);
  push(0, t(9'600));
  push(2, t(9'601));
  expect_joins({0, 2});
  grant(0, t(9'602));
  EXPECT_FALSE(granted());
  EXPECT_TRUE(only<Enqueue>(drain()).empty()) << "what is fresh is not asked for again";
  grant(2, t(9'603));
  ASSERT_TRUE(granted());
  EXPECT_GT(line_->outcome()->validity * 2, kWaitersTtl);
}

TEST_F(OldVotes, WhereThatIsNotAnsweredTheOldVoteIsTakenWhileItLives) {
  stand_with_a_vote_of(1, Duration::ms(60'000), kWaitersTtl, Fault::closed);
  push(0, t(9'600));
  push(2, t(9'601));
  drain();
  grant(0, t(9'602));
  line_->on_time(t(9'601) + kAnswerTime);
  expect_granted_for(Duration::ms(9'651));
}

TEST_F(OldVotes, AServerThatIsDownSinceItsVoteIsOverDeniesNothing) {
  stand(Duration::ms(5'000), 3, Duration::ms(1'000));
  drain();
  grant(0, t(1));
  deny(1, t(1));
  go_silent(0, Fault::closed, t(2));
  go_silent(2, Fault::refused, t(2));
  line_->on_time(t(100));
  line_->on_time(t(4'000));
  line_->on_time(t(5'000));
  line_->on_time(t(5'000) + kAnswerTime);
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::unreachable);
}

// One is unsubscribed, and the other's subscriptions do not stand.
TEST_F(OldVotes, OldVotesAreTheLockForAsLongAsTheyLiveWhereNobodyCanBeAskedAgain) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  push(0, t(6'000));
  go_silent(0, Fault::closed, t(6'001));
  for (int i = 0; i <= kBriefSubscriptionsMax; ++i) {
    line_->on_subscription(NodeIndex(1), {"there", {}, {}}, t(6'001));
    drain();
    deny(1, t(6'001));
  }
  EXPECT_FALSE(granted());
  push(1, t(6'002));
  expect_granted_for(Duration::ms(6'002));
}

}  // namespace
}  // namespace redlock::queued_acquire_old_votes_test
