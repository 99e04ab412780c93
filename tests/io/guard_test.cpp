// The guard of C++ users on real servers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/support/clients_on_servers.hpp"
#include "io/support/eventually.hpp"
#include "io/support/redis_server.hpp"

namespace redlock::guard_test {
namespace {

using namespace std::chrono_literals;
using test::RedisServer;
using testing::HasSubstr;

Options guarded(std::chrono::milliseconds longest_ttl = 500ms, Guard guard = Guard::all()) {
  Options options;
  options.timeout = 5s;
  options.retry_delay = 20ms;
  options.guard = guard;
  options.longest_ttl = longest_ttl;
  return options;
}

Trouble trouble(const Result& result) {
  const bool refused = !result && !result.refusal().troubles.empty();
  return refused ? result.refusal().troubles.front() : Trouble{};
}

// Old enough for locks of half a second.
bool grown_up(RedisServer& server) {
  return test::eventually([&] {
    const std::string info = server.say({"INFO", "server"});
    return info.find("uptime_in_seconds:0") == std::string::npos &&
           info.find("uptime_in_seconds:1\r") == std::string::npos;
  });
}

TEST(GuardOnServers, AServerThatRestartedHasNoVoteUntilALockOfItsFormerLifeIsOver) {
  RedisServer server;
  ASSERT_TRUE(grown_up(server));
  Client client({server.address()}, guarded());
  ASSERT_TRUE(client.try_lock("before", 400ms));
  server.kill9();
  server.start();
  Result refused = client.try_lock("r", 400ms);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.refusal().decision, Decision::unreachable);
  EXPECT_EQ(trouble(refused).fault, Fault::guard);
  EXPECT_THAT(trouble(refused).reason, HasSubstr("guard: restarted"));
  Result waited = client.lock("r", 400ms, 10s);
  EXPECT_TRUE(waited);
}

TEST(GuardOnServers, AReplicaHasNoVote) {
  RedisServer master;
  RedisServer replica(
      {{"replicaof 127.0.0.1 " + std::to_string(master.port()), "replica-read-only no"}, {}});
  Client client({replica.address()}, guarded(1min, {false, true, false, false}));
  Result refused = client.try_lock("r", 400ms);
  EXPECT_EQ(trouble(refused).reason, "guard: it is a replica");
}

TEST(GuardOnServers, ANameTooManyIsNoVoteMore) {
  RedisServer server;
  Client client({server.address(), "unix://" + server.unix_path()},
                guarded(1min, {false, false, false, true}));
  Result refused = client.try_lock("r", 400ms);
  ASSERT_FALSE(refused);
  EXPECT_THAT(to_string(refused.refusal()), HasSubstr("guard: it is the same server as"));
  EXPECT_EQ(server.say({"EXISTS", "r"}), "0");
}

TEST(GuardOnServers, WhoMayNotAskHasNoVotes) {
  RedisServer server;
  ASSERT_EQ(server.say({"ACL", "SETUSER", "u", "on", ">p", "~*", "&*", "+@all", "-info"}), "OK");
  Client client({"redis://u:p@" + server.address()}, guarded());
  Result refused = client.try_lock("r", 400ms);
  EXPECT_THAT(trouble(refused).reason, HasSubstr("guard: INFO was refused: NOPERM"));
  EXPECT_EQ(trouble(refused).fault, Fault::acl);
}

TEST(GuardOnServers, CheckSaysWhatItWouldSay) {
  RedisServer server({{"maxmemory 100mb", "maxmemory-policy allkeys-lru"}, {}});
  Client client({server.address()}, {.timeout = 5s});
  EXPECT_THAT(client.examine().at(0).guard_objection, HasSubstr("allkeys-lru"));
  ASSERT_EQ(server.say({"CONFIG", "SET", "maxmemory-policy", "noeviction"}), "OK");
  EXPECT_THAT(client.examine().at(0).guard_objection, HasSubstr("guard: restarted"));
  Client fast({server.address()}, {.timeout = 5s, .longest_ttl = 1ms});
  EXPECT_TRUE(test::eventually([&] { return fast.examine().at(0).guard_objection.empty(); }));
}

}  // namespace
}  // namespace redlock::guard_test
