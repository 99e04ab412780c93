// The reactor over a fake network: early verdicts, late answers, undo, deadlines.
#include "redlock/net/reactor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redlock/algorithm/validity.hpp"
#include "redlock/wire/scripts.hpp"
#include "support/fake_world.hpp"

namespace redlock::reactor_test {
namespace {

using test::Arguments;
using test::FakeServer;
using test::FakeWorld;
using testing::IsEmpty;

constexpr Duration kOneNs = Duration::ns(1);
constexpr Duration kTtl = Duration::ms(10'000);
constexpr Duration kAnswerTime = kTimeoutDefault;

class ReactorTest : public FakeWorld {};

TEST_F(ReactorTest, AVerdictDoesNotWaitForTheSlowest) {
  server(2).answer_time = Duration::ms(40);
  LockManager locks = manager(3);
  const Duration took = time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::granted); });
  EXPECT_LT(took, Duration::ms(1));
}

TEST_F(ReactorTest, ServersAreAskedSideBySide) {
  for (std::size_t i = 0; i < 5; ++i) server(i).answer_time = Duration::ms(20);
  LockManager locks = manager(5);
  const Duration took = time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::granted); });
  EXPECT_EQ(took, Duration::ms(20));
}

TEST_F(ReactorTest, ALateAnswerIsConsumedInOrderAndNotGivenToTheNextCall) {
  server(2).answer_time = Duration::ms(30);
  LockManager locks = manager(3);
  server(2).keys["second"] = "somebody else's";
  ASSERT_EQ(lock(locks, "first").decision, Decision::granted);
  // Now the third server's vote is needed: its grant of "first" must not be taken for it.
  server(1).keys["second"] = "somebody else's";
  EXPECT_EQ(lock(locks, "second").decision, Decision::denied);
  EXPECT_EQ(server(2).connections_opened, 1U);
}

TEST_F(ReactorTest, SeveralOperationsShareTheConnections) {
  LockManager locks = manager(3);
  std::vector<OperationId> ids;
  for (int i = 0; i < 20; ++i) {
    ids.push_back(locks.begin_lock(Resource("r" + std::to_string(i % 10)), kTtl));
  }
  int granted = 0;
  for (const OperationId id : ids) granted += pool_.run(id).decision == Decision::granted ? 1 : 0;
  EXPECT_EQ(granted, 10);
  EXPECT_EQ(transport_.open_count(), 3U);
}

TEST_F(ReactorTest, AnAnswerThatLiesInTheBufferAtTheDeadlineIsNotCalledLate) {
  LockManager locks = manager(1);
  server(0).answer_time = kAnswerTime;
  EXPECT_EQ(lock(locks).decision, Decision::granted);
}

TEST_F(ReactorTest, AnAnswerThatCameInTimeIsNotCalledLateThoughTimeGoesOnWithinATurn) {
  LockOptions options = once();
  options.timeout = Duration::ms(5);
  LockManager locks = manager(3, options);
  server(2).answer_time = Duration::ms(4);
  const Outcome outcome = lock(locks);
  // The second reading is the last in time.
  clock_.advance(Duration::ms(5) - Duration::ns(3));
  clock_.per_reading = Duration::ns(2);
  unlock(locks, outcome.token);
  EXPECT_EQ(pool_.connection_count(), 3U);
}

TEST_F(ReactorTest, AnAnswerOneNanosecondAfterTheDeadlineIsLate) {
  LockManager locks = manager(1);
  server(0).answer_time = kAnswerTime + kOneNs;
  EXPECT_EQ(lock(locks).decision, Decision::unreachable);
}

TEST_F(ReactorTest, ASignalOnlyInterruptsTheStep) {
  LockManager locks = manager(3);
  const OperationId id = locks.begin_lock(Resource("r"), kTtl);
  transport_.interrupt_next_wait = true;
  EXPECT_EQ(pool_.step(Instant::never()), Woken::interrupted);
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
}

TEST_F(ReactorTest, ASignalIsToldAlsoWhereMoreLiesReadyThanTheSocketsShow) {
  LockManager locks = manager(3);
  const OperationId id = locks.begin_lock(Resource("r"), kTtl);
  transport_.buffered = transport_.interrupt_next_wait = true;
  EXPECT_EQ(pool_.step(Instant::never()), Woken::interrupted);
  transport_.buffered = false;
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
}

TEST_F(ReactorTest, AStepWaitsForNothingWhereMoreLiesReadyThanTheSocketsShow) {
  LockManager locks = manager(1);
  server(0).answer_time = Duration::ms(10);
  static_cast<void>(locks.begin_lock(Resource("r"), kTtl));
  step_for(Duration::ms(1));
  transport_.buffered = true;
  EXPECT_EQ(time_of([&] { pool_.step(Instant::never()); }), Duration());
}

TEST_F(ReactorTest, ATurnLooksOnceWhileAnAnswerIsAwaitedThoughItsConnectionHasBeenSilent) {
  LockManager locks = manager(1);
  server(0).answer_time = kAnswerTime;
  static_cast<void>(locks.begin_lock(Resource("r"), kTtl));
  step_for(kIdleLook * 2);
  const std::size_t before = transport_.wait_count;
  pool_.step(clock_.now());
  EXPECT_EQ(transport_.wait_count - before, 1U);
}

TEST_F(ReactorTest, AStepReturnsAtTheMomentItWasGiven) {
  server(0).stopped = true;
  LockManager locks = manager(1);
  const OperationId id = locks.begin_lock(Resource("r"), kTtl);
  const Instant until = clock_.now() + Duration::ms(7);
  while (clock_.now() < until) pool_.step(until);
  EXPECT_EQ(clock_.now(), until);
  EXPECT_FALSE(pool_.done(id));
}

TEST_F(ReactorTest, ASocketThatTakesOneByteAtATimeStillGetsThroughEverything) {
  LockManager locks = manager(1);
  const OperationId id = locks.begin_lock(Resource("r"), kTtl);
  transport_.send_room = 0;
  while (!pool_.done(id)) {
    transport_.send_room = 1;
    pool_.step(clock_.now());
  }
  EXPECT_EQ(pool_.collect(id).decision, Decision::granted);
  transport_.send_room = ~std::size_t{0};
}

TEST_F(ReactorTest, AbortingUndoesWhereverItMayHaveSucceeded) {
  server(1).stopped = true;
  server(2).answer_time = Duration::ms(30);
  LockManager locks = manager(3);
  const OperationId id = locks.begin_lock(Resource("r"), kTtl);
  pool_.step(Instant::never());
  EXPECT_EQ(pool_.collect(id).decision, Decision::aborted);
  transport_.resume(server(1));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_THAT(server(i).keys, IsEmpty()) << i;
}

class Rule01TheReactorReadsTheClockFirst : public FakeWorld {};

TEST_F(Rule01TheReactorReadsTheClockFirst, TimeSpentSendingCountsAgainstTheValidity) {
  LockManager locks = manager(3);
  ASSERT_EQ(lock(locks, "connects").decision, Decision::granted);
  transport_.send_time = Duration::ms(4);
  const Outcome outcome = lock(locks);
  ASSERT_EQ(outcome.decision, Decision::granted);
  EXPECT_EQ(outcome.validity, validity_of(kTtl, Duration::ms(12), kDriftFactorDefault));
}

TEST_F(Rule01TheReactorReadsTheClockFirst, TimeSpentConnectingCountsToo) {
  for (std::size_t i = 0; i < 3; ++i) server(i).connect_time = Duration::ms(30);
  LockManager locks = manager(3);
  EXPECT_EQ(lock(locks).validity, validity_of(kTtl, Duration::ms(30), kDriftFactorDefault));
}

TEST_F(Rule01TheReactorReadsTheClockFirst, EveryAttemptHasAStartOfItsOwn) {
  LockOptions options = once();
  options.retry = RetryPolicy::exact(2, Duration::ms(500));
  LockManager locks = manager(3, options);
  server(0).keys["r"] = server(1).keys["r"] = "somebody else's";
  const OperationId id = locks.begin_lock(Resource("r"), kTtl);
  step_for(Duration::ms(100));
  server(0).keys.clear();
  EXPECT_EQ(pool_.run(id).validity, validity_of(kTtl, Duration(), kDriftFactorDefault));
}

class Rule03UndoOnTheSameConnection : public FakeWorld {
 protected:
  // SET, then the compare-and-delete of the same token.
  static void expect_set_then_delete(const FakeServer& server) {
    ASSERT_EQ(server.log.size(), 2U);
    EXPECT_EQ(server.log[0][0], "SET");
    EXPECT_EQ(server.log[1][0], "EVAL");
    EXPECT_EQ(server.log[1][1], scripts::pass.text);
    EXPECT_EQ(server.log[1][4], server.log[0][2]);
  }
};

TEST_F(Rule03UndoOnTheSameConnection, ServersThatStopAndGoOnKeepNoKey) {
  LockManager locks = manager(3);
  for (std::size_t i = 0; i < 3; ++i) server(i).stopped = true;
  EXPECT_EQ(lock(locks).decision, Decision::unreachable);
  EXPECT_EQ(transport_.open_count(), 0U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(server(i).connections_opened, 1U);
    transport_.resume(server(i));
    expect_set_then_delete(server(i));
    EXPECT_THAT(server(i).keys, IsEmpty());
  }
}

TEST_F(Rule03UndoOnTheSameConnection, ALostAttemptIsUndoneBehindItsOwnUnansweredSet) {
  server(0).keys["r"] = server(1).keys["r"] = "somebody else's";
  server(2).stopped = true;
  LockManager locks = manager(3);
  EXPECT_EQ(lock(locks).decision, Decision::denied);
  EXPECT_EQ(transport_.open_count(), 3U);
  transport_.resume(server(2));
  expect_set_then_delete(server(2));
  EXPECT_THAT(server(2).keys, IsEmpty());
}

TEST_F(Rule03UndoOnTheSameConnection, WhatWasCutInTheMiddleIsFinishedFirst) {
  LockManager locks = manager(1);
  const OperationId id = locks.begin_lock(Resource("r"), kTtl);
  transport_.send_room = 20;
  step_for(Duration::ms(49));
  transport_.send_room = ~std::size_t{0};
  server(0).stopped = true;
  EXPECT_EQ(pool_.run(id).decision, Decision::unreachable);
  transport_.resume(server(0));
  expect_set_then_delete(server(0));
}

TEST_F(Rule03UndoOnTheSameConnection, WhatCouldNotBeSentThereGoesFirstOnTheNextConnection) {
  LockManager locks = manager(1);
  server(0).stopped = true;
  const OperationId id = locks.begin_lock(Resource("r"), kTtl);
  step_for(Duration::ms(1));
  transport_.send_room = 0;
  EXPECT_EQ(pool_.run(id).decision, Decision::unreachable);
  transport_.send_room = ~std::size_t{0};
  transport_.resume(server(0));
  ASSERT_EQ(server(0).keys.size(), 1U);
  EXPECT_EQ(lock(locks).decision, Decision::granted);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

// An undo there could arrive behind an extend that travels on another connection, and delete what
// that extend has counted.
TEST_F(Rule03UndoOnTheSameConnection, AGrantedLocksLateVoteIsLeftAloneWhenItsServerTimesOut) {
  server(2).stopped = true;
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  ASSERT_EQ(outcome.decision, Decision::granted);
  clock_.advance(Duration::ms(60));
  ASSERT_EQ(lock(locks, "next").decision, Decision::granted);
  transport_.resume(server(2));
  EXPECT_EQ(server(2).keys["r"], outcome.token.view());
}

TEST_F(Rule03UndoOnTheSameConnection, AReleaseAlsoGoesOutBehindTheOverdueSetItIsToRemove) {
  server(2).stopped = true;
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  ASSERT_EQ(outcome.decision, Decision::granted);
  clock_.advance(Duration::ms(60));
  ASSERT_EQ(unlock(locks, outcome.token).decision, Decision::granted);
  transport_.resume(server(2));
  EXPECT_THAT(server(2).keys, IsEmpty());
}

class Rule03AConnectionWaitsForTheVerdict : public Rule03UndoOnTheSameConnection {
 protected:
  // The first server is overdue long before the other two.
  LockManager impatient_with_the_first() {
    std::vector<ServerSpec> servers = specs(3);
    servers[0].timeout = Duration::ms(10);
    servers[1].timeout = servers[2].timeout = Duration::ms(100);
    for (std::size_t i = 0; i < 3; ++i) server(i).stopped = true;
    return {pool_, servers, once()};
  }
};

TEST_F(Rule03AConnectionWaitsForTheVerdict, ALostAttemptsUndoStillGoesOutOnTheOverdueConnection) {
  LockManager locks = impatient_with_the_first();
  EXPECT_EQ(lock(locks).decision, Decision::unreachable);
  transport_.resume(server(0));
  expect_set_then_delete(server(0));
  EXPECT_EQ(server(0).connections_opened, 1U);
}

TEST_F(Rule03AConnectionWaitsForTheVerdict, AGrantedAttemptsOverdueConnectionGetsNoUndo) {
  LockManager locks = impatient_with_the_first();
  const OperationId id = locks.begin_lock(Resource("r"), kTtl);
  step_for(Duration::ms(20));
  transport_.resume(server(1));
  transport_.resume(server(2));
  const Outcome outcome = pool_.run(id);
  ASSERT_EQ(outcome.decision, Decision::granted);
  transport_.resume(server(0));
  EXPECT_EQ(server(0).keys["r"], outcome.token.view());
  EXPECT_EQ(server(0).log.size(), 1U);
}

TEST_F(Rule03UndoOnTheSameConnection, AServerThatFallsFarBehindStillLosesEveryKey) {
  LockManager locks = manager(3);
  ASSERT_EQ(lock(locks, "connects").decision, Decision::granted);
  for (std::size_t i = 0; i < 3; ++i) server(i).keys.clear();
  server(2).stopped = true;
  // The third server's connection fills up with what is not answered, an odd number of it.
  pool_.run(locks.begin_check(Resource("r"), Token("t")));
  for (std::size_t i = 0; i < 600; ++i) {
    const std::string resource = "r" + std::to_string(i);
    const Outcome outcome = lock(locks, resource);
    ASSERT_EQ(outcome.decision, Decision::granted);
    ASSERT_EQ(unlock(locks, outcome.token, resource).decision, Decision::granted);
  }
  transport_.resume(server(2));
  step_for(Duration::ms(20));
  EXPECT_THAT(server(2).keys, IsEmpty());
  EXPECT_EQ(server(2).connections_opened, 1U);
}

TEST_F(Rule03UndoOnTheSameConnection, ARemovalThatFoundNoRoomGoesAsSoonAsThereIsSome) {
  LockManager locks = manager(1);
  const Outcome outcome = lock(locks);
  server(0).stopped = true;
  for (std::size_t i = 0; i < kAwaitedMax; ++i) {
    // Begun, and never looked at again.
    (void)locks.begin_unlock(Resource("other"), Token("t"));
  }
  EXPECT_EQ(unlock(locks, outcome.token).decision, Decision::unreachable);
  transport_.resume(server(0));
  step_for(Duration::ms(20));
  EXPECT_THAT(server(0).keys, IsEmpty());
  EXPECT_EQ(server(0).connections_opened, 1U);
}

TEST_F(Rule03UndoOnTheSameConnection, WhatIsStillCarriedGoesOutWhenTheConnectionIsClosedByUs) {
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  step_for(Duration::ms(1));
  server(2).stopped = true;
  for (std::size_t i = 0; i < kAwaitedMax; ++i) unlock(locks, Token("t"), "other");
  ASSERT_EQ(unlock(locks, outcome.token).decision, Decision::granted);
  pool_.close_all();
  transport_.resume(server(2));
  EXPECT_THAT(server(2).keys, IsEmpty());
}

class Rule04APoisonedConnectionIsFinished : public FakeWorld {};

TEST_F(Rule04APoisonedConnectionIsFinished, AfterATimeoutTheNextCallUsesANewConnection) {
  LockManager locks = manager(1);
  server(0).stopped = true;
  EXPECT_EQ(lock(locks, "first").decision, Decision::unreachable);
  transport_.resume(server(0));
  server(0).keys["second"] = "somebody else's";
  EXPECT_EQ(lock(locks, "second").decision, Decision::denied);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(Rule04APoisonedConnectionIsFinished, AfterNonsenseTheConnectionIsUndoneAndReplaced) {
  LockManager locks = manager(1);
  server(0).say = [](const Arguments& request) -> std::optional<std::string> {
    if (request[0] == "SET") return ":1\r\n";
    return std::nullopt;
  };
  const Outcome outcome = lock(locks);
  EXPECT_EQ(outcome.decision, Decision::unreachable);
  EXPECT_EQ(outcome.nodes[0].reply.fault, Fault::protocol);
  EXPECT_EQ(server(0).count("EVAL"), 1U);
  server(0).say = nullptr;
  EXPECT_EQ(lock(locks).decision, Decision::granted);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(Rule04APoisonedConnectionIsFinished, ASurplusReplyIsNotTakenForTheNextAnswer) {
  LockManager locks = manager(1);
  server(0).say = [](const Arguments& request) -> std::optional<std::string> {
    if (request[0] == "SET") return "+OK\r\n+OK\r\n";
    return std::nullopt;
  };
  lock(locks, "first");
  server(0).say = nullptr;
  server(0).keys["second"] = "somebody else's";
  clock_.advance(kIdleLook);
  EXPECT_EQ(lock(locks, "second").decision, Decision::denied);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

}  // namespace
}  // namespace redlock::reactor_test
