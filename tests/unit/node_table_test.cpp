// Which users share a node, and which nodes are forgotten.
#include "redlock/net/node_table.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "support/fake_world.hpp"

namespace redlock::node_table_test {
namespace {

class NodeTableTest : public test::FakeWorld {
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

TEST_F(NodeTableTest, EqualEndpointsShareANode) {
  EXPECT_EQ(node(endpoint("a")), node(endpoint("a")));
}

// Whoever adds a field to the endpoint is sent here by the compiler.
TEST_F(NodeTableTest, EveryFieldOfTheEndpointMakesAnotherNode) {
  const Endpoint usual = endpoint("a");
  std::vector<Endpoint> others(13, usual);
  std::size_t i = 0;
  const auto next = [&]() -> Endpoint& { return others[i++]; };
  {
    auto& [in_memory, host, port, unix_path, user, password, database, client_name, tls, guard] =
        next();
    in_memory = true;
    static_cast<void>(
        std::tie(host, port, unix_path, user, password, database, client_name, tls, guard));
  }
  next().host = "b";
  next().port = 1;
  next().unix_path = "/s";
  next().user = "u";
  next().password = "p";
  next().database = 1;
  next().tls.emplace();
  next().client_name = "c";
  next().guard.parts.role = true;
  next().guard.parts.restart = true;
  next().guard.longest_ttl = Duration::ms(1);
  next().guard.list = "a";
  std::set<std::shared_ptr<Node>> nodes{pool_.node(usual, kTimeoutDefault)};
  for (const Endpoint& other : others) nodes.insert(pool_.node(other, kTimeoutDefault));
  EXPECT_EQ(nodes.size(), 14U);
}

TEST_F(NodeTableTest, TwoUsersWithOnePasswordDoNotShareAConnection) {
  Endpoint one = endpoint("s0");
  one.user = "one";
  one.password = "same";
  Endpoint two = one;
  two.user = "two";
  LockManager ones(pool_, {ServerSpec{one, std::nullopt}}, once());
  LockManager twos(pool_, {ServerSpec{two, std::nullopt}}, once());
  lock(ones, "a");
  lock(twos, "b");
  EXPECT_EQ(server(0).connections_opened, 2U);
  EXPECT_EQ(server(0).count("AUTH"), 2U);
}

TEST_F(NodeTableTest, EverythingThatMakesAConnectionDifferentMakesANodeDifferent) {
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
TEST_F(NodeTableTest, TimeoutsOfAnotherMagnitudeHaveAConnectionOfTheirOwn) {
  const auto patient = pool_.node(endpoint("a"), Duration::ms(50));
  EXPECT_EQ(pool_.node(endpoint("a"), Duration::ms(60)), patient);
  EXPECT_EQ(patient->timeout(), Duration::ms(60)) << "of those who share it the most patient";
  EXPECT_NE(pool_.node(endpoint("a"), Duration::ms(1)), patient);
  EXPECT_NE(pool_.node(endpoint("a"), Duration::ms(100)), patient);
}

TEST_F(NodeTableTest, WhateverTimeoutsAreDrawnAServerHasFewConnections) {
  for (int i = 1; i <= 2'000; ++i) {
    std::vector<ServerSpec> servers = specs(1);
    servers[0].timeout = Duration::ms(i);
    LockManager locks(pool_, servers, once());
    lock(locks, std::to_string(i));
  }
  EXPECT_LE(transport_.open_count(), 12U);
}

TEST_F(NodeTableTest, AnImpatientObjectCostsThePatientNeitherAnAnswerNorAConnection) {
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

TEST_F(NodeTableTest, PartsThatRunTogetherAreStillToldApart) {
  Endpoint one = endpoint("h");
  one.user = "ab";
  one.password = "c";
  Endpoint two = endpoint("h");
  two.user = "a";
  two.password = "bc";
  EXPECT_NE(node(one), node(two));
}

TEST_F(NodeTableTest, ForgetsEndpointsThatNobodyUses) {
  std::weak_ptr<Node> unused = node(endpoint("a"));
  EXPECT_FALSE(unused.expired());
  pool_.close_idle(Duration());
  EXPECT_TRUE(unused.expired());
}

TEST_F(NodeTableTest, ForgetsAnEndpointThatIsOwedNothingThoughItWasUsedAMomentAgo) {
  {
    LockManager locks = manager(1);
    ASSERT_EQ(lock(locks).decision, Decision::granted);
  }
  pool_.close_idle(Duration());
  EXPECT_EQ(pool_.endpoint_count(), 0U);
}

TEST_F(NodeTableTest, EndpointsOfWhichOneIsUsedAtATimeDoNotPileUp) {
  for (int i = 0; i < 20'000; ++i) {
    LockManager locks(pool_, {ServerSpec{endpoint("h" + std::to_string(i)), std::nullopt}}, once());
    ASSERT_LE(pool_.endpoint_count(), 2 * kEndpointsKept);
  }
}

TEST_F(NodeTableTest, EndpointsWithConnectionsPileUpToTheirBoundAndLeaveWithThem) {
  for (int i = 0; i < 2'000; ++i) {
    LockManager locks(pool_, {ServerSpec{endpoint("h" + std::to_string(i)), std::nullopt}}, once());
    lock(locks);
    ASSERT_LE(pool_.endpoint_count(), 2 * kConnectionsMax + 1);
    ASSERT_LE(pool_.connection_count(), kConnectionsMax);
  }
  clock_.advance(Duration::seconds(60));
  pool_.close_idle(Duration::seconds(60));
  EXPECT_EQ(pool_.endpoint_count(), 0U);
}

TEST_F(NodeTableTest, AnEndpointThatIsUsedStays) {
  LockManager locks = manager(1);
  for (int i = 0; i < 1'000; ++i) {
    static_cast<void>(pool_.node(endpoint("h" + std::to_string(i)), kTimeoutDefault));
  }
  EXPECT_EQ(pool_.node(specs(1)[0].endpoint, kTimeoutDefault).use_count(), 3)
      << "the pool's, the manager's, this";
}

TEST_F(NodeTableTest, WhatAServerIsOwedOutlivesItsManagerForAWhile) {
  {
    LockManager locks = manager(1);
    const Outcome taken = lock(locks);
    transport_.drop_connections(server(0));
    server(0).reach = test::FakeServer::Reach::refuses;
    unlock(locks, taken.token);
  }
  clock_.advance(kOwedFor - Duration::seconds(1));
  pool_.close_idle(Duration());
  EXPECT_EQ(pool_.endpoint_count(), 1U);
  clock_.advance(Duration::seconds(1));
  pool_.close_idle(Duration());
  EXPECT_EQ(pool_.endpoint_count(), 0U);
}

}  // namespace
}  // namespace redlock::node_table_test
