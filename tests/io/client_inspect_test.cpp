// The API of C++ users on real servers: who holds a lock, and taking it over or away.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "io/support/clients_on_servers.hpp"

namespace redlock::client_inspect_test {
namespace {

using namespace std::chrono_literals;
using test::ClientOnServers;
using test::eventually;
using test::Values;

std::vector<std::string> tokens_in(const Inspection& inspection) {
  std::vector<std::string> tokens;
  for (const ServerView& server : inspection.servers) {
    tokens.push_back(server.view.holder ? server.view.holder->token : "nobody");
  }
  return tokens;
}

class ClientInspect : public ClientOnServers {
 protected:
  // A lock is granted as soon as a majority has it.
  static void await_everywhere(const Lease& lease) {
    EXPECT_TRUE(eventually(
        [&] { return values(3, std::string(lease.resource())) == everywhere(lease.token()); }));
  }
};

TEST_F(ClientInspect, AFreeLockHasNoHolderAndNobodyWaits) {
  const Inspection seen = client_.inspect("r");
  EXPECT_TRUE(seen.reachable);
  EXPECT_FALSE(seen.majority.holder);
  EXPECT_EQ(seen.majority.waiting, 0);
  EXPECT_EQ(tokens_in(seen), everywhere("nobody"));
  EXPECT_EQ(seen.servers[2].server, server(2).address());
}

TEST_F(ClientInspect, AHeldLockIsShownWithItsOwnerAndItsTimeByEveryServer) {
  Options named = patient();
  named.owner = "night job:7";
  Client other(addresses(), named);
  const Result lease = other.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  await_everywhere(*lease);
  const Inspection seen = client_.inspect("r");
  ASSERT_TRUE(seen.majority.holder);
  EXPECT_EQ(seen.majority.holder->token, lease->token());
  EXPECT_EQ(seen.majority.holder->owner, "night job:7");
  ASSERT_TRUE(seen.majority.holder->left);
  EXPECT_LE(*seen.majority.holder->left, 60s);
  EXPECT_GT(*seen.majority.holder->left, 30s);
  EXPECT_EQ(tokens_in(seen), everywhere(lease->token()));
}

TEST_F(ClientInspect, WhoWaitsIsCountedAndNamed) {
  const Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  std::jthread waits([&](const std::stop_token& stop) {
    Options options = patient();
    options.owner = "the next";
    Client other(addresses(), options);
    const Result waited = other.lock("r", 60s, 30s, stop);
  });
  EXPECT_TRUE(eventually([&] { return client_.inspect("r").majority.waiting == 1; }));
  EXPECT_TRUE(eventually([&] { return !client_.inspect("r").majority.line.empty(); }));
  const InLine first = client_.inspect("r").majority.line.at(0);
  EXPECT_EQ(first.owner, "the next");
  EXPECT_TRUE(first.token.starts_with("the next"));
  EXPECT_LT(first.waited, 60s);
  EXPECT_EQ(client_.inspect("r").servers.at(0).view.line.at(0).token, first.token);
}

TEST_F(ClientInspect, AServerThatIsDownIsNamedBesideWhatTheOthersSay) {
  Client client({server(0).address(), server(1).address(), "127.0.0.1:1"}, patient());
  const Result lease = client.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  EXPECT_TRUE(eventually([&] { return values(2) == Values(2, std::string(lease->token())); }));
  const Inspection seen = client.inspect("r");
  EXPECT_TRUE(seen.reachable);
  EXPECT_TRUE(seen.majority.holder);
  EXPECT_EQ(seen.servers[0].fault, Fault::none);
  EXPECT_EQ(seen.servers[2].server, "127.0.0.1:1");
  EXPECT_EQ(seen.servers[2].fault, Fault::refused);
  EXPECT_FALSE(seen.servers[2].reason.empty());
}

TEST_F(ClientInspect, WithoutAMajorityNothingIsKnownAndNothingTakenAway) {
  Client client({server(0).address(), "127.0.0.1:1", "127.0.0.1:2"}, patient());
  server(0).say({"SET", "r", "t", "PX", "60000"});
  const Inspection seen = client.inspect("r");
  EXPECT_FALSE(seen.reachable);
  EXPECT_FALSE(seen.majority.holder);
  EXPECT_EQ(seen.servers[0].view.holder->token, "t");
  const ForcedRelease released = client.force_release("r");
  EXPECT_FALSE(released);
  EXPECT_EQ(released.decision, Decision::unreachable);
  EXPECT_EQ(released.troubles.size(), 2U);
  EXPECT_EQ(values(1), Values(1, "t"));
}

TEST_F(ClientInspect, ALockIsTakenAwayFromWhoeverHoldsIt) {
  Client other(addresses(), patient());
  Result lease = other.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  await_everywhere(*lease);
  EXPECT_TRUE(client_.force_release("r"));
  EXPECT_TRUE(gone());
  EXPECT_FALSE(lease->confirm());
  EXPECT_FALSE(lease->live());
}

TEST_F(ClientInspect, WhatNobodyHoldsCannotBeTakenAway) {
  EXPECT_EQ(client_.force_release("r").decision, Decision::denied);
}

TEST_F(ClientInspect, WhatNeverExpiresIsNoLockAndIsLeftAlone) {
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"SET", "r", "a setting"});
  const Inspection seen = client_.inspect("r");
  ASSERT_TRUE(seen.majority.holder);
  EXPECT_FALSE(seen.majority.holder->left);
  EXPECT_EQ(client_.force_release("r").decision, Decision::denied);
  EXPECT_EQ(values(3), everywhere("a setting"));
}

TEST_F(ClientInspect, ALockThatWasDetachedIsAttachedWithoutAskingAServer) {
  Result first = client_.try_lock("r", 10s);
  ASSERT_TRUE(first);
  await_everywhere(*first);
  const Handle handle = first->detach();
  EXPECT_FALSE(first->live());
  EXPECT_FALSE(first->release());
  for (std::size_t i = 0; i < 3; ++i) server(i).stop();
  Client other(addresses(), patient());
  Lease second = other.attach(handle, 60s);
  EXPECT_EQ(second.token(), handle.token);
  EXPECT_TRUE(second.live());
  EXPECT_LE(second.remaining(), handle.validity);
  for (std::size_t i = 0; i < 3; ++i) server(i).go_on();
  EXPECT_TRUE(second.extend(60s));
  EXPECT_GT(second.remaining(), 30s);
  EXPECT_TRUE(second.release());
  EXPECT_TRUE(gone());
}

TEST_F(ClientInspect, ALeaseThatWasDetachedGivesNothingBackAtItsEnd) {
  Handle handle;
  {
    Result lease = client_.try_lock("r", 60s);
    ASSERT_TRUE(lease);
    await_everywhere(*lease);
    handle = lease->detach();
  }
  EXPECT_TRUE(client_.attach(handle, 60s).confirm());
}

TEST_F(ClientInspect, ALeaseWhoseHandleIsOverIsNotLiveAndOnlyItsReleaseGivesTheLockBack) {
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  await_everywhere(*lease);
  Handle handle = lease->handle();
  handle.validity = 0ms;
  {
    Lease over = client_.attach(handle, 60s);
    EXPECT_FALSE(over.live());
  }
  EXPECT_TRUE(lease->confirm());
  EXPECT_TRUE(client_.attach(handle, 60s).release());
  EXPECT_FALSE(lease->confirm());
}

TEST_F(ClientInspect, AHandleThatNoLeaseGaveIsRefused) {
  EXPECT_THROW((void)client_.attach({{"r"}, "", 10s}, 10s), std::invalid_argument);
  EXPECT_THROW((void)client_.attach({{"r"}, "token", 10s}, 0s), std::invalid_argument);
  EXPECT_THROW((void)client_.attach({{"r"}, "token", std::chrono::hours(24 * 365 * 101)}, 10s),
               std::invalid_argument);
}

// inspect() shows it as a token; as one it would act for all readers at once.
TEST_F(ClientInspect, TheMarkOfASharedLockIsNoHandlesToken) {
  Result reader = client_.try_lock_shared("r", 60s);
  ASSERT_TRUE(reader);
  for (const bool shared : {false, true}) {
    EXPECT_THROW((void)client_.attach({{"r"}, "redlock:shared", 10s, {}, shared}, 10s),
                 std::invalid_argument);
  }
  EXPECT_TRUE(reader->confirm());
}

TEST_F(ClientInspect, AnOwnersNameIsBounded) {
  EXPECT_THROW(Client(addresses(), {.owner = std::string(257, 'o')}), std::invalid_argument);
}

}  // namespace
}  // namespace redlock::client_inspect_test
