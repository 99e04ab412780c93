// Connections that outlive calls and managers, and how they are let go.
#include "redlock/runtime/pool.hpp"

#include <gtest/gtest.h>

#include "support/fake_world.hpp"

namespace redlock {
namespace {

using test::FakeWorld;

class PoolTest : public FakeWorld {
 protected:
  std::shared_ptr<Node> node(const Endpoint& endpoint) {
    return pool_.node(endpoint, kTimeoutDefault);
  }
};

Endpoint endpoint(const std::string& host) {
  Endpoint endpoint;
  endpoint.host = host;
  return endpoint;
}

TEST_F(PoolTest, EqualEndpointsShareANode) { EXPECT_EQ(node(endpoint("a")), node(endpoint("a"))); }

TEST_F(PoolTest, EverythingThatMakesAConnectionDifferentMakesANodeDifferent) {
  const auto plain = node(endpoint("a"));
  Endpoint other = endpoint("a");
  other.port = 1;
  EXPECT_NE(node(other), plain);
  other = endpoint("a");
  other.database = 1;
  EXPECT_NE(node(other), plain);
  other = endpoint("a");
  other.password = "p";
  EXPECT_NE(node(other), plain);
  other.user = "u";
  const auto with_user = node(other);
  EXPECT_NE(with_user, plain);
  other.client_name = "c";
  EXPECT_NE(node(other), with_user);
}

// A connection is given up when its most impatient user has waited long enough, so the patient
// have one of their own.
TEST_F(PoolTest, TimeoutsOfAnotherMagnitudeHaveAConnectionOfTheirOwn) {
  const auto patient = pool_.node(endpoint("a"), Duration::ms(50));
  EXPECT_EQ(pool_.node(endpoint("a"), Duration::ms(60)), patient);
  EXPECT_NE(pool_.node(endpoint("a"), Duration::ms(1)), patient);
  EXPECT_NE(pool_.node(endpoint("a"), Duration::ms(100)), patient);
}

TEST_F(PoolTest, WhateverTimeoutsAreDrawnAServerHasFewConnections) {
  for (int i = 1; i <= 2'000; ++i) {
    std::vector<ServerSpec> servers = specs(1);
    servers[0].timeout = Duration::ms(i);
    LockManager locks(pool_, servers, once());
    lock(locks, std::to_string(i));
  }
  EXPECT_LE(transport_.open_count(), 12U);
}

TEST_F(PoolTest, AnImpatientObjectCostsThePatientNeitherAnAnswerNorAConnection) {
  server(0).answer_time = Duration::ms(5);
  std::vector<ServerSpec> hasty = specs(1);
  hasty[0].timeout = Duration::ms(1);
  LockManager impatient(pool_, hasty, once());
  LockManager patient = manager(1);
  const OperationId id = patient.begin_lock(Resource("a"), Duration::ms(10'000));
  EXPECT_EQ(lock(impatient, "b").decision, Decision::unreachable);
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
  EXPECT_EQ(lock(patient, "c").decision, Decision::granted);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(PoolTest, PartsThatRunTogetherAreStillToldApart) {
  Endpoint one = endpoint("h");
  one.user = "ab";
  one.password = "c";
  Endpoint two = endpoint("h");
  two.user = "a";
  two.password = "bc";
  EXPECT_NE(node(one), node(two));
}

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

TEST_F(PoolTest, ForgetsEndpointsThatNobodyUses) {
  std::weak_ptr<Node> unused = node(endpoint("a"));
  EXPECT_FALSE(unused.expired());
  pool_.close_idle(Duration());
  EXPECT_TRUE(unused.expired());
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

TEST_F(PoolTest, WorksAgainAfterItsConnectionsWereClosed) {
  LockManager locks = manager(3);
  lock(locks, "a");
  pool_.close_all();
  EXPECT_EQ(lock(locks, "b").decision, Decision::granted);
}

TEST_F(PoolTest, AnOperationThatIsNotKnownIsDoneAndAborted) {
  EXPECT_TRUE(pool_.done(12345));
  EXPECT_EQ(pool_.take(12345).decision, Decision::aborted);
}

TEST_F(PoolTest, AnOutcomeCanBeTakenOnce) {
  LockManager locks = manager(1);
  const OperationId id = locks.begin_lock(Resource("r"), Duration::ms(10'000));
  while (!pool_.done(id)) pool_.step(Instant::never());
  EXPECT_EQ(pool_.take(id).decision, Decision::granted);
  EXPECT_EQ(pool_.take(id).decision, Decision::aborted);
  EXPECT_TRUE(server(0).keys.contains("r"));
}

TEST_F(PoolTest, TheLongestUnusedConnectionMakesRoomForANewOne) {
  for (std::size_t i = 0; i <= kConnectionsMax; ++i) {
    Endpoint server = endpoint("h" + std::to_string(i));
    LockManager locks(pool_, {ServerSpec{server, std::nullopt}}, once());
    ASSERT_EQ(lock(locks).decision, Decision::granted);
    clock_.advance(Duration::us(1));
  }
  EXPECT_EQ(transport_.open_count(), kConnectionsMax);
  LockManager first(pool_, {ServerSpec{endpoint("h0"), std::nullopt}}, once());
  lock(first, "again");
  EXPECT_EQ(transport_.server("h0:6379").connections_opened, 2U);
  EXPECT_EQ(transport_.server("h5:6379").connections_opened, 1U);
}

TEST_F(PoolTest, NoBusyConnectionMakesRoom) {
  Endpoint first = endpoint("h0");
  LockManager busy(pool_, {ServerSpec{first, Duration::seconds(100)}}, once());
  transport_.server("h0:6379").answer_time = Duration::seconds(1);
  const OperationId id = busy.begin_lock(Resource("r"), Duration::ms(10'000));
  for (std::size_t i = 1; i <= kConnectionsMax; ++i) {
    clock_.advance(Duration::us(1));
    LockManager locks(pool_, {ServerSpec{endpoint("h" + std::to_string(i)), std::nullopt}}, once());
    ASSERT_EQ(lock(locks).decision, Decision::granted);
  }
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
  EXPECT_EQ(transport_.server("h1:6379").connections_opened, 1U);
}

}  // namespace
}  // namespace redlock
