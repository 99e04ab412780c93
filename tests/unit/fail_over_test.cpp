// A fail-over behind one address: the connection leads to the old primary, a replica by now, and
// the next one to the new one. Whoever asks in between is answered by that, in the same call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_world.hpp"

namespace redlock::fail_over_test {
namespace {

using test::Arguments;
using test::FakeServer;
using testing::ElementsAre;

constexpr Duration kTtl = Duration::seconds(10);

class AFailOver : public test::FakeWorld {
 protected:
  // What is connected now leads to a replica, for so many connections.
  void fail_over(std::size_t i, std::size_t connections = 1) {
    FakeServer& changed = server(i);
    const std::size_t last = changed.connections_opened + connections - 1;
    changed.say = [&changed, last](const Arguments& request) -> std::optional<std::string> {
      if (changed.connections_opened > last || request.front() == "PING") return std::nullopt;
      return "-READONLY You can't write against a read only replica.\r\n";
    };
    clock_.advance(kAnewPause);
  }
  // An extend and a release, each in a fail-over of its own.
  void expect_no_verb_to_fail(LockManager& locks, const Token& token) {
    fail_over(0);
    EXPECT_EQ(pool_.run(locks.begin_extend(Resource("r"), token, kTtl)).decision,
              Decision::granted);
    fail_over(0);
    EXPECT_EQ(unlock(locks, token).decision, Decision::granted);
    EXPECT_EQ(server(0).keys.count("r"), 0U);
  }
  Outcome connected_lock(LockManager& locks) {
    Outcome taken = lock(locks);
    EXPECT_EQ(taken.decision, Decision::granted);
    clock_.advance(kAnewPause);
    return taken;
  }
};

TEST_F(AFailOver, CostsALockNothingButAConnection) {
  LockManager locks = manager(1);
  connected_lock(locks);
  fail_over(0);
  EXPECT_EQ(lock(locks, "other").decision, Decision::granted);
  EXPECT_EQ(server(0).connections_opened, 2U);
  EXPECT_TRUE(locks.troubles(lock(locks, "a third")).empty());
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(AFailOver, CostsNoVerbAnything) {
  LockManager locks = manager(1);
  expect_no_verb_to_fail(locks, connected_lock(locks).token);
}

// It is told in the end, and found out anew by the next call, but not again and again.
TEST_F(AFailOver, ThatIsNotOverYetIsTold) {
  LockManager locks = manager(1);
  connected_lock(locks);
  fail_over(0, 100);
  const Outcome outcome = lock(locks, "other");
  EXPECT_EQ(outcome.decision, Decision::unreachable);
  EXPECT_EQ(locks.troubles(outcome).at(0).fault, Fault::readonly);
  EXPECT_EQ(server(0).connections_opened, 2U);
  EXPECT_EQ(lock(locks, "another").decision, Decision::unreachable);
  EXPECT_EQ(server(0).connections_opened, 2U) << "at once";
  clock_.advance(kAnewPause);
  EXPECT_EQ(lock(locks, "a third").decision, Decision::unreachable);
  EXPECT_EQ(server(0).connections_opened, 3U);
}

// The other two decide; what the third refused is not asked there behind the verdict.
TEST_F(AFailOver, OfAMinorityAsksForNothingBehindTheVerdict) {
  LockManager locks = manager(3);
  connected_lock(locks);
  fail_over(2);
  server(2).answer_time = Duration::ms(20);
  const Outcome taken = lock(locks, "other");
  ASSERT_EQ(taken.decision, Decision::granted);
  step_for(Duration::ms(100));
  EXPECT_EQ(server(2).connections_opened, 2U);
  EXPECT_EQ(server(2).keys.count("other"), 0U);
  EXPECT_EQ(unlock(locks, taken.token, "other").decision, Decision::granted);
}

TEST_F(AFailOver, KeepsTheOrderOfWhatWasAsked) {
  LockManager locks = manager(1);
  const Outcome taken = connected_lock(locks);
  fail_over(0);
  server(0).answer_time = Duration::ms(10);
  const OperationId release = locks.begin_unlock(Resource("r"), taken.token);
  const OperationId again = locks.begin_lock(Resource("r"), kTtl);
  EXPECT_EQ(pool_.run(release).decision, Decision::granted);
  EXPECT_EQ(pool_.run(again).decision, Decision::granted);
}

// The replica has no such lock, and nothing to refuse.
TEST_F(AFailOver, AsksForNoTakeThatOutlivesItsRemoval) {
  LockOptions options = once();
  options.retry = RetryPolicy::exact(2, Duration::seconds(2));
  LockManager locks = manager(3, options);
  connected_lock(locks);
  for (const std::size_t i : {0U, 1U}) server(i).keys["other"] = "somebody else's";
  FakeServer& third = server(2);
  third.say = [&third](const Arguments& request) -> std::optional<std::string> {
    if (third.connections_opened > 1) return std::nullopt;
    if (request.front() == "SET")
      return "-READONLY You can't write against a read only replica.\r\n";
    return ":0\r\n";
  };
  third.answer_time = Duration::ms(20);
  const OperationId id = locks.begin_lock(Resource("other"), kTtl);
  step_for(Duration::ms(500));
  EXPECT_EQ(third.connections_opened, 2U);
  EXPECT_EQ(third.keys.count("other"), 0U);
  (void)pool_.collect(id);
}

// What a replica refused behind a name that followed is a removal alone.
TEST_F(AFailOver, WithANameThatFollowsCostsNoVerbAnything) {
  LockOptions options = once();
  options.client_name = "worker-7";
  LockManager locks = manager(1, options);
  const Outcome taken = connected_lock(locks);
  fail_over(0);
  EXPECT_EQ(pool_.run(locks.begin_check(Resource("other"), Token("t"))).decision, Decision::denied);
  expect_no_verb_to_fail(locks, taken.token);
}

// Nobody looked for longer than an answer may take.
TEST_F(AFailOver, AsksForNothingAnewWhoseTimeIsOver) {
  LockManager locks = manager(1);
  connected_lock(locks);
  fail_over(0);
  const OperationId id = locks.begin_lock(Resource("other"), kTtl);
  clock_.advance(kTimeoutDefault + Duration::ms(50));
  EXPECT_EQ(pool_.run(id).decision, Decision::unreachable);
  step_for(Duration::ms(500));
  EXPECT_EQ(server(0).keys.count("other"), 0U);
  EXPECT_EQ(lock(locks, "other").decision, Decision::granted);
}

// As long as a connection is made and answered, and no longer.
TEST_F(AFailOver, WhoseNewPrimaryIsFarAwayIsWaitedForAsForAnyConnection) {
  LockManager locks = manager(1);
  connected_lock(locks);
  fail_over(0);
  server(0).connect_time = kTimeoutDefault + Duration::ms(50);
  EXPECT_EQ(lock(locks, "other").decision, Decision::granted);
}

TEST_F(AFailOver, LongAfterTheOldConnectionWasMadeLeavesAsLongForTheNewOne) {
  LockManager locks = manager(1);
  connected_lock(locks);
  clock_.advance(kConnectTimeoutDefault);
  fail_over(0);
  server(0).connect_time = kTimeoutDefault + Duration::ms(50);
  EXPECT_EQ(lock(locks, "other").decision, Decision::granted);
}

TEST_F(AFailOver, WhoseNewPrimaryIsSilentCostsConnectingAndAnAnswerAtMost) {
  LockManager locks = manager(1);
  connected_lock(locks);
  fail_over(0);
  server(0).connect_time = kConnectTimeoutDefault * 2;
  const Instant start = clock_.now();
  EXPECT_EQ(lock(locks, "other").decision, Decision::unreachable);
  EXPECT_LE(clock_.now() - start, kConnectTimeoutDefault + kTimeoutDefault);
}

// The SELECT is answered behind the time of connecting.
TEST_F(AFailOver, WhoseNewPrimaryIsFarAwayIsAskedBehindItsGreeting) {
  LockManager locks = manager_with_database(1);
  connected_lock(locks);
  fail_over(0);
  server(0).connect_time = kConnectTimeoutDefault - Duration::ms(10);
  server(0).answer_time = Duration::ms(60);
  EXPECT_EQ(lock(locks, "other").decision, Decision::granted);
}

// All attempts together wait for connecting once.
TEST_F(AFailOver, InALaterAttemptIsWaitedForNoLongerThanConnectingIsInAll) {
  LockOptions options = once();
  options.retry = RetryPolicy::exact(2, Duration::ms(900));
  LockManager locks = manager(1, options);
  connected_lock(locks);
  server(0).keys["other"] = "somebody else's";
  const Instant start = clock_.now();
  const OperationId id = locks.begin_lock(Resource("other"), kTtl);
  step_for(Duration::ms(900) - kAnewPause);
  server(0).connect_time = kConnectTimeoutDefault * 2;
  fail_over(0);
  EXPECT_EQ(pool_.run(id).decision, Decision::unreachable);
  EXPECT_EQ(clock_.now() - start, kConnectTimeoutDefault + kTimeoutDefault);
}

}  // namespace
}  // namespace redlock::fail_over_test
