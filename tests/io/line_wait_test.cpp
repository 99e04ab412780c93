// Waits that are handed the lock by real servers, through LockManager::begin_wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "io/support/fleet.hpp"
#include "support/child.hpp"

namespace redlock::line_wait_test {
namespace {

using test::eventually;
using test::Fleet;
using test::RedisServer;

constexpr Duration kTtl = Duration::seconds(20);
constexpr Duration kWait = Duration::seconds(15);
const std::string kLine = "r:redlock:line";
const std::string kWaiters = "r:redlock:waiters";

// A process of its own, as far as servers can tell.
struct Client {
  explicit Client(const std::vector<ServerSpec>& servers, LockOptions options)
      : locks(runtime.pool(), servers, std::move(options)) {}

  void wait(Duration span = kWait, const std::string& owner = {}) {
    id = locks.begin_wait(Resource("r"), kTtl, span, 20, LockExtras{owner});
  }
  Outcome collect() { return runtime.pool().collect(id); }
  void step() { runtime.pool().step(runtime.pool().clock().now() + Duration::ms(1)); }

  Runtime runtime;
  LockManager locks;
  OperationId id = 0;
};

class WaitingInLine : public Fleet {
 protected:
  std::unique_ptr<Client> client(std::size_t servers = 3) {
    return std::make_unique<Client>(specs(servers), once());
  }
  static bool step_until(const std::vector<Client*>& clients, const auto& condition) {
    return eventually([&] {
      for (Client* client : clients) client->step();
      return condition();
    });
  }
  // How many stand in line on each of the first servers.
  static bool stand(std::size_t servers, const std::string& count) {
    for (std::size_t i = 0; i < servers; ++i) {
      if (server(i).say({"ZCARD", kLine}) != count) return false;
    }
    return true;
  }
  static bool done(Client& client) { return client.runtime.pool().done(client.id); }
};

TEST_F(WaitingInLine, WithoutContentionNobodyListens) {
  const auto alone = client();
  alone->wait();
  ASSERT_TRUE(step_until({alone.get()}, [&] { return done(*alone); }));
  const Outcome outcome = alone->collect();
  EXPECT_EQ(outcome.decision, Decision::granted);
  EXPECT_FALSE(outcome.handed_over);
  EXPECT_EQ(alone->runtime.pool().listener_count(), 0U);
  EXPECT_EQ(server(0).calls("subscribe"), 0U);
}

TEST_F(WaitingInLine, AReleaseHandsTheLockOn) {
  const auto holder = client();
  const auto waiter = client();
  const Outcome held = lock(holder->runtime, holder->locks);
  ASSERT_EQ(held.decision, Decision::granted);
  waiter->wait(kWait, "second");
  ASSERT_TRUE(step_until({waiter.get()}, [] { return stand(3, "1"); }));
  EXPECT_EQ(waiter->runtime.pool().listener_count(), 3U);
  const std::uint64_t joins = server(0).calls("eval") + server(0).calls("evalsha");
  EXPECT_EQ(unlock(holder->runtime, holder->locks, held.token).decision, Decision::granted);
  ASSERT_TRUE(step_until({waiter.get()}, [&] { return done(*waiter); }));
  const Outcome outcome = waiter->collect();
  ASSERT_EQ(outcome.decision, Decision::granted);
  EXPECT_TRUE(outcome.handed_over);
  EXPECT_EQ(owner_of(outcome.token), "second");
  EXPECT_GT(outcome.validity, kTtl - test::kPatience);
  EXPECT_TRUE(eventually(
      [&] { return values(3) == std::vector<std::string>(3, std::string(outcome.token.view())); }));
  EXPECT_EQ(server(0).calls("eval") + server(0).calls("evalsha"), joins + 1) << "the release alone";
  EXPECT_EQ(unlock(waiter->runtime, waiter->locks, outcome.token).decision, Decision::granted);
  EXPECT_TRUE(eventually([] { return server(2).say({"EXISTS", "r"}) == "0"; }));
}

TEST_F(WaitingInLine, FirstComeFirstServed) {
  constexpr std::size_t kClients = 5;
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<Client*> all;
  const auto holder = client();
  Outcome held = lock(holder->runtime, holder->locks);
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(client());
    all.push_back(clients.back().get());
    // Their tickets are milliseconds.
    const std::int64_t before = wall_ms();
    while (wall_ms() == before) {
    }
    all.back()->wait();
    ASSERT_TRUE(step_until(all, [&] { return stand(3, std::to_string(i + 1)); }));
  }
  unlock(holder->runtime, holder->locks, held.token);
  for (std::size_t i = 0; i < kClients; ++i) {
    ASSERT_TRUE(step_until(all, [&] { return done(*all[i]); })) << i;
    for (std::size_t later = i + 1; later < kClients; ++later) EXPECT_FALSE(done(*all[later]));
    held = all[i]->collect();
    ASSERT_EQ(held.decision, Decision::granted);
    unlock(all[i]->runtime, all[i]->locks, held.token);
  }
  EXPECT_TRUE(eventually([] { return stand(3, "0"); }));
}

TEST_F(WaitingInLine, WaitsOfOneProcessHandOverToEachOther) {
  const auto only = client();
  LockManager& locks = only->locks;
  Pool& pool = only->runtime.pool();
  Outcome held = lock(only->runtime, locks);
  std::vector<OperationId> waits;
  for (int i = 0; i < 3; ++i) waits.push_back(locks.begin_wait(Resource("r"), kTtl, kWait, 20));
  ASSERT_TRUE(step_until({only.get()}, [] { return stand(3, "3"); }));
  EXPECT_EQ(pool.listener_count(), 3U);
  for (std::size_t i = 0; i < waits.size(); ++i) {
    unlock(only->runtime, locks, held.token);
    const auto granted = [&] {
      return std::ranges::find_if(waits, [&](OperationId id) { return id != 0 && pool.done(id); });
    };
    ASSERT_TRUE(step_until({only.get()}, [&] { return granted() != waits.end(); }));
    held = pool.collect(std::exchange(*granted(), 0));
    ASSERT_EQ(held.decision, Decision::granted);
  }
}

TEST_F(WaitingInLine, WhoIsGivenNothingLeavesTheLine) {
  const auto holder = client();
  const auto waiter = client();
  ASSERT_EQ(lock(holder->runtime, holder->locks).decision, Decision::granted);
  waiter->wait(Duration::ms(300));
  ASSERT_TRUE(step_until({waiter.get()}, [&] { return done(*waiter); }));
  EXPECT_EQ(waiter->collect().decision, Decision::denied);
  EXPECT_TRUE(step_until({waiter.get()}, [] { return stand(3, "0"); }));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(server(i).say({"EXISTS", kWaiters}), "0");
}

TEST_F(WaitingInLine, AWaitThatIsGivenUpLeavesTheLine) {
  const auto holder = client();
  const auto waiter = client();
  ASSERT_EQ(lock(holder->runtime, holder->locks).decision, Decision::granted);
  waiter->wait();
  ASSERT_TRUE(step_until({waiter.get()}, [] { return stand(3, "1"); }));
  EXPECT_EQ(waiter->collect().decision, Decision::aborted);
  EXPECT_TRUE(step_until({waiter.get()}, [] { return stand(3, "0"); }));
}

TEST_F(WaitingInLine, AWaiterThatIsKilledIsSkipped) {
  const auto holder = client();
  const auto second = client();
  const Outcome held = lock(holder->runtime, holder->locks);
  const auto servers = specs(3);
  const pid_t killed = fork();
  if (killed == 0) {
    Client first(servers, once());
    first.wait();
    for (;;) first.step();
  }
  const bool stood = eventually([] { return stand(3, "1"); });
  if (stood) {
    second->wait();
    EXPECT_TRUE(step_until({second.get()}, [] { return stand(3, "2"); }));
  }
  kill(killed, SIGKILL);
  waitpid(killed, nullptr, 0);
  ASSERT_TRUE(stood);
  unlock(holder->runtime, holder->locks, held.token);
  ASSERT_TRUE(step_until({second.get()}, [&] { return done(*second); }));
  EXPECT_EQ(second->collect().decision, Decision::granted);
}

TEST_F(WaitingInLine, ASubscriptionThatIsKilledMeanwhileCostsNothing) {
  const auto holder = client();
  const auto waiter = client();
  const Outcome held = lock(holder->runtime, holder->locks);
  waiter->wait();
  ASSERT_TRUE(step_until({waiter.get()}, [] { return stand(3, "1"); }));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(server(i).say({"CLIENT", "KILL", "TYPE", "pubsub"}), "1");
  }
  const auto listens_again = [] {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string entry = server(i).ask({"HVALS", kWaiters}).elements.at(0).text;
      const std::string channel = entry.substr(0, entry.find(' '));
      if (server(i).say({"PUBLISH", channel, "nothing of ours"}) != "1") return false;
    }
    return true;
  };
  ASSERT_TRUE(step_until({waiter.get()}, listens_again));
  unlock(holder->runtime, holder->locks, held.token);
  ASSERT_TRUE(step_until({waiter.get()}, [&] { return done(*waiter); }));
  EXPECT_EQ(waiter->collect().decision, Decision::granted);
}

TEST_F(WaitingInLine, AServerThatStandsStillCostsNobodyTheHandOver) {
  const auto holder = std::make_unique<Client>(specs(3), once(Duration::ms(200)));
  const auto waiter = std::make_unique<Client>(specs(3), once(Duration::ms(200)));
  const Outcome held = lock(holder->runtime, holder->locks);
  waiter->wait();
  ASSERT_TRUE(step_until({waiter.get()}, [] { return stand(3, "1"); }));
  server(2).stop();
  unlock(holder->runtime, holder->locks, held.token);
  ASSERT_TRUE(step_until({waiter.get()}, [&] { return done(*waiter); }));
  const Outcome outcome = waiter->collect();
  EXPECT_EQ(outcome.decision, Decision::granted);
  server(2).go_on();
  unlock(waiter->runtime, waiter->locks, outcome.token);
  EXPECT_TRUE(step_until({waiter.get(), holder.get()},
                         [] { return values(3) == std::vector<std::string>(3, "nil"); }));
}

TEST_F(WaitingInLine, WhereAnAclForbidsToListenItPolls) {
  RedisServer guarded;
  guarded.ask({"ACL", "SETUSER", "unsubscribed", "on", ">p", "~*", "&*", "+@all", "-subscribe"});
  std::vector<ServerSpec> servers{parse_server("redis://unsubscribed:p@" + guarded.address())};
  Client holder(servers, once());
  Client waiter(servers, once());
  const Outcome held = lock(holder.runtime, holder.locks);
  ASSERT_EQ(held.decision, Decision::granted);
  waiter.wait();
  ASSERT_TRUE(step_until({&waiter}, [&] { return guarded.calls("set") >= 4; }));
  unlock(holder.runtime, holder.locks, held.token);
  ASSERT_TRUE(step_until({&waiter}, [&] { return done(waiter); }));
  EXPECT_EQ(waiter.collect().decision, Decision::granted);
}

TEST_F(WaitingInLine, AReleaseThatMaySeeNoTimesHandsOnAllTheSame) {
  RedisServer guarded;
  guarded.ask({"ACL", "SETUSER", "blind", "on", ">p", "~*", "&*", "+@all", "-pttl"});
  Client holder({parse_server("redis://blind:p@" + guarded.address())}, once());
  Client first({parse_server(guarded.address())}, once());
  Client second({parse_server(guarded.address())}, once());
  const Outcome held = lock(holder.runtime, holder.locks);
  ASSERT_EQ(held.decision, Decision::granted);
  const std::vector<Client*> both{&first, &second};
  first.wait();
  ASSERT_TRUE(step_until(both, [&] { return guarded.say({"ZCARD", kLine}) == "1"; }));
  second.wait();
  ASSERT_TRUE(step_until(both, [&] { return guarded.say({"ZCARD", kLine}) == "2"; }));
  EXPECT_EQ(unlock(holder.runtime, holder.locks, held.token).decision, Decision::granted);
  ASSERT_TRUE(step_until(both, [&] { return done(first) || done(second); }));
  EXPECT_EQ((done(first) ? first : second).collect().decision, Decision::granted);
}

TEST_F(WaitingInLine, WhatCannotBeMeantIsRefused) {
  const auto any = client(1);
  const auto begin = [&](Duration ttl, Duration wait, std::int64_t delay_ms,
                         const std::string& owner = {}) {
    return any->locks.begin_wait(Resource("r"), ttl, wait, delay_ms, LockExtras{owner});
  };
  EXPECT_THROW(begin(Duration(), kWait, 20), ArgumentError);
  EXPECT_THROW(begin(kTtl, Duration::ms(-1), 20), ArgumentError);
  EXPECT_THROW(begin(kTtl, kWait, -2), ArgumentError);
  EXPECT_THROW(begin(kTtl, kWait, kPauseMax.count_ms() + 1), ArgumentError);
  EXPECT_THROW(begin(kTtl, kWait, 20, std::string(kOwnerBytesMax + 1, 'o')), ArgumentError);
}

}  // namespace
}  // namespace redlock::line_wait_test
