// The timestamp lock on a real server, alone and beside clients that run the documents' steps.
#include "redlock/locks/stamp_lock_manager.hpp"

#include <gtest/gtest.h>

#include "io/support/fleet.hpp"

namespace redlock::stamp_lock_test {
namespace {

using test::eventually;
using test::Fleet;

constexpr Duration kLease = Duration::seconds(60);
const Resource kKey("lock_pid:7");

class StampLock : public Fleet {
 protected:
  static StampOptions patient() {
    StampOptions options;
    options.timeout = test::kPatience;
    return options;
  }
  StampLockManager stamps(StampOptions options = patient()) {
    return {runtime_.pool(), ledger_, specs(1)[0], std::move(options)};
  }
  Outcome take(StampLockManager& locks, Duration lease = kLease,
               RetryPolicy retry = RetryPolicy::exact(1, Duration())) {
    const Outcome outcome =
        runtime_.pool().run(locks.begin_lock(kKey, lease, Duration::ms(1), retry));
    if (outcome.decision == Decision::granted) locks.note_taken(kKey, outcome);
    return outcome;
  }
  bool release(StampLockManager& locks, Duration margin = Duration::ms(3)) {
    const auto id = locks.begin_release(kKey, margin);
    return id && runtime_.pool().run(*id).decision == Decision::granted;
  }
  bool held(StampLockManager& locks) {
    const auto id = locks.begin_check(kKey);
    return id && runtime_.pool().run(*id).decision == Decision::granted;
  }
  static std::string say(const test::Arguments& arguments) { return server(0).say(arguments); }
  static std::string stored() { return say({"GET", "lock_pid:7"}); }
  static void store(const std::string& value) { say({"SET", "lock_pid:7", value}); }
  static std::int64_t server_now_ms() {
    const auto time = server(0).ask({"TIME"}).elements;
    return std::stoll(time.at(0).text) * 1'000 + std::stoll(time.at(1).text) / 1'000;
  }

  Runtime runtime_;
  StampLedger ledger_;
};

TEST_F(StampLock, IsTakenHeldAndReleased) {
  StampLockManager locks = stamps();
  const std::int64_t before_ms = server_now_ms();
  const Outcome taken = take(locks);
  ASSERT_EQ(taken.decision, Decision::granted);
  EXPECT_EQ(stored(), taken.token.view());
  const std::int64_t stamp_ms = std::stoll(std::string(taken.token.view()));
  EXPECT_GE(stamp_ms, before_ms + 60'001);
  EXPECT_LE(stamp_ms, server_now_ms() + 60'001);
  EXPECT_EQ(taken.token.view().size(), 13 + 1 + kStampFractionDigits);
  EXPECT_TRUE(held(locks));
  EXPECT_EQ(take(locks).decision, Decision::denied);
  EXPECT_TRUE(release(locks));
  EXPECT_EQ(stored(), "nil");
}

TEST_F(StampLock, EndsByItself) {
  StampLockManager locks = stamps();
  ASSERT_EQ(take(locks, Duration::ms(50)).decision, Decision::granted);
  EXPECT_TRUE(eventually([] { return stored() == "nil"; }));
  EXPECT_FALSE(held(locks));
}

TEST_F(StampLock, AWaiterGetsItWhenTheLeaseIsOver) {
  StampLockManager locks = stamps();
  ASSERT_EQ(take(locks, Duration::ms(80)).decision, Decision::granted);
  const RetryPolicy patient = RetryPolicy::exact(1'000, Duration::ms(5));
  EXPECT_EQ(take(locks, kLease, patient).decision, Decision::granted);
}

TEST_F(StampLock, AttemptsAreCountedAndPausesLieBetweenThem) {
  store(std::to_string(server_now_ms() + 60'000));
  StampLockManager locks = stamps();
  const RetryPolicy three = RetryPolicy::exact(3, Duration::ms(20));
  double took_ms = 0;
  took_ms =
      test::real_ms([&] { EXPECT_EQ(take(locks, kLease, three).decision, Decision::denied); });
  EXPECT_GE(took_ms, 40);
  EXPECT_LT(took_ms, 400);
  EXPECT_EQ(server(0).calls("eval") + server(0).calls("evalsha"), 3U);
}

TEST_F(StampLock, AnOldClientsLiveStampIsRespectedAndItsExpiredOneStolen) {
  StampLockManager locks = stamps();
  const std::string live = std::to_string(server_now_ms() + 60'000);
  store(live);
  EXPECT_EQ(take(locks).decision, Decision::denied);
  EXPECT_EQ(stored(), live);
  store(std::to_string(server_now_ms() - 1));
  EXPECT_EQ(take(locks).decision, Decision::granted);
}

TEST_F(StampLock, AnOldClientIsKeptOutAndComesInAfterTheRelease) {
  StampLockManager locks = stamps();
  ASSERT_EQ(take(locks).decision, Decision::granted);
  const std::string theirs = std::to_string(server_now_ms() + 60'000);
  EXPECT_EQ(say({"SETNX", "lock_pid:7", theirs}), "0");
  EXPECT_LT(static_cast<double>(server_now_ms()), std::stod(stored()));
  ASSERT_TRUE(release(locks));
  EXPECT_EQ(say({"SETNX", "lock_pid:7", theirs}), "1");
}

TEST_F(StampLock, AStampThatAnOldClientOverwroteIsLeftToExpire) {
  StampLockManager locks = stamps();
  ASSERT_EQ(take(locks).decision, Decision::granted);
  const std::string theirs = std::to_string(server_now_ms() + 60'000);
  say({"GETSET", "lock_pid:7", theirs});
  EXPECT_FALSE(held(locks));
  EXPECT_FALSE(release(locks));
  EXPECT_EQ(stored(), theirs);
}

TEST_F(StampLock, InAMixedFleetAnOverwrittenStampIsStillOurs) {
  StampOptions mixed = patient();
  mixed.mixed_fleet = true;
  StampLockManager locks = stamps(mixed);
  ASSERT_EQ(take(locks).decision, Decision::granted);
  say({"GETSET", "lock_pid:7", std::to_string(server_now_ms() + 60'000)});
  EXPECT_TRUE(held(locks));
  EXPECT_TRUE(release(locks));
  EXPECT_EQ(stored(), "nil");
}

TEST_F(StampLock, EvenAMixedFleetLeavesAnotherNativeClientsStampAlone) {
  StampOptions mixed = patient();
  mixed.mixed_fleet = true;
  StampLockManager locks = stamps(mixed);
  ASSERT_EQ(take(locks).decision, Decision::granted);
  const std::string theirs = std::to_string(server_now_ms() + 60'000) + ".123";
  store(theirs);
  EXPECT_FALSE(held(locks));
  EXPECT_FALSE(release(locks));
  EXPECT_EQ(stored(), theirs);
}

TEST_F(StampLock, WhoDoesNotHoldItReleasesNothing) {
  StampLockManager holder = stamps();
  const Outcome taken = take(holder);
  StampLedger empty;
  StampLockManager other(runtime_.pool(), empty, specs(1)[0], patient());
  EXPECT_EQ(other.begin_release(kKey, Duration()), std::nullopt);
  EXPECT_EQ(stored(), taken.token.view());
}

TEST_F(StampLock, WithinTheMarginItIsLeftToExpire) {
  StampLockManager locks = stamps();
  ASSERT_EQ(take(locks, Duration::seconds(5)).decision, Decision::granted);
  EXPECT_FALSE(release(locks, Duration::seconds(6)));
  EXPECT_NE(stored(), "nil");
  EXPECT_TRUE(release(locks, Duration::ms(3)));
}

TEST_F(StampLock, WhatIsNoTimestampIsForeignAndStays) {
  StampLockManager locks = stamps();
  store("hello");
  const Outcome outcome = take(locks, kLease, RetryPolicy::exact(5, Duration::ms(1)));
  EXPECT_EQ(outcome.decision, Decision::foreign);
  EXPECT_EQ(locks.troubles(outcome).at(0).reason, "the value is no timestamp");
  EXPECT_EQ(stored(), "hello");
  say({"DEL", "lock_pid:7"});
  say({"LPUSH", "lock_pid:7", "x"});
  EXPECT_EQ(take(locks).decision, Decision::foreign);
  EXPECT_EQ(say({"LLEN", "lock_pid:7"}), "1");
}

TEST_F(StampLock, SecondsAreReadAndWrittenAsSeconds) {
  StampOptions seconds = patient();
  seconds.unit = StampUnit::seconds;
  StampLockManager locks = stamps(seconds);
  ASSERT_EQ(take(locks).decision, Decision::granted);
  EXPECT_NEAR(std::stod(stored()), static_cast<double>(server_now_ms()) / 1'000 + 60, 2);
  EXPECT_TRUE(release(locks));
  store(std::to_string(server_now_ms() / 1'000 + 10));
  EXPECT_EQ(take(locks).decision, Decision::denied);
  store(std::to_string(server_now_ms() / 1'000 - 2));
  EXPECT_EQ(take(locks).decision, Decision::granted);
}

TEST_F(StampLock, AScriptThatTheServerForgotIsSentAgain) {
  StampLockManager locks = stamps();
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_EQ(take(locks).decision, Decision::granted) << turn;
    say({"SCRIPT", "FLUSH"});
    ASSERT_TRUE(held(locks)) << turn;
    ASSERT_TRUE(release(locks)) << turn;
  }
}

TEST_F(StampLock, AnUnansweredTakeIsUndoneWhenTheServerGoesOn) {
  StampOptions impatient;
  impatient.timeout = Duration::ms(30);
  StampLockManager locks = stamps(impatient);
  server(0).stop();
  EXPECT_EQ(take(locks).decision, Decision::unreachable);
  server(0).go_on();
  EXPECT_TRUE(eventually([] { return server(0).calls("eval") >= 2; }));
  EXPECT_EQ(stored(), "nil");
}

TEST_F(StampLock, ADeadServerIsUnreachableAndALateReleaseHarmless) {
  StampLockManager locks = stamps();
  ASSERT_EQ(take(locks).decision, Decision::granted);
  server(0).kill9();
  EXPECT_FALSE(release(locks));
  EXPECT_EQ(take(locks).decision, Decision::unreachable);
  server(0).start();
  EXPECT_EQ(take(locks).decision, Decision::granted);
}

}  // namespace
}  // namespace redlock::stamp_lock_test
