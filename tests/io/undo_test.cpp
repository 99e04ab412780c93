// Nothing of a lost attempt stays behind on servers that stop and go on.
#include <gtest/gtest.h>

#include "io/support/fleet.hpp"

namespace redlock::undo_test {
namespace {

using test::eventually;
using test::Fleet;
using test::RedisServer;

class Rule03UndoOnTheSameConnection : public Fleet {
 protected:
  // The server has carried out all that was sent to it by clients that are gone. It accepts in
  // order, so it has met them all when it answers the latest.
  static bool has_read_everything(RedisServer& server) {
    test::RespClient latest(server.port());
    latest.ask({"PING"});
    constexpr std::size_t kOurs = 2;
    return eventually([&] { return server.clients().size() == kOurs; });
  }
  static LockOptions named(const std::string& client_name, Duration timeout) {
    LockOptions options = once(timeout);
    options.client_name = client_name;
    return options;
  }
  static Endpoint named_endpoint(const ServerSpec& server, const std::string& client_name) {
    Endpoint endpoint = server.endpoint;
    endpoint.client_name = client_name;
    return endpoint;
  }
  static std::string size(RedisServer& server) { return server.say({"DBSIZE"}); }
};

TEST_F(Rule03UndoOnTheSameConnection, TwoHundredLateSetsLeaveNoGhost) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(3), named("late", Duration::ms(10)));
  for (std::size_t i = 0; i < 3; ++i) server(i).stop();
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(lock(runtime, locks, "r" + std::to_string(i)).decision, Decision::unreachable);
  }
  runtime.pool().close_all();
  for (std::size_t i = 0; i < 3; ++i) server(i).go_on();
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(has_read_everything(server(i)));
    EXPECT_EQ(size(server(i)), "0") << "server " << i;
    // They did arrive: a machine too busy to connect in time may have kept a few.
    EXPECT_GE(server(i).calls("set"), 150U) << "server " << i;
  }
}

// Longer than a server reads at once: a connection that is closed too early is reset by the first
// replies, and the server drops what it has not read yet.
TEST_F(Rule03UndoOnTheSameConnection, ALongUnansweredStreamLeavesNoGhostEither) {
  Runtime runtime;
  auto servers = specs(3);
  servers[2].timeout = Duration::ms(1'000);
  LockManager locks(runtime.pool(), servers, named("behind", test::kPatience));
  ASSERT_EQ(lock(runtime, locks, "connects").decision, Decision::granted);
  // Not only by the other two.
  ASSERT_TRUE(eventually([] { return size(server(2)) == "1"; }));
  server(2).stop();
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < 200; ++i) {
    tokens.push_back(lock(runtime, locks, "r" + std::to_string(i)).token);
  }
  for (std::size_t i = 0; i < 200; ++i) unlock(runtime, locks, tokens[i], "r" + std::to_string(i));
  const auto node = runtime.pool().node(named_endpoint(servers[2], "behind"), *servers[2].timeout);
  ASSERT_TRUE(node->has_conversation()) << "nothing has been given up yet";
  while (node->has_conversation()) runtime.pool().step(Instant::never());
  server(2).go_on();
  ASSERT_TRUE(has_read_everything(server(2)));
  EXPECT_EQ(server(2).calls("set"), 201U);
  // "connects" is still held; whatever else is there is a ghost.
  EXPECT_EQ(size(server(2)), "1");
}

TEST_F(Rule03UndoOnTheSameConnection, ANameLongerThanAServersReadIsUndoneToo) {
  Runtime runtime;
  const std::string big(kResourceBytesMax, 'x');
  LockManager locks(runtime.pool(), specs(1), named("big", Duration::ms(100)));
  server(0).stop();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(lock(runtime, locks, std::to_string(i) + big.substr(1)).decision,
              Decision::unreachable);
  }
  runtime.pool().close_all();
  server(0).go_on();
  ASSERT_TRUE(has_read_everything(server(0)));
  EXPECT_EQ(size(server(0)), "0");
}

TEST_F(Rule03UndoOnTheSameConnection, AMinorityThatWasWonIsGivenBack) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(3), once());
  server(0).ask({"SET", "r", "somebody else's"});
  server(1).ask({"SET", "r", "somebody else's"});
  EXPECT_EQ(lock(runtime, locks).decision, Decision::denied);
  EXPECT_TRUE(eventually([] {
    return values(3) == std::vector<std::string>{"somebody else's", "somebody else's", "nil"};
  }));
}

TEST_F(Rule03UndoOnTheSameConnection, AnAbortedCallLeavesNothing) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(3), once());
  ASSERT_EQ(lock(runtime, locks, "connects").decision, Decision::granted);
  for (int i = 0; i < 50; ++i) {
    const OperationId id = locks.begin_lock(Resource("r"), Duration::seconds(60));
    EXPECT_EQ(runtime.pool().collect(id).decision, Decision::aborted);
  }
  EXPECT_TRUE(
      eventually([] { return values(3) == std::vector<std::string>{"nil", "nil", "nil"}; }));
}

TEST_F(Rule03UndoOnTheSameConnection, AnAbortedStampLeavesNothingAlsoAfterScriptFlush) {
  Runtime runtime;
  StampLedger ledger;
  StampOptions options;
  options.timeout = test::kPatience;
  StampLockManager locks(runtime.pool(), ledger, specs(1)[0], options);
  const Resource key("k");
  const auto begin = [&] {
    return locks.begin_lock(key, Duration::seconds(60), {}, RetryPolicy::exact(1, Duration()));
  };
  const Outcome first = runtime.pool().run(begin());
  ASSERT_EQ(first.decision, Decision::granted);
  server(0).ask({"DEL", "k"});
  server(0).ask({"SCRIPT", "FLUSH"});
  EXPECT_EQ(runtime.pool().collect(begin()).decision, Decision::aborted);
  // The next answer on this connection stands behind everything of the aborted call.
  const OperationId next = locks.begin_lock(Resource("other"), Duration::seconds(60), {},
                                            RetryPolicy::exact(1, Duration()));
  ASSERT_EQ(runtime.pool().run(next).decision, Decision::granted);
  EXPECT_EQ(server(0).say({"GET", "k"}), "nil");
}

}  // namespace
}  // namespace redlock::undo_test
