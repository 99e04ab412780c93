// Rule 7: whatever servers do, a call ends by its one deadline.
#include <gtest/gtest.h>

#include "support/fake_world.hpp"

namespace redlock::deadline_test {
namespace {

using test::FakeServer;
using test::FakeWorld;

class Rule07OneDeadlinePerCall : public FakeWorld {};

TEST_F(Rule07OneDeadlinePerCall, ServersThatVanishCostTheTimesOfConnectingAndOfAnAnswerAtMost) {
  for (std::size_t i = 0; i < 3; ++i) server(i).reach = FakeServer::Reach::vanishes;
  LockManager locks = manager(3);
  EXPECT_EQ(time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::unreachable); }),
            kConnectTimeoutDefault);
}

TEST_F(Rule07OneDeadlinePerCall, AllAttemptsAndPausesCostTheirSum) {
  for (std::size_t i = 0; i < 3; ++i) server(i).stopped = true;
  LockOptions options = once();
  options.retry = RetryPolicy::exact(3, Duration::ms(20));
  LockManager locks = manager(3, options);
  const Duration took = time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::unreachable); });
  EXPECT_EQ(took, kTimeoutDefault * 3 + Duration::ms(40));
}

// Whoever is some way off has connected, and answers.
TEST_F(Rule07OneDeadlinePerCall, ConnectingHasATimeOfItsOwn) {
  server(0).connect_time = Duration::ms(900);
  server(0).answer_time = Duration::ms(240);
  LockManager locks = manager(1);
  EXPECT_EQ(time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::granted); }),
            Duration::ms(1'140));
}

TEST_F(Rule07OneDeadlinePerCall, AnAnswersTimeBeginsWhenTheConnectionHasBeenMade) {
  server(0).connect_time = Duration::ms(100);
  server(0).stopped = true;
  LockManager locks = manager(1);
  EXPECT_EQ(time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::unreachable); }),
            Duration::ms(100) + kTimeoutDefault);
}

// Once it has been made, its greeting has the time of one answer, in however many parts that comes.
TEST_F(Rule07OneDeadlinePerCall, AGreetingThatIsAnsweredInPartHasNoMoreTime) {
  server(0).connect_time = Duration::ms(900);
  server(0).answer_time = Duration::ms(200);
  server(0).say = [](const test::Arguments& request) -> std::optional<std::string> {
    if (request.front() == "AUTH") return std::nullopt;
    return std::string();
  };
  std::vector<ServerSpec> servers = specs(1);
  servers[0].endpoint.password = "secret";
  servers[0].endpoint.database = 1;
  LockManager locks(pool_, servers, once());
  EXPECT_EQ(time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::unreachable); }),
            Duration::ms(900) + kTimeoutDefault);
}

// The SELECT has been answered by then, and what it held back goes out.
TEST_F(Rule07OneDeadlinePerCall, AnAnswersTimeBeginsBehindAGreetingToo) {
  server(0).connect_time = Duration::ms(100);
  server(0).say = [](const test::Arguments& request) -> std::optional<std::string> {
    if (request.front() == "SELECT") return std::nullopt;
    return std::string();
  };
  LockManager locks = manager_with_database(1);
  EXPECT_EQ(time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::unreachable); }),
            Duration::ms(100) + kTimeoutDefault);
}

TEST_F(Rule07OneDeadlinePerCall, WhatAGreetingHeldBackHasTheTimeOfAnAnswerBehindIt) {
  server(0).connect_time = Duration::ms(990);
  server(0).answer_time = Duration::ms(100);
  LockManager locks = manager_with_database(1);
  EXPECT_EQ(time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::granted); }),
            Duration::ms(1'190));
}

// Or a server that is silent to some would be waited for as long as it answers others.
TEST_F(Rule07OneDeadlinePerCall, WhatAnotherIsAnsweredGivesNobodyMoreTime) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks, "before").decision, Decision::granted);
  server(0).answer_time = Duration::ms(200);
  const OperationId answered = locks.begin_lock(Resource("answered"), Duration::ms(10'000));
  server(0).stopped = true;
  const OperationId silent = locks.begin_lock(Resource("silent"), Duration::ms(10'000));
  step_for(kTimeoutDefault);
  EXPECT_EQ(pool_.run(answered).decision, Decision::granted);
  EXPECT_EQ(pool_.run(silent).decision, Decision::unreachable);
  EXPECT_EQ(transport_.open_count(), 0U) << "it is given up";
}

// They have one connection: their times are of about the same size.
TEST_F(Rule07OneDeadlinePerCall, AnAnswersTimeIsOnesOwnWhateverOthersWaitOnTheConnection) {
  server(0).connect_time = Duration::ms(990);
  server(0).stopped = true;
  LockOptions options = once();
  options.timeout = Duration::ms(240);
  const LockManager patient = manager(1, options);
  options.timeout = Duration::ms(150);
  LockManager locks = manager(1, options);
  EXPECT_EQ(time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::unreachable); }),
            kConnectTimeoutDefault + Duration::ms(150));
}

TEST_F(Rule07OneDeadlinePerCall, SoItIsOnAConnectionThatOthersBegan) {
  server(0).connect_time = Duration::ms(990);
  server(0).stopped = true;
  LockOptions options = once();
  options.timeout = Duration::ms(240);
  LockManager patient = manager(1, options);
  (void)pool_.collect(patient.begin_lock(Resource("before"), Duration::ms(10'000)));
  step_for(Duration::ms(500));
  options.timeout = Duration::ms(150);
  LockManager locks = manager(1, options);
  EXPECT_EQ(time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::unreachable); }),
            Duration::ms(500 + 150));
}

// However often it is tried within one call.
TEST_F(Rule07OneDeadlinePerCall, ConnectingIsWaitedForOnceInACall) {
  for (std::size_t i = 0; i < 3; ++i) server(i).reach = FakeServer::Reach::vanishes;
  LockOptions options = once();
  options.retry = RetryPolicy::exact(3, Duration::ms(20));
  LockManager locks = manager(3, options);
  const Duration took = time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::unreachable); });
  EXPECT_LE(took, kConnectTimeoutDefault + kTimeoutDefault * 3 + Duration::ms(40));
}

// The next call finds it made.
TEST_F(Rule07OneDeadlinePerCall, AConnectionThatIsBeingMadeServesTheNextAttempt) {
  server(0).connect_time = Duration::ms(300);
  LockOptions options = once();
  options.connect_timeout = Duration::ms(400);
  LockManager locks = manager(1, options);
  const OperationId left = locks.begin_lock(Resource("r"), Duration::seconds(10));
  step_for(Duration::ms(100));
  (void)pool_.collect(left);
  step_for(Duration::ms(250));
  EXPECT_EQ(lock(locks).decision, Decision::granted);
  EXPECT_EQ(server(0).connections_opened, 1U);
}

TEST_F(Rule07OneDeadlinePerCall, TheReasonNamesTheOptionThatBoundsIt) {
  for (const std::size_t i : {0U, 2U}) server(i).reach = FakeServer::Reach::vanishes;
  server(1).stopped = true;
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  const auto troubles = locks.troubles(outcome);
  ASSERT_EQ(troubles.size(), 3U);
  EXPECT_EQ(troubles[0].reason, "connecting (timed out after 1000 ms, its connectTimeout)");
  EXPECT_EQ(troubles[1].reason, "no answer (timed out after 250 ms, its timeout)");
}

TEST_F(Rule07OneDeadlinePerCall, EveryServerHasATimeOfItsOwn) {
  auto servers = specs(3);
  for (std::size_t i = 0; i < 3; ++i) {
    server(i).stopped = true;
    servers[i].timeout = Duration::ms(10 * static_cast<std::int64_t>(i + 1));
  }
  LockManager locks(pool_, servers, once());
  EXPECT_EQ(time_of([&] { lock(locks); }), Duration::ms(20));
}

}  // namespace
}  // namespace redlock::deadline_test
