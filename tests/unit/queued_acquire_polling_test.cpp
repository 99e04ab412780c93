// Where servers refuse that anybody waits in line, and when it is polled instead.
#include "redlock/queue/queued_acquire.hpp"

#include <gtest/gtest.h>

#include "support/wait_fixture.hpp"

namespace redlock::queued_acquire_polling_test {
namespace {

using test::kAnswerTime;
using test::kOneNs;
using test::Nodes;
using test::nodes_of;
using test::only;
using test::t;
using test::Wait;

class PollingWait : public Wait {
 protected:
  // One refuses, and another cannot be heard: no majority is left.
  void poll() {
    stand(Duration::ms(1'000));
    drain();
    answer(0, Reply::unknown(Fault::acl, "NOPERM"), t(1));
    EXPECT_TRUE(line_->listens());
    line_->on_subscription(NodeIndex(2), {{}, Fault::acl, "no channels"}, t(2));
    EXPECT_FALSE(line_->listens());
  }
  // One refuses, and another is silent, which may pass.
  void stand_beside_a_refusal() {
    stand(Duration::ms(30'000));
    drain();
    answer(0, Reply::unknown(Fault::acl, "NOPERM"), t(1));
    deny(1, t(1));
    answer(2, Reply::unknown(Fault::timeout, "no answer"), t(50));
  }
};

TEST_F(PollingWait, PollsWhereNoMajorityLetsItStandInLine) {
  poll();
  const auto requests = drain();
  EXPECT_EQ(nodes_of(only<ReleaseAndHandOver>(requests)), (Nodes{0, 1, 2}));
  ASSERT_EQ(nodes_of(only<SetIfAbsent>(requests)), (Nodes{0, 1, 2}));
  // Behind the passes.
  EXPECT_TRUE(std::holds_alternative<SetIfAbsent>(*requests.back().command));
  EXPECT_GT(requests.back().attempt, only<ReleaseAndHandOver>(requests)[0].attempt);
  for (const std::size_t node : {0U, 1U}) {
    line_->on_reply(NodeIndex(node), requests.back().attempt, Reply::granted(), t(3));
  }
  ASSERT_TRUE(granted());
  ASSERT_EQ(line_->outcome()->line.size(), 3U);
  EXPECT_EQ(line_->outcome()->line[0].reply.fault, Fault::acl);
  EXPECT_EQ(line_->outcome()->line[2].reply.reason(), "no channels");
}

TEST_F(PollingWait, PollingItCountsNoLateAnswerToAJoin) {
  memory_->note_waited(Resource("r"), t(0));
  begin(Duration::ms(1'000));
  for (const std::size_t node : {1U, 0U, 2U}) {
    line_->on_subscription(NodeIndex(node), {"here", {}, {}}, t(0));
  }
  drain();
  ASSERT_EQ(joins_.at(1).attempt, 1U);
  answer(0, Reply::unknown(Fault::acl, "NOPERM"), t(1));
  answer(2, Reply::unknown(Fault::acl, "NOPERM"), t(1));
  const auto asked = only<SetIfAbsent>(drain());
  ASSERT_EQ(asked.size(), 3U);
  answer(1, Reply::granted(), t(2));
  line_->on_reply(NodeIndex(0), asked[0].attempt, Reply::granted(), t(2));
  EXPECT_FALSE(granted());
}

TEST_F(PollingWait, WhoIsGivenUpWhilePollingHasLeftTheLinesAlready) {
  stand(Duration::ms(1'000));
  drain();
  for (const std::size_t node : {0U, 1U}) answer(node, Reply::unknown(Fault::acl, "NOPERM"), t(1));
  ASSERT_EQ(nodes_of(only<ReleaseAndHandOver>(drain())), (Nodes{0, 1, 2}));
  line_->abort(t(2));
  for (const Request& request : only<ReleaseAndHandOver>(drain())) {
    EXPECT_NE(std::get<ReleaseAndHandOver>(*request.command).token, join(0).token);
  }
}

TEST_F(PollingWait, PollingItDoesNotWaitForANodeInDoubt) {
  poll();
  const AttemptNumber attempt = drain().back().attempt;
  line_->on_suspicion(NodeIndex(1), attempt);
  line_->on_reply(NodeIndex(0), attempt, Reply::granted(), t(3));
  EXPECT_TRUE(drain().empty());
  line_->on_reply(NodeIndex(2), attempt, Reply::denied(), t(3));
  EXPECT_EQ(nodes_of(only<ReleaseAndHandOver>(drain())), (Nodes{0, 1}));
}

TEST_F(PollingWait, PollingItWaitsForAConnectionThatIsBeingMade) {
  poll();
  const AttemptNumber attempt = drain().back().attempt;
  for (const std::size_t node : {0U, 1U, 2U}) line_->on_delay(NodeIndex(node), attempt, t(200));
  EXPECT_EQ(line_->next_deadline(), t(200) + kAnswerTime);
}

TEST_F(PollingWait, BeforeItPollsWhatThePlainAttemptWonIsUndone) {
  begin(Duration::ms(1'000));
  drain();
  line_->on_reply(NodeIndex(0), 1, Reply::granted(), t(1));
  for (const std::size_t node : {1U, 2U})
    line_->on_reply(NodeIndex(node), 1, Reply::denied(), t(1));
  ASSERT_TRUE(line_->listens());
  for (const std::size_t node : {0U, 1U})
    line_->on_subscription(NodeIndex(node), {{}, Fault::maxclients, "full"}, t(2));
  const auto requests = drain();
  EXPECT_EQ(nodes_of(only<ReleaseAndHandOver>(requests)), (Nodes{0}));
  EXPECT_EQ(nodes_of(only<SetIfAbsent>(requests)), (Nodes{0, 1, 2}));
}

TEST_F(PollingWait, DoesNotBeginToPollBehindTheEnd) {
  stand(Duration::ms(1'000));
  drain();
  answer(0, Reply::unknown(Fault::acl, "NOPERM"), t(1));
  line_->on_time(t(1'000));
  answer(1, Reply::unknown(Fault::acl, "NOPERM"), t(1'001));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::unreachable);
  EXPECT_TRUE(only<SetIfAbsent>(drain()).empty());
}

TEST_F(PollingWait, PollsUntilTheSameEnd) {
  stand(Duration::ms(1'000), 1);
  drain();
  answer(0, Reply::unknown(Fault::rejected, "unknown command"), t(400));
  Instant now = t(400);
  int attempts = 0;
  while (line_->outcome() == nullptr) {
    for (const Request& request : only<SetIfAbsent>(drain())) {
      ++attempts;
      line_->on_reply(request.node, request.attempt, Reply::denied(), now);
    }
    if (line_->outcome() != nullptr) break;
    now = *line_->next_deadline();
    line_->on_time(now);
  }
  EXPECT_EQ(decision(), Decision::denied);
  EXPECT_EQ(line_->outcome()->decided_at, t(1'000));
  EXPECT_GE(attempts, 4);
}

TEST_F(PollingWait, OneServerThatRefusesIsDoneWithout) {
  stand(Duration::ms(1'000));
  drain();
  answer(0, Reply::unknown(Fault::acl, "NOPERM"), t(1));
  deny(1, t(1));
  deny(2, t(1));
  push(1, t(5));
  push(2, t(6));
  EXPECT_TRUE(granted());
}

// Full for a moment, one behind the other.
TEST_F(PollingWait, AServerThatHasRoomAgainIsStoodInLineAt) {
  stand(Duration::ms(30'000));
  deny_all(t(1));
  line_->on_subscription(NodeIndex(0), {{}, Fault::maxclients, "full"}, t(2));
  line_->on_subscription(NodeIndex(0), {"here again", {}, {}}, t(50));
  line_->on_subscription(NodeIndex(1), {{}, Fault::maxclients, "full"}, t(60));
  EXPECT_TRUE(line_->listens());
  EXPECT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0}));
}

TEST_F(PollingWait, PollsWhereBesideARefusalTooFewAreLeftForLong) {
  stand_beside_a_refusal();
  EXPECT_TRUE(line_->listens());
  EXPECT_LE(*line_->next_deadline(), t(1) + kTooFewFor);
  line_->on_time(t(1) + kTooFewFor - kOneNs);
  EXPECT_TRUE(line_->listens());
  line_->on_time(t(1) + kTooFewFor);
  EXPECT_FALSE(line_->listens());
  EXPECT_EQ(nodes_of(only<SetIfAbsent>(drain())), (Nodes{0, 1, 2}));
}

// Or a wait of less than that would never find the majority that an attempt finds.
TEST_F(PollingWait, OfAShortWaitHalfIsLeftForAttempts) {
  stand(Duration::ms(400));
  drain();
  answer(0, Reply::unknown(Fault::acl, "NOPERM"), t(1));
  line_->on_time(t(200));
  EXPECT_TRUE(line_->listens());
  line_->on_time(t(201));
  EXPECT_FALSE(line_->listens());
  EXPECT_EQ(nodes_of(only<SetIfAbsent>(drain())), (Nodes{0, 1, 2}));
}

// What has been asked has its time to be answered.
TEST_F(PollingWait, OfAWaitThatIsShorterStillAnAnswersTimeIsStoodInLine) {
  stand(kAnswerTime + Duration::ms(20));
  drain();
  answer(0, Reply::unknown(Fault::acl, "NOPERM"), t(1));
  line_->on_time(t(0) + kAnswerTime - kOneNs);
  EXPECT_TRUE(line_->listens());
  for (const std::size_t node : {1U, 2U}) deny(node, t(0) + kAnswerTime - kOneNs);
  line_->on_time(t(1) + kAnswerTime);
  EXPECT_TRUE(line_->listens());
}

TEST_F(PollingWait, StaysInLineWhereWhatWasSilentBesideARefusalAnswersAgain) {
  stand_beside_a_refusal();
  line_->on_time(t(1) + kTooFewFor - kOneNs);
  drain();
  deny(2, t(1) + kTooFewFor - kOneNs);
  line_->on_time(t(1) + kTooFewFor * 3);
  EXPECT_TRUE(line_->listens());
}

TEST_F(PollingWait, StaysInLineForAsLongAgainWhereTooFewAreLeftASecondTime) {
  stand_beside_a_refusal();
  const Instant again = t(1) + kTooFewFor - kOneNs;
  line_->on_time(again);
  drain();
  deny(2, again);
  const Instant later = t(1) + kTooFewFor * 3;
  line_->on_subscription(NodeIndex(2), {{}, Fault::closed, "gone"}, later);
  line_->on_time(later + kTooFewFor - kOneNs);
  EXPECT_TRUE(line_->listens());
  line_->on_time(later + kTooFewFor);
  EXPECT_FALSE(line_->listens());
}

TEST_F(PollingWait, StaysInLineThroughAnOutageInWhichNobodyRefuses) {
  stand(Duration::ms(30'000));
  drain();
  for (const std::size_t node : {0U, 1U, 2U})
    answer(node, Reply::unknown(Fault::timeout, "no answer"), t(50));
  for (std::int64_t ms = 100; ms < 10'000; ms += 100) {
    line_->on_time(t(ms));
    for (const Request& request : only<Enqueue>(drain())) {
      answer(request.node.value(), Reply::unknown(Fault::refused, "down"), t(ms));
    }
  }
  EXPECT_TRUE(line_->listens());
}

TEST_F(PollingWait, WhatIsPushedToWhoPollsByNowIsNotItsOwn) {
  poll();
  drain();
  const Push push{Push::Kind::granted, join(1).token, join(1).entry.echo, {}};
  EXPECT_FALSE(line_->on_push(NodeIndex(1), push, t(3)));
  EXPECT_TRUE(drain().empty());
}

}  // namespace
}  // namespace redlock::queued_acquire_polling_test
