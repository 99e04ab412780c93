// PidLock's facade: arguments, the ledger, and what proof a release carries.
#include "redlock/locks/stamp_lock_manager.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "redlock/wire/scripts.hpp"
#include "support/fake_world.hpp"
#include "support/refusal.hpp"

namespace redlock::stamp_lock_manager_test {
namespace {

using test::FakeWorld;
using test::refusal;
using testing::HasSubstr;

constexpr Duration kLease = Duration::ms(1'000);
const Resource kKey("lock_pid:7");

class StampLockManagerTest : public FakeWorld {
 protected:
  StampLockManager stamps(StampOptions options = {}) {
    return {pool_, ledger_, specs(1)[0], std::move(options)};
  }
  Outcome take(StampLockManager& locks, Duration lease = kLease, Duration buffer = {}) {
    const RetryPolicy once = RetryPolicy::exact(1, Duration());
    const Outcome outcome = pool_.run(locks.begin_lock(kKey, lease, buffer, once));
    if (outcome.decision == Decision::granted) locks.note_taken(kKey, outcome);
    return outcome;
  }
  // The arguments of the latest script that the server ran, from the first ARGV on.
  test::Arguments latest_arguments() {
    const test::Arguments& request = server(0).log.back();
    return {request.begin() + 4, request.end()};
  }

  StampLedger ledger_;
};

TEST_F(StampLockManagerTest, AStampIsTakenHeldAndReleased) {
  StampLockManager locks = stamps();
  const Outcome taken = take(locks);
  ASSERT_EQ(taken.decision, Decision::granted);
  EXPECT_EQ(server(0).keys.at("lock_pid:7"), taken.token.view());
  EXPECT_EQ(take(locks).decision, Decision::denied);
  EXPECT_EQ(pool_.run(*locks.begin_check(kKey)).decision, Decision::granted);
  EXPECT_EQ(pool_.run(*locks.begin_release(kKey, Duration())).decision, Decision::granted);
  EXPECT_TRUE(server(0).keys.empty());
}

TEST_F(StampLockManagerTest, WhatIsNotInTheLedgerIsNeitherAskedForNorReleased) {
  StampLockManager locks = stamps();
  EXPECT_EQ(locks.begin_release(kKey, Duration()), std::nullopt);
  EXPECT_EQ(locks.begin_check(kKey), std::nullopt);
  EXPECT_EQ(locks.remaining(kKey), Duration());
  EXPECT_TRUE(server(0).log.empty());
}

TEST_F(StampLockManagerTest, WhoeverSharesTheLedgerCanRelease) {
  StampLockManager one = stamps();
  ASSERT_EQ(take(one).decision, Decision::granted);
  StampLockManager other = stamps();
  const auto release = other.begin_release(kKey, Duration());
  ASSERT_TRUE(release);
  EXPECT_EQ(pool_.run(*release).decision, Decision::granted);
  other.note_released(kKey, other.entry_of(kKey));
  EXPECT_EQ(one.begin_release(kKey, Duration()), std::nullopt);
}

TEST_F(StampLockManagerTest, AnotherServerOrDatabaseIsAnotherLock) {
  StampLockManager locks = stamps();
  ASSERT_EQ(take(locks).decision, Decision::granted);
  ServerSpec other = specs(1)[0];
  other.endpoint.database = 1;
  StampLockManager other_database(pool_, ledger_, other, {});
  EXPECT_EQ(other_database.begin_check(kKey), std::nullopt);
  StampLockManager other_server(pool_, ledger_, specs(2)[1], {});
  EXPECT_EQ(other_server.begin_check(kKey), std::nullopt);
}

TEST_F(StampLockManagerTest, TheLeaseLessDriftRunsOnTheLocalClockFromBeforeTheFirstByte) {
  transport_.send_time = Duration::ms(7);
  StampOptions options;
  options.drift_factor = 0.05;
  StampLockManager locks = stamps(options);
  const Instant before = clock_.now();
  ASSERT_EQ(take(locks, kLease, Duration::ms(500)).decision, Decision::granted);
  EXPECT_EQ(locks.remaining(kKey), before + Duration::ms(950) - clock_.now());
  clock_.advance(kLease);
  EXPECT_LT(locks.remaining(kKey), Duration());
}

TEST_F(StampLockManagerTest, WhatPassesBeforeATakeIsNotedIsLostToTheLease) {
  StampLockManager locks = stamps();
  const OperationId id = locks.begin_lock(kKey, kLease, {}, RetryPolicy::exact(1, Duration()));
  const Outcome taken = pool_.run(id);
  clock_.advance(Duration::ms(300));
  ASSERT_TRUE(locks.note_taken(kKey, taken));
  EXPECT_EQ(locks.remaining(kKey), taken.validity - Duration::ms(300));
}

TEST_F(StampLockManagerTest, ATakeWhoseLeaseIsOverIsNotNotedAndCanBeGivenBack) {
  StampLockManager locks = stamps();
  const OperationId id = locks.begin_lock(kKey, kLease, {}, RetryPolicy::exact(1, Duration()));
  const Outcome taken = pool_.run(id);
  clock_.advance(taken.validity);
  EXPECT_FALSE(locks.note_taken(kKey, taken));
  EXPECT_EQ(locks.entry_of(kKey), 0U);
  EXPECT_EQ(pool_.run(locks.begin_give_back(kKey, taken)).decision, Decision::granted);
  EXPECT_TRUE(server(0).keys.empty());
}

TEST_F(StampLockManagerTest, AnOlderTakeIsNotNotedOverANewerOneAndGivesBackOnlyItself) {
  StampLockManager locks = stamps();
  const RetryPolicy once = RetryPolicy::exact(1, Duration());
  const Outcome older = pool_.run(locks.begin_lock(kKey, kLease, {}, once));
  server(0).keys.clear();
  clock_.advance(Duration::ms(1));
  const Outcome newer = take(locks);
  EXPECT_FALSE(locks.note_taken(kKey, older));
  EXPECT_EQ(pool_.run(locks.begin_give_back(kKey, older)).decision, Decision::denied);
  EXPECT_EQ(server(0).keys.at("lock_pid:7"), newer.token.view());
  EXPECT_EQ(pool_.run(*locks.begin_check(kKey)).decision, Decision::granted);
}

TEST_F(StampLockManagerTest, WhatWasTakenDuringAReleaseStaysInTheLedger) {
  StampLockManager locks = stamps();
  ASSERT_EQ(take(locks).decision, Decision::granted);
  const StampLedger::Serial released = locks.entry_of(kKey);
  const OperationId release = *locks.begin_release(kKey, Duration());
  pool_.run(release);
  const Outcome again = take(locks);
  ASSERT_EQ(again.decision, Decision::granted);
  locks.note_released(kKey, released);
  EXPECT_GT(locks.remaining(kKey), Duration());
  ASSERT_EQ(pool_.run(*locks.begin_release(kKey, Duration())).decision, Decision::granted);
  EXPECT_TRUE(server(0).keys.empty());
}

// As a signal handler does it; the server says yes each time.
TEST_F(StampLockManagerTest, WhatIsGivenUpOrReplacedDuringACheckIsNotHeld) {
  StampLockManager locks = stamps();
  take(locks);
  const StampLedger::Serial checked = locks.entry_of(kKey);
  const auto check = [&](auto meanwhile) {
    const OperationId id = *locks.begin_check(kKey);
    while (!pool_.done(id)) pool_.step(Instant::never());
    meanwhile();
    return locks.collect_check(id, kKey, checked).decision;
  };
  EXPECT_EQ(check([] {}), Decision::granted);
  EXPECT_EQ(check([&] { pool_.collect(*locks.begin_release(kKey, Duration())); }),
            Decision::denied);
  server(0).keys.clear();
  take(locks);
  EXPECT_EQ(check([] {}), Decision::denied) << "another one stands there";
}

TEST_F(StampLockManagerTest, ALockThatIsTakenIsNotedOrGivenBack) {
  StampLockManager locks = stamps();
  const auto taken = [&](Duration meanwhile, Caller caller) {
    const RetryPolicy once = RetryPolicy::exact(1, Duration());
    const OperationId id = locks.begin_lock(kKey, kLease, {}, once);
    while (!pool_.done(id)) pool_.step(Instant::never());
    clock_.advance(meanwhile);
    return locks.collect_lock(id, kKey, caller).decision;
  };
  EXPECT_EQ(taken(kLease, Caller::waits), Decision::expired_unclaimed);
  EXPECT_EQ(taken(Duration(), Caller::left), Decision::expired_unclaimed);
  EXPECT_EQ(locks.entry_of(kKey), 0U);
  EXPECT_EQ(taken(Duration(), Caller::waits), Decision::granted) << "both were given back";
  EXPECT_GT(locks.remaining(kKey), Duration());
  EXPECT_EQ(taken(Duration(), Caller::waits), Decision::denied) << "it is held";
}

TEST_F(StampLockManagerTest, ATakenReleaseStrikesTheEntryUnlessTheServerWasSilent) {
  StampLockManager locks = stamps();
  take(locks);
  const StampLedger::Serial released = locks.entry_of(kKey);
  server(0).stopped = true;
  OperationId id = *locks.begin_release(kKey, Duration());
  while (!pool_.done(id)) pool_.step(Instant::never());
  EXPECT_EQ(locks.collect_release(id, kKey, released).decision, Decision::unreachable);
  EXPECT_EQ(locks.entry_of(kKey), released) << "another release may be tried";
  transport_.resume(server(0));
  clock_.advance(Duration::seconds(5));
  id = *locks.begin_release(kKey, Duration());
  while (!pool_.done(id)) pool_.step(Instant::never());
  locks.collect_release(id, kKey, released);
  EXPECT_EQ(locks.entry_of(kKey), 0U);
}

TEST_F(StampLockManagerTest, AReleaseThatNobodyConfirmedEndsTheTrustButMayBeTriedAgain) {
  StampLockManager locks = stamps();
  ASSERT_EQ(take(locks).decision, Decision::granted);
  transport_.drop_connections(server(0));
  server(0).reach = test::FakeServer::Reach::refuses;
  clock_.advance(kIdleLook);
  EXPECT_EQ(pool_.run(*locks.begin_release(kKey, Duration())).decision, Decision::unreachable);
  EXPECT_EQ(locks.remaining(kKey), Duration());
  EXPECT_EQ(locks.begin_check(kKey), std::nullopt);
  server(0).reach = test::FakeServer::Reach::accepts;
  clock_.advance(kBackoffMax);
  pool_.run(*locks.begin_release(kKey, Duration()));
  EXPECT_TRUE(server(0).keys.empty());
}

TEST_F(StampLockManagerTest, ASecondReleaseNeverTakesAPlainStampForItsOwn) {
  StampOptions options;
  options.mixed_fleet = true;
  StampLockManager locks = stamps(options);
  ASSERT_EQ(take(locks).decision, Decision::granted);
  pool_.run(*locks.begin_release(kKey, Duration()));
  EXPECT_EQ(latest_arguments().at(3), "1");
  pool_.run(*locks.begin_release(kKey, Duration()));
  EXPECT_EQ(latest_arguments().at(3), "0") << "an old client may hold the lock by now";
}

TEST_F(StampLockManagerTest, LocksThatAreLeftToExpireDoNotPileUp) {
  StampLockManager locks = stamps();
  const RetryPolicy once = RetryPolicy::exact(1, Duration());
  constexpr int kTakes = 1'000;
  for (int i = 0; i < kTakes; ++i) {
    const Resource key("lock_pid:" + std::to_string(i));
    locks.note_taken(key, pool_.run(locks.begin_lock(key, kLease, {}, once)));
    clock_.advance(Duration::ms(100));
  }
  EXPECT_LT(ledger_.size(), 20U) << "of a lease and its drift, 10 or 11 are alive at a time";
}

TEST_F(StampLockManagerTest, AnExactFleetNeverTakesAPlainStampForItsOwn) {
  StampLockManager locks = stamps();
  const Outcome taken = take(locks);
  pool_.run(*locks.begin_check(kKey));
  EXPECT_EQ(latest_arguments(), (test::Arguments{std::string(taken.token.view()), "0"}));
  pool_.run(*locks.begin_release(kKey, Duration::ms(3)));
  EXPECT_EQ(latest_arguments(),
            (test::Arguments{std::string(taken.token.view()), "3.000000", "1", "0"}));
}

TEST_F(StampLockManagerTest, AMixedFleetTakesAPlainStampForItsOwnOnlyWhileItsLeaseRuns) {
  StampOptions options;
  options.mixed_fleet = true;
  StampLockManager locks = stamps(options);
  const Outcome taken = take(locks);
  const Instant lease_end = taken.decided_at + taken.validity;
  clock_.advance_to(lease_end - Duration::ns(1));
  pool_.run(*locks.begin_check(kKey));
  EXPECT_EQ(latest_arguments(), (test::Arguments{std::string(taken.token.view()), "1"}));
  clock_.advance(Duration::ns(1));
  pool_.run(*locks.begin_check(kKey));
  EXPECT_EQ(latest_arguments(), (test::Arguments{std::string(taken.token.view()), "0"}));
  pool_.run(*locks.begin_release(kKey, Duration()));
  EXPECT_EQ(latest_arguments().at(3), "0");
}

TEST_F(StampLockManagerTest, ThatTheServerWasDownIsNoReasonToReleaseAPlainStampLater) {
  StampOptions options;
  options.mixed_fleet = true;
  StampLockManager locks = stamps(options);
  ASSERT_EQ(take(locks).decision, Decision::granted);
  transport_.drop_connections(server(0));
  server(0).reach = test::FakeServer::Reach::refuses;
  clock_.advance(kIdleLook);
  pool_.run(*locks.begin_release(kKey, Duration()));
  pool_.run(*locks.begin_release(kKey, Duration()));
  server(0).reach = test::FakeServer::Reach::accepts;
  clock_.advance(kBackoffMax);
  server(0).log.clear();
  pool_.run(locks.begin_lock(Resource("other"), kLease, {}, RetryPolicy::exact(1, Duration())));
  ASSERT_GE(server(0).log.size(), 2U);
  EXPECT_EQ(server(0).log.at(0).at(7), "0") << "an old client may hold the lock by now";
}

TEST_F(StampLockManagerTest, SecondsTravelAsSeconds) {
  StampOptions options;
  options.unit = StampUnit::seconds;
  StampLockManager locks = stamps(options);
  take(locks, kLease, Duration::ms(1));
  EXPECT_EQ(latest_arguments().at(0), "1001");
  EXPECT_EQ(latest_arguments().at(2), "1000");
}

TEST_F(StampLockManagerTest, RefusesTimesThatAreNone) {
  StampLockManager locks = stamps();
  const RetryPolicy once = RetryPolicy::exact(1, Duration());
  const auto refused = [&](Duration lease, Duration buffer, RetryPolicy retry) {
    return refusal([&] { pool_.collect(locks.begin_lock(kKey, lease, buffer, retry)); });
  };
  EXPECT_THAT(refused(Duration(), Duration(), once), HasSubstr("lock_timeout must be greater"));
  EXPECT_THAT(refused(Duration::ms(-1), Duration(), once), HasSubstr("lock_timeout"));
  EXPECT_THAT(refused(kLease, Duration::ms(-1), once), HasSubstr("buffer_time"));
  EXPECT_THAT(refused(kTtlMax, Duration::ns(1), once), HasSubstr("must be at most"));
  EXPECT_THAT(refused(Duration::max(), Duration::max(), once), HasSubstr("must be at most"));
  EXPECT_EQ(refused(kTtlMax, Duration(), once), "accepted");
  EXPECT_EQ(refused(Duration::ms(1), Duration(), once), "accepted");
  EXPECT_EQ(refused(kLease, Duration(), RetryPolicy::exact(2, kPauseMax)), "accepted");
  EXPECT_THAT(refused(kLease, Duration(), RetryPolicy::exact(2, Duration::ms(-1))),
              HasSubstr("sleep_time"));
  EXPECT_THAT(refused(kLease, Duration(), RetryPolicy::exact(2, kPauseMax + Duration::ns(1))),
              HasSubstr("sleep_time"));
}

TEST_F(StampLockManagerTest, RefusesALeaseOfWhichDriftLeavesNothingAndADriftThatIsNone) {
  StampOptions options;
  options.drift_factor = 0.9999999;
  StampLockManager locks = stamps(options);
  const RetryPolicy once = RetryPolicy::exact(1, Duration());
  EXPECT_THAT(refusal([&] { (void)locks.begin_lock(kKey, Duration::ms(1), {}, once); }),
              HasSubstr("lock_timeout is too small"));
  for (const double factor : {-0.1, 1.0, std::nan("")}) {
    options.drift_factor = factor;
    EXPECT_THAT(refusal([&] { stamps(options); }), HasSubstr("driftFactor")) << factor;
  }
}

TEST_F(StampLockManagerTest, RefusesKeysPastTheirBoundAndNegativeMargins) {
  StampLockManager locks = stamps();
  const Resource too_long(std::string(kResourceBytesMax + 1, 'x'));
  const RetryPolicy once = RetryPolicy::exact(1, Duration());
  EXPECT_THAT(refusal([&] { (void)locks.begin_lock(too_long, kLease, {}, once); }),
              HasSubstr("resource"));
  EXPECT_THAT(refusal([&] { static_cast<void>(locks.begin_check(too_long)); }),
              HasSubstr("resource"));
  EXPECT_THAT(refusal([&] { static_cast<void>(locks.begin_release(kKey, Duration::ms(-1))); }),
              HasSubstr("buffer_time"));
}

TEST_F(StampLockManagerTest, ServersInTroubleAreNamed) {
  server(0).stopped = true;
  StampLockManager locks = stamps();
  const Outcome outcome = take(locks);
  EXPECT_EQ(outcome.decision, Decision::unreachable);
  EXPECT_EQ(locks.troubles(outcome).at(0).server, "s0:6379");
}

TEST_F(StampLockManagerTest, AnUnansweredTakeIsUndoneByItsFraction) {
  server(0).stopped = true;
  StampLockManager locks = stamps();
  EXPECT_EQ(take(locks).decision, Decision::unreachable);
  transport_.resume(server(0));
  EXPECT_TRUE(server(0).keys.empty());
  EXPECT_EQ(server(0).log.size(), 2U);
}

// The connection is full, so that the release can neither be sent on it nor wait there.
TEST_F(StampLockManagerTest, AReleaseThatIsCarriedOverFromAnOverdueConnectionIsExact) {
  StampOptions options;
  options.mixed_fleet = true;
  StampLockManager locks = stamps(options);
  ASSERT_EQ(take(locks).decision, Decision::granted);
  server(0).stopped = true;
  LockManager others = manager(1);
  for (std::size_t i = 0; i < kAwaitedMax; ++i) {
    pool_.collect(others.begin_unlock(Resource("other"), Token("t")));
  }
  clock_.advance(kTimeoutDefault);
  const auto release = locks.begin_release(kKey, Duration());
  ASSERT_TRUE(release);
  step_for(Duration::ms(1));
  pool_.collect(*release);
  const std::size_t before = server(0).log.size();
  transport_.resume(server(0));
  std::vector<std::string> accepts_plain;
  for (std::size_t i = before; i < server(0).log.size(); ++i) {
    const test::Arguments& request = server(0).log[i];
    if (request.at(1) == scripts::stamp_release.text) accepts_plain.push_back(request.back());
  }
  // The operation's own takes the place of the one that was carried over, and its form.
  EXPECT_EQ(accepts_plain, std::vector<std::string>{"0"});
}

}  // namespace
}  // namespace redlock::stamp_lock_manager_test
