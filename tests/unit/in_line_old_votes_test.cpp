// What becomes of votes that are old, or over, where their server cannot be asked again.
#include <gtest/gtest.h>

#include "redlock/algorithm/in_line.hpp"
#include "support/wait_fixture.hpp"

namespace redlock {
namespace {

using test::kAnswerTime;
using test::kWaitersTtl;
using test::Nodes;
using test::nodes_of;
using test::only;
using test::t;
using test::Wait;

TEST_F(Wait, AStaleVoteThatCannotBeRenewedIsForgotten) {
  stand(Duration::ms(30'000), 3, Duration::ms(1'000));
  drain();
  grant(0, t(1));
  line_->take_hearing(NodeIndex(0), {{}, Fault::maxclients, "full"}, t(2));
  deny(1, t(2));
  deny(2, t(2));
  push(1, t(1'500));
  ASSERT_EQ(nodes_of(only<Join>(drain())), (Nodes{1}));
  grant(1, t(1'501));
  // One vote is no majority, and is not asked for again and again.
  EXPECT_EQ(line_->outcome(), nullptr);
  EXPECT_TRUE(only<Join>(drain()).empty());
}

TEST_F(Wait, SoIsOneOfAServerThatIsDown) {
  stand(Duration::ms(30'000), 3, Duration::ms(1'000));
  deny_all(t(1));
  push(0, t(2));
  line_->take_hearing(NodeIndex(0), {{}, Fault::closed, "gone"}, t(3));
  push(1, t(1'500));
  ASSERT_EQ(nodes_of(only<Join>(drain())), (Nodes{1}));
  grant(1, t(1'501));
  EXPECT_EQ(line_->outcome(), nullptr);
  EXPECT_TRUE(only<Join>(drain()).empty());
  // Where it comes back as it was, the vote is asked for anew.
  line_->take_hearing(NodeIndex(0), {"there", {}, {}}, t(1'502));
  ASSERT_EQ(nodes_of(only<Join>(drain())), (Nodes{0}));
  grant(0, t(1'503));
  EXPECT_TRUE(granted());
}

TEST_F(Wait, AVoteThatIsGoodStaysThoughItCannotBeRenewedAndAnotherCan) {
  stand(Duration::ms(30'000), 3, Duration::ms(1'000));
  deny_all(t(1));
  line_->take_hearing(NodeIndex(0), {"there", {}, {}}, t(1'200));
  drain();
  grant(0, t(1'201));
  line_->take_hearing(NodeIndex(0), {{}, Fault::maxclients, "full"}, t(1'202));
  push(1, t(1'203));
  ASSERT_EQ(nodes_of(only<Join>(drain())), (Nodes{1}));
  grant(1, t(1'204));
  ASSERT_TRUE(granted());
  EXPECT_EQ(line_->outcome()->validity, validity_of(ttl_, Duration::ms(4), kDriftFactorDefault));
}

TEST_F(Wait, WithAnOldVoteThatCannotBeRenewedTheOthersAreAskedOnceMoreAndNotForEver) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  push(0, t(2));
  line_->take_hearing(NodeIndex(0), {{}, Fault::closed, "gone"}, t(3));
  push(1, t(6'000));
  ASSERT_EQ(nodes_of(only<Join>(drain())), (Nodes{1}));
  grant(1, t(6'001));
  ASSERT_TRUE(granted());
  EXPECT_EQ(line_->outcome()->validity,
            validity_of(kWaitersTtl, Duration::ms(6'001), kDriftFactorDefault));
}

TEST_F(Wait, AMajorityOfVotesThatAreOverAtTheEndCameTooLate) {
  stand(Duration::ms(1'400), 3, Duration::ms(1'000));
  drain();
  grant(0, t(1));
  line_->take_hearing(NodeIndex(0), {{}, Fault::maxclients, "full"}, t(2));
  deny(1, t(2));
  deny(2, t(2));
  push(1, t(1'400));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::late);
}

TEST_F(Wait, WhyAServerRefusesIsToldThoughOtherVotesAreForgotten) {
  stand(Duration::ms(30'000), 5, Duration::ms(1'000));
  drain();
  grant(0, t(1));
  line_->take_hearing(NodeIndex(0), {{}, Fault::maxclients, "full"}, t(2));
  answer(3, Reply::unknown(Fault::acl, "NOPERM"), t(2));
  for (const std::size_t node : {1U, 2U, 4U}) deny(node, t(2));
  push(1, t(1'500));
  push(2, t(1'500));
  line_->abort(t(1'501));
  EXPECT_EQ(line_->outcome()->nodes[0].reply.fault, Fault::maxclients);
  EXPECT_EQ(line_->outcome()->nodes[3].reply.fault, Fault::acl);
}

// Its own join is on its way, and makes up for the one that is as good as over.
TEST_F(Wait, WhatIsAskedAlreadyIsWaitedForBeforeAnOldVoteThatCannotBeRenewed) {
  stand(Duration::ms(60'000));
  drain();
  grant(1, t(1));
  for (const std::size_t node : {0U, 2U}) deny(node, t(1));
  line_->take_hearing(NodeIndex(1), {{}, Fault::closed, "gone"}, t(2));
  push(0, t(9'600));
  push(2, t(9'601));
  ASSERT_EQ(nodes_of(only<Join>(drain())), (Nodes{0, 2}));
  grant(0, t(9'602));
  EXPECT_FALSE(granted());
  EXPECT_TRUE(only<Join>(drain()).empty()) << "what is fresh is not asked for again";
  grant(2, t(9'603));
  ASSERT_TRUE(granted());
  EXPECT_GT(line_->outcome()->validity * 2, kWaitersTtl);
}

TEST_F(Wait, WhereThatIsNotAnsweredTheOldVoteIsTakenWhileItLives) {
  stand(Duration::ms(60'000));
  drain();
  grant(1, t(1));
  for (const std::size_t node : {0U, 2U}) deny(node, t(1));
  line_->take_hearing(NodeIndex(1), {{}, Fault::closed, "gone"}, t(2));
  push(0, t(9'600));
  push(2, t(9'601));
  drain();
  grant(0, t(9'602));
  line_->take_time(t(9'601) + kAnswerTime);
  ASSERT_TRUE(granted());
  EXPECT_EQ(line_->outcome()->validity,
            validity_of(kWaitersTtl, Duration::ms(9'651), kDriftFactorDefault));
}

TEST_F(Wait, AServerThatIsDownSinceItsVoteIsOverDeniesNothing) {
  stand(Duration::ms(5'000), 3, Duration::ms(1'000));
  drain();
  grant(0, t(1));
  deny(1, t(1));
  line_->take_hearing(NodeIndex(0), {{}, Fault::closed, "gone"}, t(2));
  line_->take_hearing(NodeIndex(2), {{}, Fault::refused, "nobody there"}, t(2));
  line_->take_time(t(100));
  line_->take_time(t(4'000));
  line_->take_time(t(5'000));
  line_->take_time(t(5'000) + kAnswerTime);
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::unreachable);
}

// One is deaf, and the other's subscriptions do not stand.
TEST_F(Wait, OldVotesAreTheLockForAsLongAsTheyLiveWhereNobodyCanBeAskedAgain) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  push(0, t(6'000));
  line_->take_hearing(NodeIndex(0), {{}, Fault::closed, "gone"}, t(6'001));
  for (int i = 0; i <= kBriefHearingsMax; ++i) {
    line_->take_hearing(NodeIndex(1), {"there", {}, {}}, t(6'001));
    drain();
    deny(1, t(6'001));
  }
  EXPECT_FALSE(granted());
  push(1, t(6'002));
  ASSERT_TRUE(granted());
  EXPECT_EQ(line_->outcome()->validity,
            validity_of(kWaitersTtl, Duration::ms(6'002), kDriftFactorDefault));
}

}  // namespace
}  // namespace redlock
