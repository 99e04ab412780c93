// A removal that a caller was told about reaches every healthy server, also when the process ends.
#include <gtest/gtest.h>

#include "support/fake_world.hpp"

namespace redlock::removal_delivery_test {
namespace {

using test::Arguments;
using test::FakeServer;
using test::FakeWorld;

class Rule14RemovalsArriveBeforeTheEnd : public FakeWorld {
 protected:
  Rule14RemovalsArriveBeforeTheEnd() {
    for (std::size_t i = 0; i < 3; ++i) server(i).keys["r"] = "t";
  }
  // By a majority, while the third server is not heard of.
  void release(LockManager& locks) {
    ASSERT_EQ(unlock(locks, Token("t")).decision, Decision::granted);
    ASSERT_TRUE(server(2).keys.contains("r"));
  }
  void expect_released() { EXPECT_FALSE(server(2).keys.contains("r")); }
  // The third server is lost, and the node knows.
  void lose_third(LockManager& locks) {
    server(2).reach = FakeServer::Reach::refuses;
    lock(locks, "fails");
    ASSERT_FALSE(locks.pool().node(specs(3)[2].endpoint, kTimeoutDefault)->has_conversation());
  }
  // The removal is carried over to the third server's next connection, which may be made.
  void release_while_third_is_lost(LockManager& locks) {
    lose_third(locks);
    server(2).keys["r"] = "t";
    release(locks);
    server(2).reach = FakeServer::Reach::accepts;
  }
};

TEST_F(Rule14RemovalsArriveBeforeTheEnd, OnAConnectionThatIsStillBeingMade) {
  server(2).connect_time = Duration::ms(30);
  LockManager locks = manager(3);
  release(locks);
  pool_.close_all();
  expect_released();
}

TEST_F(Rule14RemovalsArriveBeforeTheEnd, WhenThePoolIsDestroyed) {
  server(2).connect_time = Duration::ms(30);
  {
    Pool pool(transport_, clock_, entropy_);
    LockManager locks(pool, specs(3), once());
    ASSERT_EQ(pool.run(locks.begin_unlock(Resource("r"), Token("t"))).decision, Decision::granted);
  }
  expect_released();
}

TEST_F(Rule14RemovalsArriveBeforeTheEnd, BehindASelectThatIsNotConfirmedYet) {
  server(2).answer_time = Duration::ms(20);
  LockManager locks = manager_with_database(3);
  release(locks);
  pool_.close_all();
  expect_released();
}

TEST_F(Rule14RemovalsArriveBeforeTheEnd, WhatAnUnansweredSelectHeldBackGoesFirstOnTheNextOne) {
  server(2).stopped = true;
  LockManager locks = manager_with_database(3);
  release(locks);
  clock_.advance(kConnectTimeoutDefault);
  ASSERT_EQ(lock(locks, "gives it up").decision, Decision::granted);
  server(2).stopped = false;
  clock_.advance(kBackoffMax);
  ASSERT_EQ(lock(locks, "next").decision, Decision::granted);
  step_for(Duration::ms(1));
  expect_released();
}

TEST_F(Rule14RemovalsArriveBeforeTheEnd, OnANewConnectionWhereTheyWereCarriedOver) {
  LockManager locks = manager(3);
  release_while_third_is_lost(locks);
  pool_.close_all();
  expect_released();
}

TEST_F(Rule14RemovalsArriveBeforeTheEnd, WhoIsLeftAloneForAWhileIsAskedAtTheLastChanceOnly) {
  LockManager locks = manager(3);
  release_while_third_is_lost(locks);
  const std::size_t before = server(2).connections_opened;
  pool_.deliver();
  EXPECT_EQ(server(2).connections_opened, before);
  pool_.close_all();
  expect_released();
}

TEST_F(Rule14RemovalsArriveBeforeTheEnd, WhenTheSocketTakesNothingForAWhile) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks, "connects").decision, Decision::granted);
  transport_.send_room = 10;
  const OperationId id = locks.begin_unlock(Resource("r"), Token("t"));
  pool_.collect(id);
  transport_.raise_send_room_at(clock_.now() + Duration::ms(5));
  pool_.close_all();
  EXPECT_FALSE(server(0).keys.contains("r"));
}

TEST_F(Rule14RemovalsArriveBeforeTheEnd, BySha1WhereTheServerHasForgottenTheScript) {
  LockManager locks = manager(3);
  for (std::size_t i = 0; i < 3; ++i) server(i).keys["a"] = "t";
  ASSERT_EQ(unlock(locks, Token("t"), "a").decision, Decision::granted);
  step_for(Duration::ms(1));
  server(2).known_scripts.clear();
  server(2).answer_time = Duration::ms(20);
  release(locks);
  pool_.deliver();
  step_for(Duration::ms(1));
  expect_released();
  EXPECT_EQ(transport_.open_count(), 3U);
}

TEST_F(Rule14RemovalsArriveBeforeTheEnd, ADeadServerCostsItsOwnTimeOnce) {
  server(2).reach = FakeServer::Reach::vanishes;
  LockManager locks = manager(3);
  release(locks);
  EXPECT_EQ(time_of([&] { pool_.deliver(); }), kTimeoutDefault);
  EXPECT_EQ(time_of([&] { pool_.deliver(); }), Duration());
  clock_.advance(kBackoffMax);
  EXPECT_EQ(time_of([&] { pool_.deliver(); }), Duration());
}

TEST_F(Rule14RemovalsArriveBeforeTheEnd, AServerThatTakesNoMoreCostsItsOwnTimeOnce) {
  LockManager locks = manager(1);
  server(0).reach = FakeServer::Reach::refuses;
  ASSERT_EQ(unlock(locks, Token("t")).decision, Decision::unreachable);
  server(0).reach = FakeServer::Reach::accepts;
  clock_.advance(kBackoffMax);
  transport_.send_room = 10;
  EXPECT_EQ(time_of([&] { pool_.deliver(); }), kTimeoutDefault);
  EXPECT_EQ(time_of([&] { pool_.deliver(); }), Duration());
}

TEST_F(Rule14RemovalsArriveBeforeTheEnd, AtTheLastChanceAServerIsWaitedForThoughItWasInVain) {
  server(2).reach = FakeServer::Reach::vanishes;
  LockManager locks = manager(3);
  for (std::size_t i = 0; i < 3; ++i) server(i).keys["r"] = "t";
  release(locks);
  pool_.deliver();
  clock_.advance(kConnectTimeoutDefault);
  server(2).reach = FakeServer::Reach::accepts;
  server(2).connect_time = Duration::ms(30);
  pool_.close_all();
  expect_released();
}

TEST_F(Rule14RemovalsArriveBeforeTheEnd, AServerThatCameBackIsWaitedForAgain) {
  server(2).reach = FakeServer::Reach::vanishes;
  LockManager locks = manager(3);
  release(locks);
  pool_.deliver();
  server(2).reach = FakeServer::Reach::accepts;
  clock_.advance(kConnectTimeoutDefault);
  ASSERT_EQ(lock(locks, "gives it up").decision, Decision::granted);
  clock_.advance(kBackoffMax);
  ASSERT_EQ(lock(locks, "next").decision, Decision::granted);
  step_for(Duration::ms(1));
  for (std::size_t i = 0; i < 3; ++i) server(i).keys["r"] = "t";
  transport_.drop_connections(server(2));
  clock_.advance(kIdleLook);
  server(2).connect_time = Duration::ms(30);
  release(locks);
  pool_.deliver();
  expect_released();
}

TEST_F(Rule14RemovalsArriveBeforeTheEnd, AStoppedServerCostsNothingOnceItHasWhatItIsOwed) {
  LockManager locks = manager(3);
  ASSERT_EQ(lock(locks, "connects").decision, Decision::granted);
  step_for(Duration::ms(1));
  server(2).stopped = true;
  release(locks);
  EXPECT_EQ(time_of([&] { pool_.close_all(); }), Duration());
  transport_.resume(server(2));
  expect_released();
}

TEST_F(Rule14RemovalsArriveBeforeTheEnd, NothingWaitsWhenNothingIsOwed) {
  server(2).reach = FakeServer::Reach::vanishes;
  LockManager locks = manager(3);
  // Denied by two: the third never saw anything that would have to be undone.
  EXPECT_EQ(lock(locks).decision, Decision::denied);
  ASSERT_EQ(lock(locks, "granted").decision, Decision::granted);
  EXPECT_EQ(time_of([&] { pool_.close_all(); }), Duration());
}

TEST_F(Rule14RemovalsArriveBeforeTheEnd, TidyingAtTheEndOfARequestForgetsNoCarriedRemoval) {
  {
    LockManager locks = manager(3);
    release_while_third_is_lost(locks);
  }
  pool_.abort_all();
  pool_.deliver();
  pool_.close_idle(Duration());
  clock_.advance(kBackoffMax);
  LockManager locks = manager(3);
  ASSERT_EQ(lock(locks, "next").decision, Decision::granted);
  step_for(Duration::ms(1));
  expect_released();
}

}  // namespace
}  // namespace redlock::removal_delivery_test
