// The machine that waits in line, one event at a time: how it begins, and how it ends.
#include "redlock/queue/queued_acquire.hpp"

#include <gtest/gtest.h>

#include "support/wait_fixture.hpp"

namespace redlock::queued_acquire_test {
namespace {

using test::kAnswerTime;
using test::kOneNs;
using test::kWaitersTtl;
using test::kWall;
using test::Nodes;
using test::nodes_of;
using test::only;
using test::t;
using test::Wait;

TEST_F(Wait, AsksPlainlyFirstAndListensToNobody) {
  begin(Duration::ms(1'000));
  EXPECT_EQ(nodes_of(only<SetIfAbsent>(drain())), (Nodes{0, 1, 2}));
  EXPECT_FALSE(line_->listens());
  for (const std::size_t node : {0U, 1U})
    line_->on_reply(NodeIndex(node), 1, Reply::granted(), t(1));
  ASSERT_TRUE(granted());
  EXPECT_FALSE(line_->outcome()->handed_over);
  EXPECT_EQ(line_->outcome()->validity,
            validity_of(kWaitersTtl, Duration::ms(1), kDriftFactorDefault));
}

TEST_F(Wait, HearsNothingBeforeItStandsInLineNorBehindItsEnd) {
  begin(Duration::ms(1'000));
  drain();
  hear_all(t(1));
  for (const std::size_t node : {0U, 1U})
    line_->on_reply(NodeIndex(node), 1, Reply::granted(), t(2));
  ASSERT_TRUE(granted());
  hear_all(t(3));
  EXPECT_TRUE(only<Enqueue>(drain()).empty());
  EXPECT_TRUE(granted());
}

TEST_F(Wait, StandsInLineWhereThePlainAttemptIsDenied) {
  begin(Duration::ms(1'000));
  const Token plain = std::get<SetIfAbsent>(*drain()[0].command).token;
  line_->on_reply(NodeIndex(0), 1, Reply::granted(), t(1));
  for (const std::size_t node : {1U, 2U})
    line_->on_reply(NodeIndex(node), 1, Reply::denied(), t(1));
  EXPECT_TRUE(line_->listens());
  const auto undo = drain();
  ASSERT_EQ(nodes_of(only<ReleaseAndHandOver>(undo)), (Nodes{0}));
  EXPECT_EQ(std::get<ReleaseAndHandOver>(*undo[0].command).token, plain);
  hear_all(t(2));
  EXPECT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0, 1, 2}));
  EXPECT_NE(join(0).token, plain);
  EXPECT_EQ(join(0).token, join(2).token);
  EXPECT_EQ(join(0).entry.ticket, kWall);
  EXPECT_EQ(join(0).entry.channel, "here");
  EXPECT_EQ(join(0).entry.echo, joins_.at(0).attempt);
}

TEST_F(Wait, ThePlainAttemptDoesNotWaitForANodeInDoubt) {
  begin(Duration::ms(1'000));
  drain();
  line_->on_suspicion(NodeIndex(2), 1);
  line_->on_reply(NodeIndex(0), 1, Reply::granted(), t(1));
  EXPECT_FALSE(line_->listens());
  line_->on_reply(NodeIndex(1), 1, Reply::denied(), t(1));
  EXPECT_TRUE(line_->listens());
}

TEST_F(Wait, AJoinsTimeBeginsWhenItsServerIsConnectedTo) {
  stand(Duration::ms(1'000), 1);
  drain();
  line_->on_delay(NodeIndex(0), joins_.at(0).attempt, t(100));
  EXPECT_EQ(line_->next_deadline(), t(100) + kAnswerTime);
}

TEST_F(Wait, ThatTimeIsItsServersOwn) {
  memory_->note_waited(Resource("r"), t(0));
  line_.emplace(test::answer_times({50, 20}),
                std::make_shared<QuorumKind>(Resource("r"), kWaitersTtl, kDriftFactorDefault),
                WaitRequest{Resource("r"), Duration::ms(1'000), 200, kWall}, memory_, entropy_);
  nodes_ = 2;
  line_->start(t(0));
  hear_all(t(0));
  drain();
  line_->on_delay(NodeIndex(0), joins_.at(0).attempt, t(200));
  line_->on_delay(NodeIndex(1), joins_.at(1).attempt, t(100));
  EXPECT_EQ(line_->next_deadline(), t(120));
}

TEST_F(Wait, ADelayTakesNothingOfAJoinsTimeAndThatOfAnotherAddsNothing) {
  stand(Duration::ms(1'000), 1);
  drain();
  const AttemptNumber attempt = joins_.at(0).attempt;
  line_->on_delay(NodeIndex(0), attempt, t(0) - kOneNs);
  EXPECT_EQ(line_->next_deadline(), t(0) + kAnswerTime);
  line_->on_delay(NodeIndex(0), attempt - 1, t(100));
  EXPECT_EQ(line_->next_deadline(), t(0) + kAnswerTime);
}

TEST_F(Wait, WithoutTimeLeftThePlainAttemptIsAll) {
  begin(Duration());
  drain();
  for (const std::size_t node : {0U, 1U, 2U})
    line_->on_reply(NodeIndex(node), 1, Reply::denied(), t(1));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(Wait, JoinsAtOnceWhereItWaitedLately) {
  stand(Duration::ms(1'000));
  const auto requests = drain();
  EXPECT_EQ(nodes_of(only<Enqueue>(requests)), (Nodes{0, 1, 2}));
  EXPECT_EQ(requests.size(), 3U);
}

TEST_F(Wait, AsksPlainlyWhereTheWaitIsShorterThanAnAnswerMayTake) {
  memory_->note_waited(Resource("r"), t(0));
  begin(kAnswerTime);
  EXPECT_EQ(nodes_of(only<SetIfAbsent>(drain())), (Nodes{0, 1, 2}));
}

TEST_F(Wait, WhoIsDeniedBehindTheEndIsToldAtOnceAndDidNotWait) {
  begin(kAnswerTime + Duration::ms(1));
  const std::vector<Request> asked = drain();
  for (const Request& request : asked) {
    line_->on_reply(request.node, request.attempt, Reply::denied(), t(51));
  }
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::denied);
  EXPECT_FALSE(memory_->waited_lately(Resource("r"), t(51)));
}

TEST_F(Wait, WhoWaitedIsRemembered) {
  begin(Duration::ms(1'000));
  drain();
  EXPECT_FALSE(memory_->waited_lately(Resource("r"), t(1)));
  for (const std::size_t node : {0U, 1U})
    line_->on_reply(NodeIndex(node), 1, Reply::denied(), t(1));
  EXPECT_TRUE(memory_->waited_lately(Resource("r"), t(1)));
}

TEST_F(Wait, ALateAnswerToThePlainAttemptIsNoRoundTrip) {
  begin(Duration::ms(5'000));
  drain();
  for (const std::size_t node : {0U, 1U})
    line_->on_reply(NodeIndex(node), 1, Reply::denied(), t(1));
  line_->on_reply(NodeIndex(2), 1, Reply::denied(), t(40));
  line_->on_subscription(NodeIndex(0), {"here", {}, {}}, t(41));
  drain();
  grant(0, t(42));
  line_->on_time(t(45));
  EXPECT_EQ(nodes_of(only<Enqueue>(drain())), Nodes{0}) << "the vote is offered";
}

TEST_F(Wait, ALateAnswerToThePlainAttemptIsNoneToAJoin) {
  begin(Duration::ms(5'000));
  drain();
  for (const std::size_t node : {1U, 2U})
    line_->on_reply(NodeIndex(node), 1, Reply::denied(), t(1));
  hear_all(t(2));
  drain();
  grant(1, t(3));
  line_->on_reply(NodeIndex(0), 1, Reply::granted(), t(4));
  EXPECT_FALSE(granted());
  grant(0, t(5));
  EXPECT_TRUE(granted());
}

TEST_F(Wait, WhoLostAVoteStandsInLineThereAgain) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  push(0, t(10));
  line_->on_time(t(13));
  drain();
  deny(0, t(14));  // given to an earlier ticket
  push(1, t(20));
  EXPECT_FALSE(granted());
  push(0, t(21));
  EXPECT_TRUE(granted());
}

TEST_F(Wait, WhereReplicasMustHaveItWhatIsHandedOverIsAskedForOnceMoreAndCountsFromThen) {
  confirms_ = true;
  stand(Duration::ms(60'000));
  deny_all(t(1));
  push(0, t(10));
  push(1, t(10));
  EXPECT_FALSE(granted());
  EXPECT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0, 1}));
  EXPECT_NE(join(0).entry.policy, ClaimPolicy::observe);
  grant(0, t(12));
  grant(1, t(13));
  ASSERT_TRUE(granted());
  EXPECT_TRUE(line_->outcome()->handed_over);
  EXPECT_EQ(line_->outcome()->validity,
            validity_of(kWaitersTtl, Duration::ms(3), kDriftFactorDefault));
}

TEST_F(Wait, ThatReplicasLackedTheVoteIsToldAlsoWhereItWasLeftToOthersLast) {
  confirms_ = true;
  stand(Duration::ms(500), 1);
  deny_all(t(1));
  push(0, t(10));
  drain();
  answer(0, Reply::unknown(Fault::noreplicas, "too few"), t(40));
  line_->on_time(line_->next_deadline().value());
  drain();
  deny(0, t(200), "-2 0 " + std::to_string(kWall));
  line_->on_time(t(500));
  EXPECT_EQ(decision(), Decision::unreachable);
  EXPECT_EQ(line_->outcome()->nodes[0].reply.fault, Fault::noreplicas);
}

TEST_F(Wait, WhoFindsThatAnotherHasItWhileReplicasAreMissingIsDenied) {
  confirms_ = true;
  stand(Duration::ms(500), 1);
  deny_all(t(1));
  push(0, t(10));
  drain();
  answer(0, Reply::unknown(Fault::noreplicas, "too few"), t(40));
  line_->on_time(line_->next_deadline().value());
  drain();
  deny(0, t(200));
  line_->on_time(t(500));
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(Wait, WhatIsHandedOverAndReplicasLackIsAskedForAgainAndLeftAtTheEnd) {
  confirms_ = true;
  stand(Duration::ms(500), 1);
  deny_all(t(1));
  push(0, t(10));
  drain();
  answer(0, Reply::unknown(Fault::noreplicas, "too few"), t(40));
  EXPECT_FALSE(granted());
  line_->on_time(line_->next_deadline().value());
  EXPECT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0}));
  answer(0, Reply::unknown(Fault::noreplicas, "too few"), t(200));
  line_->on_time(t(500));
  EXPECT_EQ(decision(), Decision::unreachable);
  EXPECT_EQ(nodes_of(only<ReleaseAndHandOver>(drain())), (Nodes{0}));
}

TEST_F(Wait, SendsNoJoinAnyMoreWhenTheWaitIsOver) {
  stand(Duration::ms(500));
  line_->on_time(t(500));
  EXPECT_TRUE(only<Enqueue>(drain()).empty());
}

TEST_F(Wait, LeavesEveryLineWhenTheWaitIsOver) {
  stand(Duration::ms(500));
  deny_all(t(1));
  EXPECT_EQ(line_->next_deadline(), t(500));
  line_->on_time(t(500) - kOneNs);
  EXPECT_EQ(line_->outcome(), nullptr);
  line_->on_time(t(500));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::denied);
  const auto passes = only<ReleaseAndHandOver>(drain());
  EXPECT_EQ(nodes_of(passes), (Nodes{0, 1, 2}));
  EXPECT_EQ(std::get<ReleaseAndHandOver>(*passes[0].command).token, join(0).token);
  EXPECT_FALSE(passes[0].wants_answer);
}

TEST_F(Wait, LeavesNoLineThatItNeverJoined) {
  memory_->note_waited(Resource("r"), t(0));
  begin(Duration::ms(500));
  line_->on_subscription(NodeIndex(0), {"here", {}, {}}, t(0));
  for (const std::size_t node : {1U, 2U}) {
    line_->on_subscription(NodeIndex(node), {{}, Fault::refused, "down"}, t(0));
  }
  drain();
  deny(0, t(1));
  line_->on_time(t(500));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::unreachable);
  EXPECT_EQ(nodes_of(only<ReleaseAndHandOver>(drain())), (Nodes{0}));
}

TEST_F(Wait, GivesUpAtOnceAndLeavesEveryLine) {
  stand(Duration::ms(500));
  deny_all(t(1));
  push(1, t(2));
  line_->abort(t(3));
  EXPECT_EQ(decision(), Decision::aborted);
  EXPECT_EQ(nodes_of(only<ReleaseAndHandOver>(drain())), (Nodes{0, 1, 2}));
}

// What is to undo a join is none itself, whatever is made of the latest one.
TEST_F(Wait, ItsPassesAreAnAttemptBehindAllJoins) {
  stand(Duration::ms(500));
  deny_all(t(1));
  line_->abort(t(3));
  const auto passes = only<ReleaseAndHandOver>(drain());
  ASSERT_EQ(passes.size(), 3U);
  for (const Request& pass : passes) {
    for (const auto& [node, join] : joins_) EXPECT_GT(pass.attempt, join.attempt) << node;
  }
}

TEST_F(Wait, WhatIsAnsweredWithinAnAnswerTimeOfTheEndStillCounts) {
  memory_->note_waited(Resource("r"), t(0));
  begin(Duration::ms(60));
  hear_all(t(59));
  drain();
  line_->on_time(t(60));
  EXPECT_EQ(line_->outcome(), nullptr);
  EXPECT_EQ(line_->next_deadline(), t(109));
  grant(0, t(61));
  grant(1, t(62));
  EXPECT_TRUE(granted());
}

TEST_F(Wait, NoJoinBeginsBehindTheEnd) {
  memory_->note_waited(Resource("r"), t(0));
  begin(Duration::ms(60));
  line_->on_time(t(60));
  hear_all(t(61));
  EXPECT_TRUE(only<Enqueue>(drain()).empty());
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::unreachable);
}

TEST_F(Wait, WhoNeverHearsOfTheServersIsToldAnAnswerTimeBehindTheEnd) {
  memory_->note_waited(Resource("r"), t(0));
  begin(Duration::ms(60));
  line_->on_time(t(60));
  EXPECT_EQ(line_->next_deadline(), t(110));
  line_->on_time(t(110));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::unreachable);
}

TEST_F(Wait, ThePlainAttemptsAnswersCountWhereTheJoinsHaveNone) {
  begin(Duration::ms(3));
  drain();
  for (const std::size_t node : {0U, 1U, 2U})
    line_->on_reply(NodeIndex(node), 1, Reply::denied(), t(1));
  hear_all(t(2));
  drain();
  line_->on_time(t(3));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::denied);
}

// What such a vote would be worth is less than it could be.
TEST_F(Wait, WhoIsNextByAnEntryOlderThanAQuarterOfTheLocksLifeJoinsAgain) {
  for (const Duration over : {Duration(), kOneNs}) {
    SCOPED_TRACE(over.count_ns());
    stand(Duration::ms(60'000));
    deny_all(t(1));
    const Duration life = validity_of(test::kWaitersTtl, Duration(), kDriftFactorDefault);
    const Instant now = t(0) + Duration::ns(life.count_ns() / 4) + over;
    EXPECT_TRUE(line_->on_push(NodeIndex(0),
                               {Push::Kind::next, join(0).token, 0, Duration::ms(5'000)}, now));
    EXPECT_EQ(nodes_of(only<Enqueue>(drain())), over == Duration() ? Nodes{} : Nodes{0});
  }
}

TEST_F(Wait, PushesForOthersAreNotItsOwn) {
  stand(Duration::ms(500));
  deny_all(t(1));
  EXPECT_FALSE(line_->on_push(NodeIndex(0), {Push::Kind::granted, Token("x"), 1, {}}, t(2)));
  line_->on_time(t(500));
  // It has left, and what it is given now is nobody's.
  EXPECT_FALSE(line_->on_push(
      NodeIndex(0), {Push::Kind::granted, join(0).token, join(0).entry.echo, {}}, t(501)));
}

}  // namespace
}  // namespace redlock::queued_acquire_test
