// Connections over time: servers that die and come back, close idle ones, or are slow to return.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <thread>

#include "io/support/fleet.hpp"

namespace redlock::life_test {
namespace {

using test::eventually;
using test::Fleet;

class ConnectionLife : public Fleet {
 protected:
  static std::string described(const std::vector<ServerTrouble>& troubles) {
    std::string text;
    for (const ServerTrouble& trouble : troubles) {
      text += trouble.server + ": " + trouble.reason + "\n";
    }
    return text;
  }
  // Connections silent for less than kIdleLook are used without a look.
  static void step_for(Runtime& runtime, Duration span) {
    Clock& clock = runtime.pool().clock();
    const Instant until = clock.now() + span;
    while (clock.now() < until) runtime.pool().step(until);
  }
  static std::size_t descriptors() {
    const std::filesystem::directory_iterator folder("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
  }
};

TEST_F(ConnectionLife, AServerThatWasKilledIsUsedAgainAsSoonAsItIsBack) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(1), once());
  ASSERT_EQ(lock(runtime, locks, "a").decision, Decision::granted);
  server(0).kill9();
  EXPECT_EQ(lock(runtime, locks, "b").decision, Decision::unreachable);
  EXPECT_EQ(lock(runtime, locks, "c").decision, Decision::unreachable);
  server(0).start();
  // Backing off must not cost the majority.
  EXPECT_EQ(lock(runtime, locks, "d").decision, Decision::granted);
}

TEST_F(ConnectionLife, OneServerOfThreeMayDieAndComeBackUnnoticed) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(3), once());
  for (std::size_t dead = 0; dead < 3; ++dead) {
    server(dead).kill9();
    step_for(runtime, kIdleLook);
    const Outcome taken = lock(runtime, locks);
    ASSERT_EQ(taken.decision, Decision::granted) << described(locks.troubles(taken));
    server(dead).start();
    step_for(runtime, kIdleLook);
    EXPECT_EQ(unlock(runtime, locks, taken.token).decision, Decision::granted);
  }
}

TEST_F(ConnectionLife, ConnectionsThatServersCloseWhileIdleCostNothing) {
  Runtime runtime;
  LockOptions options = once();
  options.client_name = "idler";
  LockManager locks(runtime.pool(), specs(3), options);
  ASSERT_EQ(lock(runtime, locks, "a").decision, Decision::granted);
  for (std::size_t i = 0; i < 3; ++i) {
    // The name follows the first answer, which somebody has to read.
    ASSERT_TRUE(eventually([&] {
      runtime.pool().step(runtime.pool().clock().now());
      return server(i).clients_named("idler").size() == 1;
    }));
    server(i).ask({"CONFIG", "SET", "timeout", "1"});
  }
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(eventually([i] {
      server(i).say({"PING"});
      return server(i).clients_named("idler").empty();
    }));
    server(i).ask({"CONFIG", "SET", "timeout", "0"});
  }
  EXPECT_EQ(lock(runtime, locks, "b").decision, Decision::granted);
}

TEST_F(ConnectionLife, OneConnectionServesManyCallsAndManagers) {
  Runtime runtime;
  LockOptions options = once();
  options.client_name = "frugal";
  for (int i = 0; i < 20; ++i) {
    LockManager locks(runtime.pool(), specs(1), options);
    ASSERT_EQ(lock(runtime, locks, std::to_string(i)).decision, Decision::granted);
  }
  EXPECT_EQ(server(0).clients_named("frugal").size(), 1U);
}

TEST_F(ConnectionLife, DescriptorsAreGivenBack) {
  server(2).kill9();
  const std::size_t before = descriptors();
  {
    Runtime runtime;
    LockManager locks(runtime.pool(), specs(5), once(Duration::ms(20)));
    server(1).stop();
    for (int i = 0; i < 20; ++i) lock(runtime, locks, std::to_string(i));
    EXPECT_GT(descriptors(), before);
    server(1).go_on();
  }
  EXPECT_EQ(descriptors(), before);
}

TEST_F(ConnectionLife, ManyTurnsNeedNoMoreDescriptors) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(3), once());
  const auto turn = [&] {
    const Outcome taken = lock(runtime, locks);
    ASSERT_EQ(taken.decision, Decision::granted);
    ASSERT_EQ(unlock(runtime, locks, taken.token).decision, Decision::granted);
  };
  turn();
  const std::size_t before = descriptors();
  for (int i = 0; i < 500; ++i) turn();
  EXPECT_EQ(descriptors(), before);
}

TEST_F(ConnectionLife, AServerThatPausesItsClientsIsOnlyAVoteAgainst) {
  Runtime runtime;
  auto servers = specs(3);
  servers[0].timeout = Duration::ms(50);
  LockManager locks(runtime.pool(), servers, once());
  ASSERT_EQ(lock(runtime, locks, "connects").decision, Decision::granted);
  server(0).ask({"CLIENT", "PAUSE", "300", "WRITE"});
  const Outcome taken = lock(runtime, locks);
  EXPECT_EQ(taken.decision, Decision::granted);
  EXPECT_EQ(unlock(runtime, locks, taken.token).decision, Decision::granted);
  server(0).ask({"CLIENT", "UNPAUSE"});
  EXPECT_TRUE(
      eventually([] { return values(3) == std::vector<std::string>{"nil", "nil", "nil"}; }));
}

// Two runtimes on two threads share nothing, whatever libraries they use; ThreadSanitizer watches.
TEST_F(ConnectionLife, TwoThreadsWithARuntimeEachExcludeEachOther) {
  std::atomic<int> inside = 0;
  std::atomic<int> turns = 0;
  std::atomic<int> overlaps = 0;
  std::vector<ServerSpec> servers;
  for (std::size_t i = 0; i < 3; ++i) {
    servers.push_back(parse_server("localhost:" + std::to_string(server(i).port())));
  }
  const auto work = [&] {
    Runtime runtime;
    LockOptions options = once();
    options.retry = RetryPolicy::jittered(100'000, 2);
    LockManager locks(runtime.pool(), servers, options);
    for (int i = 0; i < 40; ++i) {
      const Outcome taken = lock(runtime, locks);
      if (taken.decision != Decision::granted) return;
      if (inside.fetch_add(1) != 0) ++overlaps;
      std::this_thread::yield();
      inside.fetch_sub(1);
      ++turns;
      unlock(runtime, locks, taken.token);
    }
  };
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  EXPECT_EQ(turns, 80);
  EXPECT_EQ(overlaps, 0);
}

}  // namespace
}  // namespace redlock::life_test
