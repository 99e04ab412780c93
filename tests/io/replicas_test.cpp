// Votes that replicas must have, on real servers with a replica.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#include "io/support/eventually.hpp"
#include "io/support/redis_server.hpp"
#include "redlock/redlock.hpp"

namespace redlock::replicas_test {
namespace {

using namespace std::chrono_literals;
using test::RedisServer;
using testing::HasSubstr;

Trouble trouble(const Result& result) {
  const bool refused = !result && !result.refusal().troubles.empty();
  return refused ? result.refusal().troubles.front() : Trouble{};
}

class ReplicasOnServers : public testing::Test {
 protected:
  void SetUp() override {
    // Once it acknowledges what it gets at once, three times: by itself it does so once a second,
    // and to a question not in its first moments.
    const auto follows = [&] {
      return master_.say({"SET", "warm", "1"}) == "OK" && master_.say({"WAIT", "1", "100"}) == "1";
    };
    ASSERT_TRUE(test::eventually([&] { return follows() && follows() && follows(); }));
    ASSERT_EQ(master_.say({"CONFIG", "RESETSTAT"}), "OK");
  }
  static Options wanting(std::int64_t replicas, std::chrono::milliseconds timeout = 5s) {
    Options options;
    options.timeout = timeout;
    options.retry_delay = 20ms;
    options.replicas = replicas;
    return options;
  }
  bool gone() {
    return test::eventually([&] { return master_.say({"EXISTS", "r"}) == "0"; });
  }

  RedisServer master_{{{"repl-diskless-sync-delay 0"}, {}}};
  RedisServer replica_{{{"replicaof 127.0.0.1 " + std::to_string(master_.port())}, {}}};
};

TEST_F(ReplicasOnServers, ALockIsOnTheReplicaWhenItIsGranted) {
  Client client({master_.address()}, wanting(1));
  Result lock = client.try_lock("r", 10s);
  ASSERT_TRUE(lock) << to_string(lock.refusal());
  EXPECT_EQ(replica_.say({"EXISTS", "r"}), "1");
  EXPECT_EQ(master_.calls("wait"), 1U);
}

TEST_F(ReplicasOnServers, WithoutTheOptionNothingMoreIsSent) {
  Client client({master_.address()}, wanting(0));
  ASSERT_TRUE(client.try_lock("r", 10s));
  EXPECT_EQ(master_.calls("wait"), 0U);
}

TEST_F(ReplicasOnServers, AReplicaThatStandsStillLeavesNothingAtTheMaster) {
  Client client({master_.address()}, wanting(1, 1500ms));
  {
    ASSERT_TRUE(client.try_lock("before", 10s));
  }
  replica_.stop();
  const auto begin = std::chrono::steady_clock::now();
  Result refused = client.try_lock("r", 60s);
  const auto took = std::chrono::steady_clock::now() - begin;
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.refusal().decision, Decision::unreachable);
  EXPECT_EQ(trouble(refused).fault, Fault::noreplicas);
  EXPECT_EQ(trouble(refused).server, master_.address());
  EXPECT_EQ(trouble(refused).reason, "replicas: too few, 0 of 1 have it in time");
  EXPECT_LT(took, 20s);
  EXPECT_TRUE(gone());
  replica_.go_on();
  EXPECT_TRUE(client.lock("r", 10s, 10s));
}

TEST_F(ReplicasOnServers, MoreThanThereAreIsSaidBeforeAnythingIsSent) {
  Client client({master_.address()}, wanting(2));
  Result refused = client.try_lock("r", 10s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(trouble(refused).fault, Fault::noreplicas);
  EXPECT_EQ(trouble(refused).server, master_.address());
  EXPECT_EQ(trouble(refused).reason, "replicas: it has 1, 2 must have each vote");
  EXPECT_EQ(master_.calls("eval") + master_.calls("set"), 0U);
}

TEST_F(ReplicasOnServers, AUserWhoMayNotWaitGetsNoLockAndLeavesNone) {
  ASSERT_EQ(master_.say({"ACL", "SETUSER", "u", "on", ">p", "~*", "&*", "+@all", "-wait"}), "OK");
  Client client({"redis://u:p@" + master_.address()}, wanting(1));
  Result refused = client.try_lock("r", 60s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(trouble(refused).fault, Fault::acl);
  EXPECT_THAT(trouble(refused).reason, HasSubstr("replicas: WAIT was refused: NOPERM"));
  EXPECT_TRUE(gone());
}

TEST_F(ReplicasOnServers, WhatIsHandedOverInLineIsOnTheReplicaToo) {
  Client holder({master_.address()}, wanting(0));
  Client waiter({master_.address()}, wanting(1));
  std::optional<Result> held = holder.try_lock("r", 60s);
  ASSERT_TRUE(*held);
  std::thread release([&] {
    (void)test::eventually([&] { return master_.say({"EXISTS", "r:redlock:line"}) == "1"; });
    held.reset();
  });
  Result waited = waiter.lock("r", 60s, 20s);
  release.join();
  ASSERT_TRUE(waited) << to_string(waited.refusal());
  EXPECT_EQ(replica_.say({"GET", "r"}), std::string(waited->token()));
}

TEST_F(ReplicasOnServers, AVoteThatIsHandedOverDoesNotCountWhileTheReplicaStandsStill) {
  Client holder({master_.address()}, wanting(0));
  Client waiter({master_.address()}, wanting(1, 1500ms));
  std::optional<Result> held = holder.try_lock("r", 60s);
  ASSERT_TRUE(*held);
  std::thread release([&] {
    (void)test::eventually([&] { return master_.say({"EXISTS", "r:redlock:line"}) == "1"; });
    replica_.stop();
    held.reset();
  });
  Result waited = waiter.lock("r", 60s, 3s);
  release.join();
  EXPECT_FALSE(waited);
  EXPECT_TRUE(gone());
}

TEST_F(ReplicasOnServers, AnExtensionThatTheReplicaLacksIsNone) {
  Client client({master_.address()}, wanting(1, 1500ms));
  Result lock = client.try_lock("r", 60s);
  ASSERT_TRUE(lock);
  EXPECT_TRUE(lock->extend(61s));
  replica_.stop();
  EXPECT_FALSE(lock->extend(62s));
  replica_.go_on();
  EXPECT_TRUE(test::eventually([&] { return lock->extend(63s); }));
}

TEST_F(ReplicasOnServers, SharedLocksPermitsSeveralAndFencesWaitToo) {
  Options options = wanting(1, 1500ms);
  options.fence = true;
  Client fenced({master_.address()}, options);
  Client client({master_.address()}, wanting(1, 1500ms));
  {
    ASSERT_TRUE(client.try_lock_shared("s", 60s));
  }
  {
    ASSERT_TRUE(client.try_acquire_permit("p", 2, 60s));
  }
  {
    ASSERT_TRUE(client.lock_all({"a", "b"}, 60s, std::chrono::milliseconds(0)));
  }
  {
    ASSERT_TRUE(fenced.try_lock("f", 60s));
  }
  replica_.stop();
  EXPECT_EQ(trouble(client.try_lock_shared("s", 60s)).fault, Fault::noreplicas);
  EXPECT_EQ(trouble(client.try_acquire_permit("p", 2, 60s)).fault, Fault::noreplicas);
  EXPECT_EQ(trouble(client.lock_all({"a", "b"}, 60s, std::chrono::milliseconds(0))).fault,
            Fault::noreplicas);
  EXPECT_EQ(trouble(fenced.try_lock("f", 60s)).fault, Fault::noreplicas);
  EXPECT_TRUE(test::eventually([&] { return master_.say({"EXISTS", "s", "a", "b", "f"}) == "0"; }));
}

// The server reads nothing of a connection that waits for replicas, and drops what it has not read
// when that is closed. Of three servers the first one's replica stands still.
class ReleasesBehindWaits : public ReplicasOnServers {
 protected:
  static constexpr auto kTimeout = 1500ms;
  void SetUp() override {
    ReplicasOnServers::SetUp();
    for (RedisServer* server : {&second_, &third_}) {
      ASSERT_TRUE(test::eventually([&] { return server->say({"WAIT", "1", "100"}) == "1"; }));
    }
  }
  Client client() {
    return Client({master_.address(), second_.address(), third_.address()}, wanting(1, kTimeout));
  }
  static void acquire_and_release(Client& client, int times) {
    for (int i = 0; i < times; ++i) {
      Result lock = client.try_lock("r", 60s);
      ASSERT_TRUE(lock) << to_string(lock.refusal());
      EXPECT_TRUE(lock->release());
    }
  }
  void expect_nothing_stays() {
    ASSERT_TRUE(test::eventually([&] {
      return master_.say({"INFO", "clients"}).find("blocked_clients:0") != std::string::npos;
    }));
    EXPECT_TRUE(test::eventually([&] { return master_.say({"DBSIZE"}) == "1"; }))
        << master_.say({"DBSIZE"}) << " keys";
  }

  RedisServer second_{{{"repl-diskless-sync-delay 0"}, {}}};
  RedisServer third_{{{"repl-diskless-sync-delay 0"}, {}}};
  RedisServer of_second_{{{"replicaof 127.0.0.1 " + std::to_string(second_.port())}, {}}};
  RedisServer of_third_{{{"replicaof 127.0.0.1 " + std::to_string(third_.port())}, {}}};
};

TEST_F(ReleasesBehindWaits, AreCarriedOutThoughTheClientIsGone) {
  replica_.stop();
  {
    Client briefly = client();
    acquire_and_release(briefly, 3);
  }
  expect_nothing_stays();
}

TEST_F(ReleasesBehindWaits, AreCarriedOutHoweverManyTheyAre) {
  {
    Client briefly = client();
    std::vector<Result> locks;
    for (int i = 0; i < 1500; ++i) {
      locks.push_back(briefly.try_lock("r" + std::to_string(i), 60s));
      ASSERT_TRUE(locks.back()) << to_string(locks.back().refusal());
      // A server that lags behind has no room for so many.
      const auto on_all = [&] {
        return std::ranges::all_of(std::array{&master_, &second_, &third_}, [&](auto* server) {
          return server->say({"EXISTS", "r" + std::to_string(i)}) == "1";
        });
      };
      if (i % 100 == 0) ASSERT_TRUE(test::eventually(on_all));
    }
    replica_.stop();
    locks.push_back(briefly.try_lock("last", 60s));
    ASSERT_TRUE(locks.back()) << to_string(locks.back().refusal());
  }
  expect_nothing_stays();
}

// Its removals go by the next one meanwhile, and nothing that they undo comes behind them.
TEST_F(ReleasesBehindWaits, AreCarriedOutWhereTheConnectionIsGivenUpInBetween) {
  replica_.stop();
  {
    Client briefly = client();
    acquire_and_release(briefly, 300);
    const auto overdue = std::chrono::steady_clock::now() + kTimeout + 100ms;
    while (std::chrono::steady_clock::now() < overdue) acquire_and_release(briefly, 10);
  }
  expect_nothing_stays();
}

TEST_F(ReleasesBehindWaits, AreCarriedOutWhereTheServerTakesNoConnectionAtFirst) {
  replica_.stop();
  std::jthread room;
  {
    Client briefly = client();
    acquire_and_release(briefly, 3);
    // Not even in place of the one that ends.
    const std::string one_less = std::to_string(master_.clients().size() - 1);
    ASSERT_EQ(master_.say({"CONFIG", "SET", "maxclients", one_less}), "OK");
    room = std::jthread([this] {
      EXPECT_TRUE(test::eventually([&] {
        return master_.say({"INFO", "stats"}).find("rejected_connections:0") == std::string::npos;
      }));
      EXPECT_EQ(master_.say({"CONFIG", "SET", "maxclients", "100"}), "OK");
    });
  }
  room.join();
  expect_nothing_stays();
}

TEST_F(ReplicasOnServers, ALockSurvivesAFailOverRightBehindIt) {
  Client client({master_.address()}, wanting(1));
  Result lock = client.try_lock("r", 60s);
  ASSERT_TRUE(lock);
  master_.kill9();
  ASSERT_EQ(replica_.say({"REPLICAOF", "NO", "ONE"}), "OK");
  EXPECT_EQ(replica_.say({"GET", "r"}), std::string(lock->token()));
  Client other({replica_.address()}, wanting(0));
  EXPECT_EQ(other.try_lock("r", 10s).refusal().decision, Decision::denied);
}

}  // namespace
}  // namespace redlock::replicas_test
