// One server's life: backing off and coming back, idle connections, and what is carried over.
#include "redlock/net/node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_world.hpp"

namespace redlock::node_test {
namespace {

using test::Arguments;
using test::FakeServer;
using test::FakeWorld;
using testing::IsEmpty;

class NodeTest : public FakeWorld {
 protected:
  // One of three servers is in trouble, so that backing off costs no majority.
  void fail_once(LockManager& locks) {
    lock(locks, "fails");
    ASSERT_FALSE(pool_.node(specs(3)[2].endpoint, kTimeoutDefault)->has_conversation());
  }
  [[nodiscard]] std::size_t opened() { return server(2).connections_opened; }
};

TEST_F(NodeTest, ConnectsAtTheFirstCallAndNotBefore) {
  LockManager locks = manager(3);
  EXPECT_EQ(opened(), 0U);
  lock(locks);
  EXPECT_EQ(opened(), 1U);
}

TEST_F(NodeTest, AServerThatRefusesIsLeftAloneForAWhileAndThenTriedAgain) {
  server(2).reach = FakeServer::Reach::refuses;
  LockManager locks = manager(3);
  fail_once(locks);
  EXPECT_EQ(opened(), 1U);
  // The first pause is between 5 and 10 ms.
  clock_.advance(Duration::ms(5) - Duration::ns(1));
  lock(locks, "a");
  EXPECT_EQ(opened(), 1U);
  clock_.advance(Duration::ms(5) + Duration::ns(1));
  lock(locks, "b");
  EXPECT_EQ(opened(), 2U);
}

TEST_F(NodeTest, TheLongestPauseIsTwoHundredMilliseconds) {
  server(2).reach = FakeServer::Reach::refuses;
  LockManager locks = manager(3);
  for (int i = 0; i < 30; ++i) {
    clock_.advance(kBackoffMax);
    const std::size_t before = opened();
    lock(locks, "r" + std::to_string(i));
    EXPECT_EQ(opened(), before + 1) << i;
  }
  const std::size_t before = opened();
  clock_.advance(kBackoffMax * 1 - Duration::ms(101));
  lock(locks, "too early");
  EXPECT_EQ(opened(), before);
}

TEST_F(NodeTest, TheFirstAnswerEndsTheTrouble) {
  server(2).reach = FakeServer::Reach::refuses;
  LockManager locks = manager(3);
  for (int i = 0; i < 5; ++i) {
    clock_.advance(kBackoffMax);
    lock(locks, "r" + std::to_string(i));
  }
  const auto node = pool_.node(specs(3)[2].endpoint, kTimeoutDefault);
  EXPECT_EQ(node->trouble().fault, Fault::connect);
  server(2).reach = FakeServer::Reach::accepts;
  clock_.advance(kBackoffMax);
  lock(locks, "well again");
  step_for(Duration::ms(1));
  EXPECT_EQ(node->trouble().fault, Fault::none);
  // The next failure is the first one again.
  transport_.drop_connections(server(2));
  server(2).reach = FakeServer::Reach::refuses;
  const std::size_t before = opened();
  clock_.advance(kIdleLook);
  lock(locks, "fails");
  clock_.advance(kBackoffFirst);
  lock(locks, "fails again");
  EXPECT_EQ(opened(), before + 2);
}

TEST_F(NodeTest, BackingOffNeverCostsAMajority) {
  for (std::size_t i = 0; i < 3; ++i) server(i).reach = FakeServer::Reach::refuses;
  LockManager locks = manager(3);
  EXPECT_EQ(lock(locks).decision, Decision::unreachable);
  for (std::size_t i = 0; i < 3; ++i) server(i).reach = FakeServer::Reach::accepts;
  EXPECT_EQ(lock(locks).decision, Decision::granted);
}

// Two of three are well: the first, and the third, which was lost a moment ago.
class BackingOffCostsNoMajority : public NodeTest {
 protected:
  BackingOffCostsNoMajority() {
    for (std::size_t i = 0; i < 3; ++i) server(i).keys["r"] = "t";
  }
  LockManager only(std::size_t i) { return {pool_, {specs(3)[i]}, once()}; }
  // Dead for so long that it may be tried again.
  void bury_second(FakeServer::Reach how) {
    server(1).reach = how;
    LockManager second = only(1);
    ASSERT_EQ(lock(second, "fails").decision, Decision::unreachable);
    clock_.advance(kBackoffMax);
  }
  void lose_third_and_bring_it_back() {
    LockManager third = only(2);
    server(2).stopped = true;
    const OperationId id = third.begin_check(Resource("r"), Token("t"));
    pool_.step(clock_.now());
    transport_.drop_connections(server(2));
    ASSERT_EQ(pool_.run(id).decision, Decision::unreachable);
    server(2).stopped = false;
    ASSERT_FALSE(
        pool_.node(specs(3)[2].endpoint, kTimeoutDefault)->connected_or_free(clock_.now()));
  }
  Decision check(LockManager& locks) {
    return pool_.run(locks.begin_check(Resource("r"), Token("t"))).decision;
  }
};

TEST_F(BackingOffCostsNoMajority, WhereADeadServerMayBeTriedAgain) {
  LockManager locks = manager(3);
  bury_second(FakeServer::Reach::refuses);
  lose_third_and_bring_it_back();
  EXPECT_EQ(check(locks), Decision::granted);
}

TEST_F(BackingOffCostsNoMajority, WhereADeadServerThatSaysNothingMayBeTriedAgain) {
  LockManager locks = manager(3);
  bury_second(FakeServer::Reach::vanishes);
  lose_third_and_bring_it_back();
  EXPECT_EQ(check(locks), Decision::granted);
}

TEST_F(BackingOffCostsNoMajority, WhereAServerDiesJustNow) {
  LockManager locks = manager(3);
  ASSERT_EQ(check(locks), Decision::granted);
  step_for(Duration::ms(1));
  lose_third_and_bring_it_back();
  server(1).reach = FakeServer::Reach::refuses;
  transport_.drop_connections(server(1));
  EXPECT_EQ(check(locks), Decision::granted);
}

TEST_F(BackingOffCostsNoMajority, WhereAServerFallsSilentJustNow) {
  LockManager locks = manager(3);
  ASSERT_EQ(check(locks), Decision::granted);
  step_for(Duration::ms(1));
  lose_third_and_bring_it_back();
  server(1).stopped = true;
  EXPECT_EQ(check(locks), Decision::granted);
}

TEST_F(BackingOffCostsNoMajority, WhereAnotherHasLostALockThatIsToBeExtended) {
  LockManager locks = manager(3);
  ASSERT_EQ(check(locks), Decision::granted);
  step_for(Duration::ms(1));
  lose_third_and_bring_it_back();
  server(1).keys.erase("r");
  const OperationId id = locks.begin_extend(Resource("r"), Token("t"), Duration::seconds(10));
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
}

TEST_F(BackingOffCostsNoMajority, AndSparesAServerThatIsNotNeeded) {
  LockManager locks = manager(3);
  ASSERT_EQ(lock(locks, "a").decision, Decision::granted);
  step_for(Duration::ms(1));
  lose_third_and_bring_it_back();
  const std::size_t before = opened();
  ASSERT_EQ(lock(locks, "b").decision, Decision::granted);
  EXPECT_EQ(opened(), before);
}

TEST_F(BackingOffCostsNoMajority, AndAReleaseIsStillCarriedToTheServerThatWasHedged) {
  LockManager locks = manager(3);
  ASSERT_EQ(check(locks), Decision::granted);
  step_for(Duration::ms(1));
  lose_third_and_bring_it_back();
  ASSERT_EQ(unlock(locks, Token("t")).decision, Decision::granted);
  clock_.advance(kBackoffMax);
  ASSERT_EQ(lock(locks, "next").decision, Decision::granted);
  step_for(Duration::ms(1));
  EXPECT_FALSE(server(2).keys.contains("r"));
}

TEST_F(BackingOffCostsNoMajority, AndAReleaseThatNobodyWaitsForIsCarriedThereToo) {
  LockManager locks = manager(3);
  ASSERT_EQ(check(locks), Decision::granted);
  step_for(Duration::ms(1));
  lose_third_and_bring_it_back();
  const OperationId id = locks.begin_unlock(Resource("r"), Token("t"));
  ASSERT_EQ(pool_.collect(id).decision, Decision::aborted);
  clock_.advance(kBackoffMax);
  ASSERT_EQ(lock(locks, "next").decision, Decision::granted);
  step_for(Duration::ms(1));
  EXPECT_FALSE(server(2).keys.contains("r"));
}

TEST_F(BackingOffCostsNoMajority, AndNoAnswerWaitsForTheServerThatWasHedged) {
  LockManager locks = manager(3);
  ASSERT_EQ(lock(locks, "a").decision, Decision::granted);
  step_for(Duration::ms(1));
  lose_third_and_bring_it_back();
  server(1).keys["split"] = "somebody else's";
  EXPECT_EQ(time_of([&] { EXPECT_NE(lock(locks, "split").decision, Decision::granted); }),
            Duration());
}

TEST_F(NodeTest, AConnectionThatIsMadeWhileNobodyWantsItIsNotCalledOverdue) {
  server(2).connect_time = Duration::ms(30);
  LockManager locks = manager(3);
  ASSERT_EQ(lock(locks).decision, Decision::granted);
  // Another object's call takes longer than the server may.
  server(3).answer_time = Duration::ms(70);
  LockOptions patient = once();
  patient.timeout = Duration::ms(100);
  LockManager other(pool_, {parse_server(name(3))}, patient);
  ASSERT_EQ(lock(other, "other").decision, Decision::granted);
  const auto node = pool_.node(specs(3)[2].endpoint, kTimeoutDefault);
  EXPECT_EQ(node->trouble().fault, Fault::none);
  EXPECT_TRUE(node->has_conversation());
}

TEST_F(NodeTest, AServerWhoseConnectionBrokeUnderACallIsLeftAloneForAWhile) {
  LockManager locks = manager(3);
  ASSERT_EQ(lock(locks, "a").decision, Decision::granted);
  step_for(Duration::ms(1));
  server(2).stopped = true;
  const OperationId id = locks.begin_lock(Resource("b"), Duration::ms(10'000));
  transport_.drop_connections(server(2));
  pool_.run(id);
  const auto node = pool_.node(specs(3)[2].endpoint, kTimeoutDefault);
  pool_.step(clock_.now());
  EXPECT_FALSE(node->connected_or_free(clock_.now()));
}

TEST_F(NodeTest, AServerThatSaysTooMuchIsLeftAloneForAWhile) {
  server(2).say = [](const Arguments&) { return "+OK\r\n+OK\r\n"; };
  LockManager locks = manager(3);
  lock(locks);
  step_for(Duration::ms(1));
  const auto node = pool_.node(specs(3)[2].endpoint, kTimeoutDefault);
  EXPECT_EQ(node->trouble().fault, Fault::protocol);
  EXPECT_FALSE(node->connected_or_free(clock_.now()));
}

TEST_F(NodeTest, AnAttemptThatFollowsATimeoutAtOnceAsksTheServersAgain) {
  LockOptions options = once();
  options.retry = RetryPolicy::exact(2, Duration());
  LockManager locks = manager(3, options);
  for (std::size_t i = 0; i < 3; ++i) server(i).stopped = true;
  const OperationId id = locks.begin_lock(Resource("r"), Duration::ms(10'000));
  step_for(kTimeoutDefault - Duration::ns(1));
  for (std::size_t i = 0; i < 3; ++i) server(i).stopped = false;
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
}

TEST_F(NodeTest, AConnectionThatTheServerClosedWhileIdleCostsNothing) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks, "a").decision, Decision::granted);
  transport_.drop_connections(server(0));
  clock_.advance(kIdleLook);
  EXPECT_EQ(lock(locks, "b").decision, Decision::granted);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(NodeTest, AConnectionThatCannotBeSentOnIsToldInTheVeryTurn) {
  LockManager locks = manager(1);
  lock(locks, "a");
  transport_.drop_connections(server(0));
  const OperationId id = locks.begin_lock(Resource("b"), Duration::ms(10'000));
  EXPECT_TRUE(pool_.done(id));
  EXPECT_EQ(pool_.collect(id).decision, Decision::unreachable);
}

TEST_F(NodeTest, AConnectionThatBreaksUnderACallIsAVoteAgainst) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks, "a").decision, Decision::granted);
  server(0).stopped = true;
  const OperationId id = locks.begin_lock(Resource("b"), Duration::ms(10'000));
  transport_.drop_connections(server(0));
  const Outcome outcome = pool_.run(id);
  EXPECT_EQ(outcome.decision, Decision::unreachable);
  EXPECT_EQ(outcome.nodes[0].reply.fault, Fault::closed);
}

TEST_F(NodeTest, WhatAServerSaidBeforeItHungUpCountsThoughNothingCanBeSentToItAnyMore) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks, "a").decision, Decision::granted);
  const OperationId answered = locks.begin_lock(Resource("b"), Duration::ms(10'000));
  transport_.drop_connections(server(0));
  const OperationId unsent = locks.begin_lock(Resource("c"), Duration::ms(10'000));
  EXPECT_EQ(pool_.run(answered).decision, Decision::granted);
  EXPECT_EQ(pool_.run(unsent).decision, Decision::unreachable);
}

TEST_F(NodeTest, AReleaseWithoutConnectionIsCarriedToTheNextOne) {
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  step_for(Duration::ms(1));
  ASSERT_TRUE(server(2).keys.contains("r"));
  transport_.drop_connections(server(2));
  server(2).reach = FakeServer::Reach::refuses;
  clock_.advance(kIdleLook);
  ASSERT_EQ(unlock(locks, outcome.token).decision, Decision::granted);
  ASSERT_TRUE(server(2).keys.contains("r"));
  server(2).reach = FakeServer::Reach::accepts;
  clock_.advance(kBackoffMax);
  ASSERT_EQ(lock(locks, "other").decision, Decision::granted);
  step_for(Duration::ms(1));
  EXPECT_FALSE(server(2).keys.contains("r"));
}

TEST_F(NodeTest, WhatIsCarriedIsBounded) {
  LockManager locks = manager(3);
  server(2).reach = FakeServer::Reach::refuses;
  for (std::size_t i = 0; i < 2 * kCarriedMax; ++i) {
    unlock(locks, Token("t" + std::to_string(i)));
  }
  server(2).reach = FakeServer::Reach::accepts;
  clock_.advance(kBackoffMax);
  lock(locks);
  step_for(Duration::ms(1));
  // The newest are kept.
  ASSERT_EQ(server(2).count("EVAL"), kCarriedMax);
  EXPECT_EQ(server(2).log.at(0).at(4), "t" + std::to_string(kCarriedMax));
  EXPECT_EQ(server(2).log.back().at(4), "t" + std::to_string(2 * kCarriedMax - 1));
}

TEST_F(NodeTest, WhatIsCarriedIsNotLostWhereItExceedsTheConnectionsRoom) {
  LockManager locks = manager(3);
  server(2).reach = FakeServer::Reach::refuses;
  const std::string big(kResourceBytesMax, 'x');
  constexpr std::size_t kCount = 100;
  static_assert(kCount * kResourceBytesMax > kQueuedBytesMax);
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::string resource = std::to_string(100 + i) + big.substr(3);
    server(2).keys[resource] = "t";
    unlock(locks, Token("t"), resource);
  }
  server(2).reach = FakeServer::Reach::accepts;
  clock_.advance(kBackoffMax);
  lock(locks);
  step_for(Duration::ms(20));
  server(2).keys.erase("r");
  EXPECT_THAT(server(2).keys, IsEmpty());
}

TEST_F(NodeTest, AWrongPasswordIsTriedAgainOnlyAfterAPause) {
  server(2).say = [](const Arguments& request) -> std::optional<std::string> {
    if (request[0] == "AUTH") return test::error("WRONGPASS invalid username-password pair");
    return std::nullopt;
  };
  auto servers = specs(3);
  servers[2].endpoint.password = "wrong";
  LockManager locks(pool_, servers, once());
  for (int i = 0; i < 10; ++i) {
    lock(locks, "r" + std::to_string(i));
    step_for(Duration::us(100));
  }
  EXPECT_EQ(opened(), 1U);
}

}  // namespace
}  // namespace redlock::node_test
