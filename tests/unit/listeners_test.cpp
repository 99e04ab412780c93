// The listeners of a pool: when they are opened, whom they serve, and when they are closed.
#include "redlock/net/listeners.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/listeners_fixture.hpp"

namespace redlock::listeners_test {
namespace {

using test::ListenersTest;
using test::Told;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(ListenersTest, NoneIsOpenedWhileNobodyListens) {
  LockManager locks = manager(3);
  const Outcome taken = lock(locks);
  unlock(locks, taken.token);
  EXPECT_EQ(transport_.open_count(), 3U);
  EXPECT_EQ(pool_.listener_count(), 0U);
}

TEST_F(ListenersTest, WhoListensIsToldOfEachOfItsNodes) {
  listen(told_, 3);
  EXPECT_THAT(told_.subscription_states, IsEmpty());
  step_for(Duration::ms(1));
  ASSERT_THAT(told_.subscription_states, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(transport_.channels(server(i)), testing::ElementsAre(told_.channel(i)));
  }
  EXPECT_EQ(pool_.listener_count(), 3U);
  EXPECT_EQ(pool_.connection_count(), 0U);
  step_for(Duration::seconds(1));
  EXPECT_THAT(told_.subscription_states, SizeIs(3)) << "nothing has changed";
}

TEST_F(ListenersTest, AllWhoListenToAServerShareOne) {
  listen(told_, 3);
  step_for(Duration::ms(1));
  Told other;
  listen(other, 2);
  ASSERT_THAT(other.subscription_states, SizeIs(2)) << "at once, where the channel stands already";
  EXPECT_EQ(other.channel(1), told_.channel(1));
  EXPECT_EQ(server(0).connections_opened, 1U);
}

TEST_F(ListenersTest, APushGoesToTheOneWhoTakesIt) {
  Told other;
  listen(other, 1, "another");
  listen(told_, 1);
  step_for(Duration::ms(1));
  transport_.publish(server(0), told_.channel(0), "granted 1 tok");
  transport_.publish(server(0), told_.channel(0), "next 5 another");
  step_for(Duration::ms(1));
  ASSERT_THAT(told_.pushes, SizeIs(1));
  EXPECT_EQ(told_.pushes[0].kind, Push::Kind::granted);
  ASSERT_THAT(other.pushes, SizeIs(1));
  EXPECT_EQ(other.pushes[0].kind, Push::Kind::next);
}

TEST_F(ListenersTest, APushIsForThoseAloneWhoListenToItsServer) {
  Told elsewhere;
  listen_to(elsewhere, nodes(1, 1));
  listen(told_, 1);
  step_for(Duration::ms(1));
  transport_.publish(server(0), told_.channel(0), "granted 1 tok");
  step_for(Duration::ms(1));
  EXPECT_THAT(elsewhere.pushes, IsEmpty());
  EXPECT_THAT(told_.pushes, SizeIs(1));
}

TEST_F(ListenersTest, APushEndsTheWaitForIt) {
  server(0).answer_time = Duration::ms(1);
  listen(told_, 1);
  step_for(Duration::ms(5));
  transport_.publish(server(0), told_.channel(0), "granted 1 tok");
  const Duration took = time_of([&] { pool_.step(clock_.now() + Duration::seconds(5)); });
  EXPECT_EQ(took, Duration::ms(1));
  EXPECT_THAT(told_.pushes, SizeIs(1));
}

TEST_F(ListenersTest, WhoStopsListeningIsToldNothingMore) {
  listen(told_, 1);
  step_for(Duration::ms(1));
  const std::string channel = told_.channel(0);
  told_.unsubscribed = true;
  step_for(Duration::ms(1));
  transport_.publish(server(0), channel, "granted 1 tok");
  step_for(Duration::ms(1));
  EXPECT_THAT(told_.pushes, IsEmpty());
  told_.unsubscribed = false;
  step_for(Duration::ms(1));
  EXPECT_THAT(told_.subscription_states, SizeIs(2)) << "it begins anew";
}

TEST_F(ListenersTest, ALostChannelIsToldAndTheNextOneToo) {
  listen(told_, 2);
  step_for(Duration::ms(1));
  const std::string first = told_.channel(0);
  transport_.drop_connections(server(0));
  step_for(Duration::ms(1));
  ASSERT_THAT(told_.subscription_states, SizeIs(3));
  EXPECT_EQ(told_.subscription_states[2].node, 0U);
  EXPECT_EQ(told_.subscription_states[2].subscription_state.channel, "");
  EXPECT_EQ(told_.subscription_states[2].subscription_state.fault, Fault::closed);
  step_for(Duration::ms(20));
  ASSERT_THAT(told_.subscription_states, SizeIs(4));
  EXPECT_NE(told_.channel(0), "");
  EXPECT_NE(told_.channel(0), first);
}

TEST_F(ListenersTest, WhatWasPushedBeforeTheLossIsHeardFirst) {
  listen(told_, 1);
  step_for(Duration::ms(1));
  transport_.publish(server(0), told_.channel(0), "granted 1 tok");
  transport_.drop_connections(server(0));
  step_for(Duration::ms(1));
  EXPECT_THAT(told_.pushes, SizeIs(1));
  EXPECT_THAT(told_.subscription_states, SizeIs(2));
}

TEST_F(ListenersTest, ASilentServerIsToldOnceItsTimeIsOver) {
  server(0).stopped = true;
  listen(told_, 1);
  step_for(kConnectTimeoutDefault + Duration::ms(1));
  ASSERT_THAT(told_.subscription_states, SizeIs(1));
  EXPECT_EQ(told_.subscription_states[0].subscription_state.fault, Fault::timeout);
}

TEST_F(ListenersTest, ASignOfLifeIsAskedForOnlyWhileSomebodyListens) {
  const OperationId id = listen(told_, 1);
  step_for(kHeartbeat + Duration::ms(10));
  EXPECT_EQ(server(0).count("PING"), 1U);
  pool_.collect(id);
  step_for(kHeartbeat * 3);
  EXPECT_EQ(server(0).count("PING"), 1U);
  EXPECT_EQ(pool_.next_deadline(), std::nullopt);
}

TEST_F(ListenersTest, WhoHearsSomethingAsksForNoSignOfLife) {
  listen(told_, 1);
  step_for(kHeartbeat - Duration::seconds(1));
  transport_.publish(server(0), told_.channel(0), "next 5 tok");
  step_for(kHeartbeat - Duration::seconds(1));
  EXPECT_EQ(server(0).count("PING"), 0U);
  step_for(Duration::seconds(1));
  EXPECT_EQ(server(0).count("PING"), 1U);
}

TEST_F(ListenersTest, WhatLayThereUnreadIsNoSignOfLife) {
  pool_.collect(listen(told_, 1));
  step_for(Duration::ms(1));
  const OperationId id = listen(told_, 1);
  step_for(Duration::ms(1));
  pool_.collect(id);
  transport_.publish(server(0), told_.channel(0), "next 5 tok");
  clock_.advance(kHeartbeat);
  LockManager locks = manager(1);
  lock(locks);
  listen(told_, 1);
  step_for(Duration::ms(1));
  EXPECT_EQ(server(0).count("PING"), 1U);
}

TEST_F(ListenersTest, AnAnswerToASignOfLifeThatLiesInTheBufferIsNotCalledLate) {
  server(0).answer_time = kTimeoutDefault;
  listen(told_, 1);
  step_for(kHeartbeat + Duration::seconds(1));
  EXPECT_EQ(server(0).count("PING"), 1U);
  EXPECT_THAT(told_.subscription_states, SizeIs(1));
}

// Where the process stood still the answer has come in time.
TEST_F(ListenersTest, AnAnswerThatWasReadLateIsNoTimeOut) {
  listen(told_, 1);
  step_for(Duration::ms(1));
  clock_.advance(kHeartbeat);
  pool_.step(clock_.now());
  clock_.advance(Duration::seconds(5));
  step_for(Duration::ms(1));
  EXPECT_EQ(server(0).count("PING"), 1U);
  EXPECT_THAT(told_.subscription_states, SizeIs(1));
}

TEST_F(ListenersTest, AnAnswerThatCameInTimeIsNotCalledLateThoughTimeGoesOnWithinATurn) {
  server(0).answer_time = kTimeoutDefault;
  listen(told_, 1);
  step_for(kTimeoutDefault + Duration::ms(1));
  // Whichever reading of the clock is the last in time.
  for (int readings = 1; readings < 30; ++readings) {
    clock_.advance(kHeartbeat);
    pool_.step(clock_.now());
    clock_.advance(kTimeoutDefault - Duration::ns(readings));
    clock_.per_reading = Duration::ns(1);
    pool_.step(Instant());
    clock_.per_reading = Duration();
    step_for(Duration::ms(1));
    ASSERT_THAT(told_.subscription_states, SizeIs(1)) << readings;
  }
  EXPECT_EQ(server(0).count("PING"), 29U);
}

TEST_F(ListenersTest, OneThatNobodyListensToIsClosedAfterTheIdleLimit) {
  pool_.set_idle_limit(Duration::seconds(5));
  const OperationId id = listen(told_, 1);
  step_for(Duration::seconds(20));
  EXPECT_EQ(pool_.listener_count(), 1U) << "somebody listens";
  pool_.collect(id);
  step_for(Duration::seconds(4));
  EXPECT_EQ(pool_.listener_count(), 1U);
  clock_.advance(Duration::seconds(2));
  pool_.step(clock_.now());
  EXPECT_EQ(pool_.listener_count(), 0U);
  EXPECT_EQ(transport_.open_count(), 0U);
}

TEST_F(ListenersTest, TheNextOneToListenUsesItAgain) {
  pool_.collect(listen(told_, 1));
  step_for(Duration::ms(1));
  pool_.collect(listen(told_, 1));
  step_for(Duration::ms(1));
  clock_.advance(Duration::seconds(5));
  Told next;
  listen(next, 1);
  step_for(Duration::ms(1));
  EXPECT_NE(next.channel(0), "");
  EXPECT_THAT(transport_.channels(server(0)), SizeIs(1));
}

// Nothing is done between the two, as in a process that does other work meanwhile.
TEST_F(ListenersTest, TheNextOneToListenGetsANewOneWhereTheNetworkMayHaveForgottenIt) {
  pool_.set_idle_limit(Duration::seconds(5));
  const std::string channel = listen_for_a_moment();
  transport_.forget_flows(server(0));
  clock_.advance(Duration::seconds(5));
  const std::string next = listen_for_a_moment();
  EXPECT_NE(next, channel);
  EXPECT_THAT(transport_.channels(server(0)), testing::Contains(next));
}

TEST_F(ListenersTest, OneThatLayUnreadIsReadBeforeItsChannelIsTrusted) {
  const std::string channel = listen_for_a_moment();
  transport_.drop_connections(server(0));
  clock_.advance(Duration::seconds(5));
  Told next;
  listen(next, 1);
  step_for(Duration::ms(1));
  ASSERT_THAT(next.subscription_states, SizeIs(1));
  EXPECT_NE(next.channel(0), channel);
}

TEST_F(ListenersTest, OneThatWasListenedToAtThisVeryMomentIsUnusedForNoTime) {
  pool_.collect(listen(told_, 1));
  pool_.step(clock_.now());
  pool_.close_idle(Duration::ns(1));
  EXPECT_EQ(pool_.listener_count(), 1U);
  pool_.close_idle(Duration());
  EXPECT_EQ(pool_.listener_count(), 0U);
}

TEST_F(ListenersTest, TheServerHasTheTimeOfItsMostPatientUser) {
  const Duration patient = kConnectTimeoutDefault + Duration::ms(10);
  server(0).answer_time = patient - Duration::ms(1);
  listen(told_, 1);
  step_for(Duration::seconds(2));
  EXPECT_EQ(told_.channel(0), "");
  EXPECT_EQ(pool_.node(parse_server(name(0)).endpoint, kTimeoutDefault, patient),
            nodes(0, 1).front());
  step_for(Duration::seconds(2));
  EXPECT_NE(told_.channel(0), "");
}

TEST_F(ListenersTest, OneThatSomebodyListensToMakesNoRoomForWhoeverComesFirstInATurn) {
  told_.unsubscribed = true;
  listen_to(told_, nodes(kListenersMax, 1));
  std::vector<std::unique_ptr<Told>> many;
  for (std::size_t i = 0; i < kListenersMax / kNodesMax; ++i) {
    many.push_back(std::make_unique<Told>());
    listen_to(*many.back(), nodes(i * kNodesMax, kNodesMax));
  }
  step_for(Duration::ms(1));
  told_.unsubscribed = false;
  step_for(Duration::ms(1));
  ASSERT_THAT(told_.subscription_states, SizeIs(1));
  EXPECT_EQ(told_.subscription_states[0].subscription_state.fault, Fault::bound);
  EXPECT_EQ(many.front()->subscription_states.size(), kNodesMax) << "nobody's was lost";
}

TEST_F(ListenersTest, ThereAreNoMoreThanTheBound) {
  std::vector<std::unique_ptr<Told>> many;
  std::vector<OperationId> ids;
  constexpr std::size_t kEach = kNodesMax;
  for (std::size_t i = 0; i < kListenersMax / kEach; ++i) {
    many.push_back(std::make_unique<Told>());
    ids.push_back(listen_to(*many.back(), nodes(i * kEach, kEach)));
  }
  step_for(Duration::ms(1));
  EXPECT_EQ(pool_.listener_count(), kListenersMax);
  listen_to(told_, nodes(kListenersMax, 2));
  step_for(Duration::ms(1));
  ASSERT_THAT(told_.subscription_states, SizeIs(2));
  EXPECT_EQ(told_.subscription_states[0].subscription_state.fault, Fault::bound);
  EXPECT_EQ(pool_.listener_count(), kListenersMax);
  // Those that nobody listens to any more make room.
  pool_.collect(ids.front());
  for (int turn = 0; turn < 3; ++turn) step_for(Duration::ms(1));
  ASSERT_THAT(told_.subscription_states, SizeIs(4));
  EXPECT_NE(told_.channel(0), "");
  EXPECT_EQ(pool_.listener_count(), kListenersMax);
}

TEST_F(ListenersTest, ThePoolsEndClosesThem) {
  listen(told_, 3);
  step_for(Duration::ms(1));
  pool_.close_all();
  EXPECT_EQ(transport_.open_count(), 0U);
  EXPECT_EQ(pool_.listener_count(), 0U);
}

TEST_F(ListenersTest, TheEndOfARequestLeavesThem) {
  pool_.collect(listen(told_, 3));
  pool_.deliver();
  EXPECT_EQ(pool_.listener_count(), 3U);
}

TEST_F(ListenersTest, WhatOneThrowsEndsItAlone) {
  Told other;
  listen(other, 1, "another");
  const OperationId failing = listen(told_, 1);
  told_.fails = true;
  step_for(Duration::ms(1));
  EXPECT_TRUE(pool_.done(failing));
  EXPECT_THROW(static_cast<void>(pool_.collect(failing)), std::bad_alloc);
  EXPECT_NE(other.channel(0), "");
}

}  // namespace
}  // namespace redlock::listeners_test
