// Connections that outlive calls and managers, and how they are let go.
#include "redlock/net/pool.hpp"

#include <gtest/gtest.h>

#include "support/fake_world.hpp"

namespace redlock::pool_test {
namespace {

using test::FakeWorld;

class PoolTest : public FakeWorld {};

TEST_F(PoolTest, ManagersOfTheSameServersShareConnections) {
  LockManager first = manager(3);
  LockManager second = manager(3);
  lock(first, "a");
  lock(second, "b");
  EXPECT_EQ(transport_.open_count(), 3U);
  EXPECT_EQ(pool_.connection_count(), 3U);
}

TEST_F(PoolTest, AConnectionOutlivesItsManager) {
  {
    LockManager locks = manager(1);
    lock(locks, "a");
  }
  LockManager locks = manager(1);
  lock(locks, "b");
  EXPECT_EQ(server(0).connections_opened, 1U);
}

TEST_F(PoolTest, AnIdleConnectionIsClosedAtItsTimeAndNotOneNanosecondBefore) {
  LockManager locks = manager(1);
  lock(locks);
  clock_.advance(Duration::seconds(60) - Duration::ns(1));
  pool_.close_idle(Duration::seconds(60));
  EXPECT_EQ(transport_.open_count(), 1U);
  clock_.advance(Duration::ns(1));
  pool_.close_idle(Duration::seconds(60));
  EXPECT_EQ(transport_.open_count(), 0U);
  EXPECT_EQ(lock(locks, "again").decision, Decision::granted);
}

TEST_F(PoolTest, AConnectionWithSomethingOutstandingIsNotIdle) {
  LockManager locks = manager(3);
  server(2).answer_time = Duration::ms(40);
  lock(locks);
  pool_.close_idle(Duration());
  EXPECT_EQ(transport_.open_count(), 1U);
}

TEST_F(PoolTest, ClosingTheConnectionsLeavesGrantedLocksAlone) {
  server(2).stopped = true;
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  pool_.close_all();
  EXPECT_EQ(transport_.open_count(), 0U);
  transport_.resume(server(2));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(server(i).keys.at("r"), outcome.token.view()) << i;
}

TEST_F(PoolTest, ClosingTheConnectionsUndoesWhatIsUnderWay) {
  for (std::size_t i = 0; i < 3; ++i) server(i).stopped = true;
  LockManager locks = manager(3);
  const OperationId id = locks.begin_lock(Resource("r"), Duration::ms(10'000));
  step_for(Duration::ms(1));
  pool_.close_all();
  EXPECT_TRUE(pool_.done(id));
  for (std::size_t i = 0; i < 3; ++i) {
    transport_.resume(server(i));
    EXPECT_TRUE(server(i).keys.empty()) << i;
  }
}

TEST_F(PoolTest, ClosingTheConnectionsLetsGoOfTheirServers) {
  {
    LockManager locks = manager(1);
    lock(locks);
  }
  pool_.close_all();
  EXPECT_EQ(pool_.node(specs(1)[0].endpoint, kTimeoutDefault).use_count(), 2) << "the pool's, this";
}

TEST_F(PoolTest, WorksAgainAfterItsConnectionsWereClosed) {
  LockManager locks = manager(3);
  lock(locks, "a");
  pool_.close_all();
  EXPECT_EQ(lock(locks, "b").decision, Decision::granted);
}

TEST_F(PoolTest, WhatWasGivenUpAboutOneOperationIsNotHeldAgainstTheNext) {
  LockManager locks = manager(1);
  const Outcome taken = lock(locks);
  const OperationId first = locks.begin_check(Resource("r"), taken.token);
  pool_.give_up(taken.token);
  EXPECT_EQ(pool_.run(first).decision, Decision::denied);
  EXPECT_EQ(pool_.run(locks.begin_check(Resource("r"), taken.token)).decision, Decision::granted);
}

TEST_F(PoolTest, NothingStaysOfWhatWasEndedBeforeItWasDecided) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks, "connects").decision, Decision::granted);
  const std::shared_ptr<Node> node = pool_.node(specs(1)[0].endpoint, kTimeoutDefault);
  const auto uses = node.use_count();
  for (const bool all : {false, true}) {
    const OperationId id = locks.begin_lock(Resource("r"), Duration::ms(10'000));
    if (all) {
      pool_.abort_all();
    } else {
      ASSERT_EQ(pool_.collect(id).decision, Decision::aborted);
    }
    EXPECT_EQ(node.use_count(), uses) << all;
  }
}

TEST_F(PoolTest, ARemovalThatNobodyWaitsForAnyMoreHasADeadlineToo) {
  LockManager locks = manager(3);
  const Outcome taken = lock(locks);
  step_for(Duration::ms(1));
  ASSERT_FALSE(pool_.next_deadline());
  server(2).stopped = true;
  ASSERT_EQ(unlock(locks, taken.token).decision, Decision::granted);
  EXPECT_EQ(pool_.next_deadline(), clock_.now() + kTimeoutDefault);
}

TEST(LockPlanTest, OnePlanServesManagersWithPoolsOfTheirOwn) {
  test::FakeClock clock;
  test::SeededEntropy entropy;
  test::FakeTransport transport(clock);
  Pool one(transport, clock, entropy);
  Pool other(transport, clock, entropy);
  const auto plan = std::make_shared<const LockPlan>(
      std::vector<ServerSpec>{parse_server("s0"), parse_server("s1")}, LockOptions{});
  EXPECT_EQ(one.endpoint_count(), 0U);
  LockManager takes(one, plan);
  LockManager extends(other, plan);
  const Outcome taken = one.run(takes.begin_lock(Resource("r"), Duration::seconds(10)));
  ASSERT_EQ(taken.decision, Decision::granted);
  const OperationId extension =
      extends.begin_extend(Resource("r"), taken.token, Duration::seconds(20));
  EXPECT_EQ(other.run(extension).decision, Decision::granted);
  EXPECT_EQ(one.connection_count(), 2U);
  EXPECT_EQ(other.connection_count(), 2U);
}

}  // namespace
}  // namespace redlock::pool_test
