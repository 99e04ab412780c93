// Connections that nothing was sent on for long: replaced before use, tidied away, looked at.
#include <gtest/gtest.h>

#include "support/fake_world.hpp"

namespace redlock::idle_test {
namespace {

using test::FakeServer;
using test::FakeWorld;

class IdleTest : public FakeWorld {
 protected:
  void forget_flows() {
    for (std::size_t i = 0; i < 3; ++i) transport_.forget_flows(server(i));
  }
  [[nodiscard]] std::size_t opened(std::size_t i) { return server(i).connections_opened; }
};

TEST_F(IdleTest, AfterAnHourBehindAForgettingNetworkTheFirstCallSucceeds) {
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  ASSERT_EQ(outcome.decision, Decision::granted);
  step_for(Duration::ms(1));
  forget_flows();
  clock_.advance(Duration::seconds(3600));
  EXPECT_EQ(unlock(locks, outcome.token).decision, Decision::granted);
  step_for(Duration::ms(1));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(server(i).keys.contains("r")) << i;
}

// The third answer is read only now, which does not make the connection a fresh one.
TEST_F(IdleTest, AnAnswerThatLayUnreadForAnHourDoesNotCountAsSignOfLife) {
  server(2).answer_time = Duration::ms(10);
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  clock_.advance(Duration::seconds(3600));
  forget_flows();
  ASSERT_EQ(unlock(locks, outcome.token).decision, Decision::granted);
  step_for(Duration::ms(20));
  EXPECT_FALSE(server(2).keys.contains("r"));
  EXPECT_EQ(opened(2), 2U);
}

// Whether the network still carried it nobody knows.
TEST_F(IdleTest, ARemovalWithoutAnswerIsSentAgainOnTheConnectionThatReplacesTheSilentOne) {
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  step_for(Duration::ms(1));
  transport_.forget_flows(server(2));
  ASSERT_EQ(unlock(locks, outcome.token).decision, Decision::granted);
  ASSERT_TRUE(server(2).keys.contains("r"));
  clock_.advance(kIdleLimitDefault);
  ASSERT_EQ(lock(locks, "next").decision, Decision::granted);
  step_for(Duration::ms(1));
  EXPECT_FALSE(server(2).keys.contains("r"));
}

TEST_F(IdleTest, AReleaseThatIsTriedAgainIsConfirmedThoughItWasCarriedOver) {
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  step_for(Duration::ms(1));
  forget_flows();
  EXPECT_EQ(unlock(locks, outcome.token).decision, Decision::unreachable);
  step_for(Duration::ms(1));
  clock_.advance(kBackoffMax);
  EXPECT_EQ(unlock(locks, outcome.token).decision, Decision::granted);
  EXPECT_FALSE(server(0).keys.contains("r"));
  EXPECT_FALSE(server(1).keys.contains("r"));
}

TEST_F(IdleTest, AReleaseThatFindsItsConnectionOverdueIsConfirmedOnANewOne) {
  LockManager locks = manager(3);
  ASSERT_EQ(lock(locks, "connects").decision, Decision::granted);
  step_for(Duration::ms(1));
  server(2).answer_time = Duration::seconds(1);
  const Outcome outcome = lock(locks);
  ASSERT_TRUE(server(2).keys.contains("r"));
  server(2).answer_time = Duration();
  transport_.forget_flows(server(2));
  server(0).stopped = true;
  clock_.advance(kTimeoutDefault);
  EXPECT_EQ(unlock(locks, outcome.token).decision, Decision::granted);
  EXPECT_FALSE(server(2).keys.contains("r"));
}

// Its bytes left long ago; that they arrived is what the overdue answer puts in doubt.
TEST_F(IdleTest, ARemovalOnAConnectionThatIsOverdueIsSentAgainOnTheNextOne) {
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  step_for(Duration::ms(1));
  transport_.forget_flows(server(2));
  ASSERT_EQ(unlock(locks, outcome.token).decision, Decision::granted);
  step_for(kTimeoutDefault);
  ASSERT_TRUE(server(2).keys.contains("r"));
  clock_.advance(kBackoffMax);
  ASSERT_EQ(lock(locks, "next").decision, Decision::granted);
  step_for(Duration::ms(1));
  EXPECT_EQ(opened(2), 2U);
  EXPECT_FALSE(server(2).keys.contains("r"));
}

TEST_F(IdleTest, AReleaseThatIsAskedForAnewIsSentAgainAnew) {
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  step_for(Duration::ms(1));
  for (int i = 0; i < 2; ++i) {
    server(2).keys["r"] = outcome.token.view();
    transport_.forget_flows(server(2));
    unlock(locks, outcome.token);
    step_for(kTimeoutDefault);
    ASSERT_TRUE(server(2).keys.contains("r"));
    clock_.advance(kBackoffMax);
    ASSERT_EQ(lock(locks, "next" + std::to_string(i)).decision, Decision::granted);
    step_for(Duration::ms(1));
    EXPECT_FALSE(server(2).keys.contains("r")) << i;
    transport_.drop_connections(server(2));
    clock_.advance(kIdleLook);
    ASSERT_EQ(lock(locks, "on a new one" + std::to_string(i)).decision, Decision::granted);
    step_for(Duration::ms(1));
  }
}

// Or what it has to read when it goes on would grow with each connection.
TEST_F(IdleTest, AServerThatStandsStillIsSentARemovalTwiceAndNotWithEveryConnection) {
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  step_for(Duration::ms(1));
  server(2).stopped = true;
  ASSERT_EQ(unlock(locks, outcome.token).decision, Decision::granted);
  step_for(kTimeoutDefault);
  for (int i = 0; i < 5; ++i) {
    clock_.advance(kBackoffMax);
    pool_.collect(locks.begin_check(Resource("r"), Token("t")));
    step_for(kTimeoutDefault);
  }
  EXPECT_GE(opened(2), 4U);
  transport_.resume(server(2));
  const auto removals = std::ranges::count_if(server(2).log, [&](const test::Arguments& request) {
    return request.size() == 5 && request[4] == outcome.token.view();
  });
  EXPECT_EQ(removals, 2);
}

TEST_F(IdleTest, WhatAFullConnectionHadNoRoomForGoesOnTheOneThatReplacesIt) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks, "connects").decision, Decision::granted);
  transport_.forget_flows(server(0));
  for (std::size_t i = 0; i < kAwaitedMax; ++i) {
    pool_.collect(locks.begin_unlock(Resource(std::to_string(i)), Token("t")));
  }
  server(0).keys["r"] = "t";
  pool_.collect(locks.begin_unlock(Resource("r"), Token("t")));
  clock_.advance(kIdleLimitDefault);
  ASSERT_EQ(lock(locks, "next").decision, Decision::granted) << "there is room for it";
  step_for(Duration::ms(5));
  EXPECT_EQ(opened(0), 2U);
  EXPECT_FALSE(server(0).keys.contains("r"));
}

TEST_F(IdleTest, AConnectionIsReplacedFromItsLimitOnAndNotOneNanosecondBefore) {
  pool_.set_idle_limit(Duration::seconds(5));
  LockManager locks = manager(1);
  lock(locks, "a");
  clock_.advance(Duration::seconds(5) - Duration::ns(1));
  lock(locks, "b");
  EXPECT_EQ(opened(0), 1U);
  clock_.advance(Duration::seconds(5));
  lock(locks, "c");
  EXPECT_EQ(opened(0), 2U);
}

TEST_F(IdleTest, AConnectionIsReplacedFromItsLimitOnThoughTheTidyingWasJustBefore) {
  pool_.set_idle_limit(Duration::seconds(5));
  LockManager locks = manager(1);
  lock(locks, "a");
  clock_.advance(Duration::seconds(5) - Duration::ns(1));
  pool_.step(clock_.now());
  clock_.advance(Duration::ns(1));
  lock(locks, "b");
  EXPECT_EQ(opened(0), 2U);
}

TEST_F(IdleTest, ALimitOfNothingStillLetsOneCallFollowAnother) {
  pool_.set_idle_limit(Duration());
  LockManager locks = manager(1);
  lock(locks, "a");
  clock_.advance(kTidyEvery - Duration::ns(1));
  lock(locks, "b");
  EXPECT_EQ(opened(0), 1U);
}

TEST_F(IdleTest, NoStepTidiesWithinASecondOfTheOneThatDid) {
  pool_.set_idle_limit(Duration());
  LockManager locks = manager(1);
  lock(locks, "a");
  pool_.step(clock_.now());
  EXPECT_EQ(pool_.connection_count(), 1U);
}

TEST_F(IdleTest, AConnectionWithAnUndecidedOperationIsNotReplacedUnderIt) {
  std::vector<ServerSpec> servers = specs(1);
  servers[0].timeout = Duration::seconds(100);
  server(0).answer_time = Duration::seconds(70);
  LockManager locks(pool_, servers, once());
  const OperationId slow = locks.begin_lock(Resource("slow"), Duration::seconds(1000));
  pool_.step(clock_.now());
  clock_.advance(Duration::seconds(65));
  const OperationId other = locks.begin_lock(Resource("other"), Duration::seconds(1000));
  EXPECT_EQ(pool_.run(slow).decision, Decision::granted);
  pool_.collect(other);
  EXPECT_EQ(opened(0), 1U);
}

TEST_F(IdleTest, AWorkerThatOnlyCallsStillTidiesWhatItNoLongerUses) {
  LockManager locks = manager(2);
  lock(locks, "a");
  LockManager other(pool_, {parse_server("elsewhere")}, once());
  for (int second = 0; second < 59; ++second) {
    clock_.advance(Duration::seconds(1));
    lock(other, std::to_string(second));
  }
  EXPECT_EQ(pool_.connection_count(), 3U);
  clock_.advance(Duration::seconds(1));
  lock(other, "last");
  EXPECT_EQ(pool_.connection_count(), 1U);
}

TEST_F(IdleTest, AWorkerThatOnlyStepsTidiesToo) {
  LockManager locks = manager(2);
  lock(locks, "a");
  clock_.advance(kIdleLimitDefault);
  pool_.step(clock_.now());
  EXPECT_EQ(pool_.connection_count(), 0U);
}

TEST_F(IdleTest, TidyingGoesByTheLimitThatWasSet) {
  pool_.set_idle_limit(Duration::seconds(5));
  LockManager locks = manager(2);
  lock(locks, "a");
  clock_.advance(Duration::seconds(5) - Duration::ns(1));
  pool_.step(clock_.now());
  EXPECT_EQ(pool_.connection_count(), 2U);
  clock_.advance(kTidyEvery);
  pool_.step(clock_.now());
  EXPECT_EQ(pool_.connection_count(), 0U);
}

TEST_F(IdleTest, EndpointsThatNobodyUsesAreForgottenWhileTheWorkerRuns) {
  std::weak_ptr<Node> node;
  {
    LockManager locks = manager(1);
    lock(locks);
    node = pool_.node(specs(1)[0].endpoint, kTimeoutDefault);
  }
  clock_.advance(kIdleLimitDefault);
  pool_.step(clock_.now());
  EXPECT_TRUE(node.expired());
}

TEST_F(IdleTest, TheEndOfAConnectionIsSeenBehindALateAnswer) {
  server(2).answer_time = Duration::ms(10);
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  clock_.advance(Duration::ms(20));
  transport_.drop_connections(server(2));
  ASSERT_EQ(unlock(locks, outcome.token).decision, Decision::granted);
  step_for(Duration::ms(20));
  EXPECT_FALSE(server(2).keys.contains("r"));
}

// The caller was busy while it was being made.
TEST_F(IdleTest, AHandshakeThatGoesOutLateHasATimeOfItsOwn) {
  server(2).connect_time = Duration::ms(10);
  LockManager locks = manager_with_database(3);
  ASSERT_EQ(lock(locks).decision, Decision::granted);
  clock_.advance(Duration::seconds(2));
  ASSERT_EQ(lock(locks, "next").decision, Decision::granted);
  step_for(Duration::ms(20));
  EXPECT_EQ(server(2).connections_opened, 1U);
}

TEST_F(IdleTest, AHandshakeThatGoesOutLateIsWaitedForAsLongAsAnyOther) {
  server(2).connect_time = Duration::ms(10);
  server(2).answer_time = Duration::ms(20);
  LockManager locks = manager_with_database(3);
  ASSERT_EQ(lock(locks).decision, Decision::granted);
  clock_.advance(Duration::seconds(2));
  server(0).stopped = true;
  EXPECT_EQ(lock(locks, "next").decision, Decision::granted);
  EXPECT_EQ(server(2).connections_opened, 1U);
}

TEST_F(IdleTest, AConnectionThatWasClosedBetweenTwoAttemptsCostsNoAttempt) {
  LockOptions options = once();
  options.retry = RetryPolicy::exact(2, Duration::ms(500));
  LockManager locks = manager(3, options);
  for (std::size_t i = 0; i < 3; ++i) server(i).keys["r"] = "somebody else's";
  const OperationId id = locks.begin_lock(Resource("r"), Duration::ms(10'000));
  step_for(Duration::ms(400));
  for (std::size_t i = 0; i < 3; ++i) {
    server(i).keys.clear();
    transport_.drop_connections(server(i));
  }
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
}

}  // namespace
}  // namespace redlock::idle_test
