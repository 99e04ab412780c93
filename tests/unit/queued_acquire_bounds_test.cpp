// To the nanosecond: how old the votes of who waits in line may be, and what is over with them.
#include <gtest/gtest.h>

#include "redlock/queue/queued_acquire.hpp"
#include "support/wait_fixture.hpp"

namespace redlock::queued_acquire_bounds_test {
namespace {

using test::kOneNs;
using test::kWaitersTtl;
using test::kWall;
using test::Nodes;
using test::nodes_of;
using test::only;
using test::t;
using test::Wait;

class AgeOfVotes : public Wait {
 protected:
  // How long a vote may be trusted behind its join.
  static Duration life(Duration ttl) { return validity_of(ttl, Duration(), kDriftFactorDefault); }
  void go_silent(std::size_t node, Instant now) {
    line_->on_subscription(NodeIndex(node), {{}, Fault::closed, "gone"}, now);
  }
};

constexpr Duration kShort = Duration::ms(1'000);

TEST_F(AgeOfVotes, AVoteOfHalfItsLifeIsNotAskedForOnceMore) {
  stand(Duration::ms(60'000));
  drain();
  deny(0, t(1), "2000 0 " + std::to_string(kWall));
  for (const std::size_t node : {1U, 2U}) deny(node, t(1));
  const Instant joined = t(1'001);  // the first of node 0 asks again
  line_->on_time(joined);
  ASSERT_EQ(nodes_of(only<Enqueue>(drain())), Nodes{0});
  grant(0, joined);
  push(1, joined + Duration::ns(life(kWaitersTtl).count_ns() / 2));
  EXPECT_EQ(nodes_of(only<Enqueue>(drain())), Nodes{1}) << "which is older";
}

TEST_F(AgeOfVotes, OfWhichNothingIsLeftGrantNothing) {
  for (const Duration before : {kOneNs, Duration()}) {
    const Duration wait = life(kShort) - before;
    stand(wait, 3, kShort);
    deny_all(t(1));
    push(0, t(0) + wait - kOneNs);
    ASSERT_EQ(line_->outcome(), nullptr);
    push(1, t(0) + wait);
    ASSERT_NE(line_->outcome(), nullptr);
    EXPECT_EQ(decision(), before == kOneNs ? Decision::granted : Decision::expired_in_flight);
  }
}

TEST_F(AgeOfVotes, OfWhichNothingIsLeftAreForgottenWhereTheyCannotBeRenewed) {
  for (const Duration before : {kOneNs, Duration()}) {
    stand(Duration::ms(60'000), 3, kShort);
    drain();
    grant(0, t(1));
    go_silent(0, t(2));
    const Instant now = t(0) + life(kShort) - before;
    line_->on_time(now);
    line_->abort(now);
    const Reply& told = line_->outcome()->nodes[0].reply;
    EXPECT_EQ(told.answer, before == kOneNs ? Answer::granted : Answer::unknown);
    EXPECT_EQ(told.fault, before == kOneNs ? Fault::none : Fault::closed);
  }
}

TEST_F(AgeOfVotes, WhatIsForgottenIsNoVoteInAMajorityThatCameTooLate) {
  stand(Duration::ms(5'000), 3, kShort);
  drain();
  grant(0, t(1));
  for (const std::size_t node : {1U, 2U}) deny(node, t(1));
  go_silent(0, t(2));
  line_->on_time(t(1'500));
  push(1, t(5'000));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(AgeOfVotes, AfterAllWereLostTheFirstIsOfferedAsSoonAsAnyFirst) {
  stand(Duration::ms(60'000));
  deny_all(t(1));  // a round trip of 1 ms
  push(0, t(10));
  line_->on_time(t(13));
  drain();
  deny(0, t(14));  // given to an earlier ticket
  push(0, t(20));
  EXPECT_EQ(line_->next_deadline(), t(23));
}

}  // namespace
}  // namespace redlock::queued_acquire_bounds_test
