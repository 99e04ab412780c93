// What those who listen are told in one turn, what counts as a sign of life, and who is let go of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/listeners_fixture.hpp"
#include "support/scripted.hpp"

namespace redlock::listeners_turn_test {
namespace {

using test::ListenersTest;
using test::Scene;
using test::Scripted;
using test::Told;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(ListenersTest, WhoWantsToHearNoMoreInTheMidstOfATurnIsToldNothingMore) {
  listen(told_, 2);
  step_for(Duration::ms(1));
  ASSERT_THAT(told_.subscription_states, SizeIs(2)) << "both can be heard already";
  Scene scene;
  scene.listens = true;
  scene.heard = [&scene](const SubscriptionState&) { scene.listens = false; };
  (void)pool_.begin(std::make_unique<Scripted>(scene, 2), nodes(0, 2));
  EXPECT_THAT(scene.subscription_states, SizeIs(1));
}

TEST_F(ListenersTest, WhoListensNoMoreIsPushedNothingThoughOthersListen) {
  Told other;
  listen(other, 1, "another");
  listen(told_, 1);
  step_for(Duration::ms(1));
  told_.unsubscribed = true;
  transport_.publish(server(0), other.channel(0), "granted 1 tok");
  transport_.publish(server(0), other.channel(0), "granted 1 another");
  step_for(Duration::ms(1));
  EXPECT_THAT(told_.pushes, IsEmpty());
  EXPECT_THAT(other.pushes, SizeIs(1));
}

// Nobody stood in its line.
TEST_F(ListenersTest, APushForALockThatWasReleasedBeforeAnybodyListenedIsNotAnswered) {
  LockManager locks = manager(1);
  const Outcome taken = lock(locks);
  ASSERT_EQ(unlock(locks, taken.token).decision, Decision::granted);
  listen(told_, 1, "another");
  step_for(Duration::ms(1));
  const std::size_t before = server(0).log.size();
  transport_.publish(server(0), told_.channel(0), "granted 1 " + std::string(taken.token.view()));
  step_for(Duration::ms(1));
  EXPECT_EQ(server(0).log.size(), before);
}

// The listener reads it when somebody begins to listen, behind what else was pushed.
TEST_F(ListenersTest, WhatWasPushedWhileNobodyListenedIsToldInTheTurnInWhichItIsRead) {
  const std::string channel = listen_for_a_moment();
  transport_.publish(server(0), channel, "granted 1 tok");
  listen(told_, 1);
  EXPECT_THAT(told_.pushes, SizeIs(1));
}

// The first server hangs up as it is about to be asked for a sign of life.
TEST_F(ListenersTest, WhatIsLostAsItIsKeptAliveIsToldInTheSameTurn) {
  listen(told_, 2);
  Scene scene;
  scene.begun = [](Scripted& operation, Instant now) {
    operation.ask(0, 1, CheckEqual{Resource("r"), Token("t")}, now + kHeartbeat * 2);
  };
  scene.answered = [this](Scripted&, std::size_t, Instant) {
    ASSERT_EQ(server(0).count("PING"), 0U);
    transport_.drop_connections(server(0));
  };
  server(2).answer_time = kHeartbeat;
  const NodeList slow{pool_.node(parse_server(name(2)).endpoint, kHeartbeat * 2)};
  (void)pool_.begin(std::make_unique<Scripted>(scene, slow.size()), slow);
  while (scene.replies.empty()) pool_.step(clock_.now() + kHeartbeat);
  ASSERT_THAT(told_.subscription_states, SizeIs(3));
  EXPECT_EQ(told_.subscription_states.back().subscription_state.fault, Fault::closed);
}

TEST_F(ListenersTest, ASignalIsNoSignOfLife) {
  listen(told_, 1);
  step_for(kHeartbeat - Duration::seconds(1));
  transport_.interrupt_next_wait = true;
  EXPECT_EQ(pool_.step(Instant::never()), Woken::interrupted);
  step_for(Duration::seconds(1) + Duration::ms(1));
  EXPECT_EQ(server(0).count("PING"), 1U);
}

TEST_F(ListenersTest, WhatWasReadBecauseSomebodyElseLookedIsNoSignOfLife) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks, "connects").decision, Decision::granted);
  const std::string channel = listen_for_a_moment();
  transport_.publish(server(0), channel, "next 5 tok");
  clock_.advance(kHeartbeat);
  ASSERT_EQ(lock(locks).decision, Decision::granted);
  listen(told_, 1);
  step_for(Duration::ms(1));
  EXPECT_EQ(server(0).count("PING"), 1U);
}

TEST_F(ListenersTest, TheNextThingToDoIsThatOfTheFirstWhoseTimeIsOver) {
  const Instant begun = clock_.now();
  listen(told_, 1);
  step_for(Duration::seconds(1));
  listen_to(told_, nodes(1, 1));
  step_for(Duration::seconds(1));
  EXPECT_EQ(pool_.next_deadline(), begun + kHeartbeat);
  transport_.publish(server(0), transport_.channels(server(0)).front(), "next 5 tok");
  step_for(Duration::ms(1));
  EXPECT_EQ(pool_.next_deadline(), begun + Duration::seconds(1) + kHeartbeat);
}

TEST_F(ListenersTest, OneThatNobodyListensToIsNotGivenUpBeforeItWasLookedAt) {
  pool_.collect(listen(told_, 1));
  clock_.advance(kTimeoutDefault * 2);
  pool_.step(clock_.now());
  listen(told_, 1);
  step_for(Duration::ms(1));
  EXPECT_NE(told_.channel(0), "");
  EXPECT_EQ(server(0).connections_opened, 1U);
}

// What was pushed meanwhile may be a lock that nobody waits for any more.
TEST_F(ListenersTest, AreReadAtTheEndOfARequestThatAskedForNothing) {
  listen(told_, 1);
  step_for(Duration::ms(1));
  transport_.publish(server(0), told_.channel(0), "granted 1 tok");
  pool_.deliver();
  EXPECT_THAT(told_.pushes, SizeIs(1));
}

TEST_F(ListenersTest, NothingIsReadAtTheEndOfARequestThatHasNoConnections) {
  const std::size_t before = transport_.wait_count;
  pool_.deliver();
  EXPECT_EQ(transport_.wait_count, before);
}

// The process did other work meanwhile, and goes on with its wait.
TEST_F(ListenersTest, OneThatSomebodyListensToIsKeptThoughNobodyTookATurnForLong) {
  listen(told_, 1);
  step_for(Duration::ms(1));
  clock_.advance(Duration::seconds(5));
  pool_.close_idle(Duration::seconds(5));
  EXPECT_EQ(pool_.listener_count(), 1U);
}

TEST_F(ListenersTest, TheOneThatNobodyHasListenedToForLongestMakesRoom) {
  std::vector<std::unique_ptr<Told>> many;
  std::vector<OperationId> ids;
  for (std::size_t i = 0; i < kListenersMax / kNodesMax; ++i) {
    many.push_back(std::make_unique<Told>());
    ids.push_back(listen_to(*many.back(), nodes(i * kNodesMax, kNodesMax)));
  }
  step_for(Duration::ms(1));
  for (const std::size_t i : {3U, 1U, 5U}) {
    pool_.collect(ids[i]);
    step_for(Duration::ms(1));
  }
  listen_to(told_, nodes(kListenersMax, 1));
  step_for(Duration::ms(1));
  EXPECT_NE(told_.channel(0), "");
  EXPECT_THAT(transport_.channels(server(3 * kNodesMax)), IsEmpty());
  for (std::size_t i = 0; i < kListenersMax; ++i) {
    if (i == 3 * kNodesMax) continue;
    EXPECT_THAT(transport_.channels(server(i)), SizeIs(1)) << i;
  }
}

}  // namespace
}  // namespace redlock::listeners_turn_test
