// Every way to reach a server, and every way not to.
#include <gtest/gtest.h>
#include <unistd.h>

#include "io/support/fleet.hpp"

namespace redlock::connect_test {
namespace {

using test::Fleet;
using test::RedisServer;
using test::ServerSettings;

class Connecting : public Fleet {
 protected:
  struct Attempt {
    Decision decision;
    std::vector<ServerTrouble> troubles;
  };
  static Attempt attempt(const std::string& server, LockOptions options = once()) {
    Runtime runtime;
    LockManager locks(runtime.pool(), {parse_server(server)}, std::move(options));
    const Outcome outcome = lock(runtime, locks);
    return {outcome.decision, locks.troubles(outcome)};
  }
  static void expect_trouble(const Attempt& attempt, Fault fault, const std::string& words) {
    EXPECT_EQ(attempt.decision, Decision::unreachable);
    ASSERT_EQ(attempt.troubles.size(), 1U);
    EXPECT_EQ(attempt.troubles[0].fault, fault);
    EXPECT_NE(attempt.troubles[0].reason.find(words), std::string::npos)
        << attempt.troubles[0].reason;
  }
};

TEST_F(Connecting, ByHostName) {
  const std::string port = std::to_string(server(0).port());
  EXPECT_EQ(attempt("localhost:" + port).decision, Decision::granted);
}

TEST_F(Connecting, OverAUnixSocket) {
  EXPECT_EQ(attempt(server(0).unix_path()).decision, Decision::granted);
  server(0).ask({"FLUSHALL"});
  EXPECT_EQ(attempt("unix://" + server(0).unix_path()).decision, Decision::granted);
}

TEST_F(Connecting, OverIpVersionSix) {
  try {
    close(test::connect_to_port(server(0).port(), true));
  } catch (const std::exception&) {
    GTEST_SKIP() << "no IPv6 loopback here";
  }
  EXPECT_EQ(attempt("[::1]:" + std::to_string(server(0).port())).decision, Decision::granted);
}

TEST_F(Connecting, ToADatabaseOfItsOwn) {
  EXPECT_EQ(attempt("redis://" + server(0).address() + "/7").decision, Decision::granted);
  EXPECT_EQ(server(0).say({"GET", "r"}), "nil");
  server(0).ask({"SELECT", "7"});
  EXPECT_NE(server(0).say({"GET", "r"}), "nil");
  server(0).ask({"SELECT", "0"});
}

TEST_F(Connecting, ADatabaseThatDoesNotExistLeavesNoKeyInDatabaseZero) {
  const Attempt refused = attempt("redis://" + server(0).address() + "/999");
  expect_trouble(refused, Fault::rejected, "SELECT was refused");
  EXPECT_EQ(server(0).say({"DBSIZE"}), "0");
  EXPECT_EQ(server(0).calls("set"), 0U);
}

TEST_F(Connecting, UnderAName) {
  Runtime runtime;
  LockOptions options = once();
  options.client_name = "worker-7";
  LockManager locks(runtime.pool(), specs(1), options);
  ASSERT_EQ(lock(runtime, locks).decision, Decision::granted);
  EXPECT_EQ(server(0).clients_named("worker-7").size(), 1U);
}

TEST_F(Connecting, ToAPortThatNobodyListensOn) {
  const std::string address = "127.0.0.1:" + std::to_string(test::free_port());
  expect_trouble(attempt(address), Fault::refused, "refused");
}

TEST_F(Connecting, ToASocketThatDoesNotExist) {
  expect_trouble(attempt("/no/such/socket"), Fault::connect, "No such file");
}

TEST_F(Connecting, ToAHostThatDoesNotExist) {
  const Attempt failed = attempt("no-such-host.invalid");
  EXPECT_EQ(failed.decision, Decision::unreachable);
  ASSERT_EQ(failed.troubles.size(), 1U);
  EXPECT_NE(failed.troubles[0].reason.find("host name"), std::string::npos);
}

class Authentication : public Connecting {
 protected:
  static void SetUpTestSuite() {
    Connecting::SetUpTestSuite();
    ServerSettings settings;
    settings.password = "sesame";
    settings.lines = {"requirepass sesame", "user alice on >wonder ~* +@all",
                      "user limited on >little ~r* +set +eval +evalsha +client|setname"};
    guarded_ = std::make_unique<RedisServer>(settings);
  }
  static void TearDownTestSuite() { guarded_.reset(); }
  void SetUp() override { guarded_->reset(); }

  static std::string url(const std::string& credentials) {
    return "redis://" + credentials + "@" + guarded_->address();
  }
  static inline std::unique_ptr<RedisServer> guarded_;
};

TEST_F(Authentication, WithAPassword) {
  EXPECT_EQ(attempt(url("sesame")).decision, Decision::granted);
}

TEST_F(Authentication, WithUserAndPassword) {
  EXPECT_EQ(attempt(url("alice:wonder")).decision, Decision::granted);
}

TEST_F(Authentication, WithUserPasswordDatabaseAndNameAtOnce) {
  LockOptions options = once();
  options.client_name = "all-at-once";
  EXPECT_EQ(attempt(url("alice:wonder") + "/3", options).decision, Decision::granted);
}

TEST_F(Authentication, OverAUnixSocket) {
  EXPECT_EQ(attempt("unix://alice:wonder@" + guarded_->unix_path()).decision, Decision::granted);
}

TEST_F(Authentication, AWrongPasswordIsATypedErrorThatDoesNotRepeatIt) {
  for (const std::string credentials :
       {"wrong-secret", "alice:wrong-secret", "nobody:wrong-secret"}) {
    const Attempt refused = attempt(url(credentials));
    expect_trouble(refused, Fault::auth, "AUTH was refused");
    EXPECT_EQ(refused.troubles.at(0).reason.find("wrong-secret"), std::string::npos);
    EXPECT_EQ(refused.troubles.at(0).server, guarded_->address());
  }
  EXPECT_EQ(guarded_->say({"DBSIZE"}), "0");
}

TEST_F(Authentication, WithoutAPasswordWhereOneIsNeeded) {
  expect_trouble(attempt(guarded_->address()), Fault::auth, "NOAUTH");
}

TEST_F(Authentication, AUserWithOnlyTheCommandsUsedCanLock) {
  Runtime runtime;
  LockOptions options = once();
  options.client_name = "little";
  LockManager locks(runtime.pool(), {parse_server(url("limited:little"))}, options);
  EXPECT_EQ(lock(runtime, locks, "q").decision, Decision::unreachable) << "outside its keys";
  EXPECT_EQ(lock(runtime, locks, "r").decision, Decision::granted);
}

TEST_F(Authentication, APasswordThatChangesUnderWayIsUsedByTheNextConnection) {
  Runtime runtime;
  LockManager locks(runtime.pool(), {parse_server(url("alice:wonder"))}, once());
  ASSERT_EQ(lock(runtime, locks, "a").decision, Decision::granted);
  guarded_->ask({"ACL", "SETUSER", "alice", "resetpass", ">other"});
  guarded_->ask({"CLIENT", "KILL", "USER", "alice"});
  runtime.pool().step(runtime.pool().clock().now() + kIdleLook);
  EXPECT_EQ(lock(runtime, locks, "b").decision, Decision::unreachable);
  guarded_->ask({"ACL", "SETUSER", "alice", "resetpass", ">wonder"});
  EXPECT_EQ(lock(runtime, locks, "c").decision, Decision::granted);
}

}  // namespace
}  // namespace redlock::connect_test
