// The quorum lock on real servers, some of which are down, busy or refuse to write.
#include <gtest/gtest.h>

#include <set>

#include "io/support/fleet.hpp"

namespace redlock::quorum_test {
namespace {

using test::eventually;
using test::Fleet;
using test::RedisServer;

class QuorumLock : public Fleet {};

TEST_F(QuorumLock, IsTakenHeldExtendedAndReleasedOnEveryServer) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(3), once());
  const Outcome taken = lock(runtime, locks);
  ASSERT_EQ(taken.decision, Decision::granted);
  const std::string token(taken.token.view());
  EXPECT_TRUE(
      eventually([&] { return values(3) == std::vector<std::string>{token, token, token}; }));
  EXPECT_LE(std::stoll(server(0).say({"PTTL", "r"})), 60'000);
  Pool& pool = runtime.pool();
  const OperationId extension = locks.begin_extend(Resource("r"), taken.token, kTtlMax);
  ASSERT_EQ(pool.run(extension).decision, Decision::granted);
  EXPECT_TRUE(eventually([] { return std::stoll(server(2).say({"PTTL", "r"})) > 100'000; }));
  EXPECT_EQ(pool.run(locks.begin_check(Resource("r"), taken.token)).decision, Decision::granted);
  EXPECT_EQ(unlock(runtime, locks, taken.token).decision, Decision::granted);
  EXPECT_TRUE(
      eventually([] { return values(3) == std::vector<std::string>{"nil", "nil", "nil"}; }));
}

TEST_F(QuorumLock, AnExtensionNeverShortens) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(1), once());
  const Outcome taken = lock(runtime, locks, "r", Duration::seconds(500));
  const OperationId extension =
      locks.begin_extend(Resource("r"), taken.token, Duration::seconds(1));
  EXPECT_EQ(runtime.pool().run(extension).decision, Decision::granted);
  EXPECT_GT(std::stoll(server(0).say({"PTTL", "r"})), 400'000);
}

TEST_F(QuorumLock, KeepsEveryByteOfAName) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(1), once());
  std::string name;
  for (int byte = 0; byte < 256; ++byte) name.push_back(static_cast<char>(byte));
  for (const std::string& resource : {name, std::string(), std::string(kResourceBytesMax, '\n')}) {
    const Outcome taken = lock(runtime, locks, resource);
    ASSERT_EQ(taken.decision, Decision::granted);
    EXPECT_EQ(server(0).say({"GET", resource}), taken.token.view());
    EXPECT_EQ(unlock(runtime, locks, taken.token, resource).decision, Decision::granted);
  }
}

TEST_F(QuorumLock, ExcludesTheUserlandClassAndIsExcludedByIt) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(1), once());
  ASSERT_EQ(server(0).say({"SET", "r", "5e1f", "NX", "PX", "60000"}), "OK");
  EXPECT_EQ(lock(runtime, locks).decision, Decision::denied);
  server(0).ask({"DEL", "r"});
  ASSERT_EQ(lock(runtime, locks).decision, Decision::granted);
  EXPECT_EQ(server(0).say({"SET", "r", "5e20", "NX", "PX", "60000"}), "nil");
}

TEST_F(QuorumLock, AKeyOfAnotherTypeIsHeldBySomebodyElse) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(1), once());
  server(0).ask({"LPUSH", "r", "x"});
  EXPECT_EQ(lock(runtime, locks).decision, Decision::denied);
  EXPECT_EQ(unlock(runtime, locks, Token("x")).decision, Decision::denied);
  EXPECT_EQ(runtime.pool().run(locks.begin_check(Resource("r"), Token("x"))).decision,
            Decision::denied);
  EXPECT_EQ(server(0).say({"LLEN", "r"}), "1");
}

TEST_F(QuorumLock, ScriptsThatTheServersForgotAreSentAgain) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(3), once());
  for (int turn = 0; turn < 3; ++turn) {
    const Outcome taken = lock(runtime, locks);
    ASSERT_EQ(taken.decision, Decision::granted) << turn;
    for (std::size_t i = 0; i < 3; ++i) server(i).ask({"SCRIPT", "FLUSH"});
    const OperationId extension =
        locks.begin_extend(Resource("r"), taken.token, Duration::seconds(90));
    EXPECT_EQ(runtime.pool().run(extension).decision, Decision::granted) << turn;
    ASSERT_EQ(unlock(runtime, locks, taken.token).decision, Decision::granted) << turn;
    // The third server's answer may come after the verdict; whoever looks next reacts to it.
    EXPECT_TRUE(eventually([&] {
      runtime.pool().step(Instant());
      return values(3) == std::vector<std::string>{"nil", "nil", "nil"};
    }));
  }
}

TEST_F(QuorumLock, ALookTellsAKeyThatNeverExpiresFromALock) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(3), {});
  Outcome refused;
  refused.decision = Decision::denied;
  const auto look = [&] {
    return runtime.pool().run(*locks.begin_look_after(Resource("r"), refused)).decision;
  };
  EXPECT_EQ(look(), Decision::denied) << "there is no key";
  server(0).ask({"LPUSH", "r", "x"});
  server(1).ask({"SET", "r", "data"});
  EXPECT_EQ(look(), Decision::granted);
  server(1).ask({"PEXPIRE", "r", "60000"});
  EXPECT_EQ(look(), Decision::denied) << "only one server has a key without an end";
}

class Rule02AFreshTokenPerAttemptOnTheWire : public Fleet {};

TEST_F(Rule02AFreshTokenPerAttemptOnTheWire, TheServerSeesEveryTokenOnce) {
  server(0).ask({"SET", "r", "somebody else's"});
  server(0).ask({"CONFIG", "SET", "slowlog-log-slower-than", "0"});
  server(0).ask({"SLOWLOG", "RESET"});
  Runtime runtime;
  LockOptions options = once();
  options.retry = RetryPolicy::exact(30, Duration::ms(1));
  LockManager locks(runtime.pool(), specs(1), options);
  EXPECT_EQ(lock(runtime, locks).decision, Decision::denied);
  server(0).ask({"CONFIG", "SET", "slowlog-log-slower-than", "10000"});
  std::set<std::string> tokens;
  for (const auto& entry : server(0).ask({"SLOWLOG", "GET", "100"}).elements) {
    const auto& arguments = entry.elements.at(3).elements;
    if (arguments.at(0).text == "SET") tokens.insert(arguments.at(2).text);
  }
  EXPECT_EQ(tokens.size(), 30U);
}

class Rule05AnErrorIsAVoteAgainstOnRealServers : public Fleet {
 protected:
  // The first two of three servers refuse with `fault`.
  static void expect_no_lock_and_no_key(Fault fault) {
    Runtime runtime;
    LockManager locks(runtime.pool(), specs(3), once());
    const Outcome outcome = lock(runtime, locks);
    EXPECT_EQ(outcome.decision, Decision::unreachable);
    const auto troubles = locks.troubles(outcome);
    ASSERT_GE(troubles.size(), 2U);
    EXPECT_EQ(troubles[0].fault, fault);
    EXPECT_EQ(troubles[1].fault, fault);
    // The third one may not have answered when that was certain.
    if (troubles.size() == 3) {
      EXPECT_EQ(troubles[2].fault, Fault::unanswered);
    }
    runtime.pool().close_all();
    EXPECT_TRUE(
        eventually([] { return values(3) == std::vector<std::string>{"nil", "nil", "nil"}; }));
  }
};

TEST_F(Rule05AnErrorIsAVoteAgainstOnRealServers, OutOfMemory) {
  for (const std::size_t i : {0U, 1U}) server(i).ask({"CONFIG", "SET", "maxmemory", "1"});
  expect_no_lock_and_no_key(Fault::oom);
  for (const std::size_t i : {0U, 1U}) server(i).ask({"CONFIG", "SET", "maxmemory", "0"});
}

TEST_F(Rule05AnErrorIsAVoteAgainstOnRealServers, AReplicaThatMayNotWrite) {
  const std::string port = std::to_string(server(3).port());
  for (const std::size_t i : {0U, 1U}) server(i).ask({"REPLICAOF", "127.0.0.1", port});
  expect_no_lock_and_no_key(Fault::readonly);
  for (const std::size_t i : {0U, 1U}) server(i).ask({"REPLICAOF", "NO", "ONE"});
}

TEST_F(Rule05AnErrorIsAVoteAgainstOnRealServers, AReleaseThatErredOnAMajorityIsNotReleased) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(3), once());
  const Outcome taken = lock(runtime, locks);
  ASSERT_EQ(taken.decision, Decision::granted);
  for (const std::size_t i : {0U, 1U}) server(i).kill9();
  EXPECT_EQ(unlock(runtime, locks, taken.token).decision, Decision::unreachable);
}

class Rule06MajorityOnRealServers : public Fleet {
 protected:
  static Decision decision_with_dead(std::size_t count, std::size_t dead) {
    for (std::size_t i = 0; i < dead; ++i) server(i).kill9();
    Runtime runtime;
    LockManager locks(runtime.pool(), specs(count), once());
    return lock(runtime, locks).decision;
  }
};

TEST_F(Rule06MajorityOnRealServers, OneOfThreeMayBeDead) {
  EXPECT_EQ(decision_with_dead(3, 1), Decision::granted);
}

TEST_F(Rule06MajorityOnRealServers, TwoOfThreeMayNot) {
  EXPECT_EQ(decision_with_dead(3, 2), Decision::unreachable);
}

TEST_F(Rule06MajorityOnRealServers, TwoOfFiveMayBeDead) {
  EXPECT_EQ(decision_with_dead(5, 2), Decision::granted);
}

TEST_F(Rule06MajorityOnRealServers, ThreeOfFiveMayNotAndTheRestKeepNoKey) {
  EXPECT_EQ(decision_with_dead(5, 3), Decision::unreachable);
  for (const std::size_t i : {3U, 4U}) {
    EXPECT_TRUE(eventually([i] { return server(i).say({"GET", "r"}) == "nil"; })) << i;
  }
}

TEST_F(Rule06MajorityOnRealServers, TwoOfFourAreNoMajority) {
  EXPECT_EQ(decision_with_dead(4, 2), Decision::unreachable);
}

}  // namespace
}  // namespace redlock::quorum_test
