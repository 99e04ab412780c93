// RedLock's facade: a lock's whole life over a fake network.
#include "redlock/locks/lock_manager.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_world.hpp"
#include "support/refusal.hpp"

namespace redlock::lock_manager_test {
namespace {

using test::FakeServer;
using test::FakeWorld;
using test::refusal;
using testing::HasSubstr;

constexpr Duration kTtl = Duration::ms(10'000);

class LockManagerTest : public FakeWorld {
 protected:
  // A lock of its own, with no trouble left over from the one before.
  Outcome lock_with(const std::vector<ServerSpec>& servers) {
    step_for(Duration::seconds(1));
    LockManager locks(pool_, servers, once());
    return lock(locks, "own" + std::to_string(++own_locks_));
  }
  bool held(LockManager& locks, const Token& token) {
    return pool_.run(locks.begin_check(Resource("r"), token)).decision == Decision::granted;
  }

 private:
  int own_locks_ = 0;
};

TEST_F(LockManagerTest, ALockIsTakenHeldExtendedAndReleased) {
  LockManager locks = manager(3);
  const Outcome taken = lock(locks);
  ASSERT_EQ(taken.decision, Decision::granted);
  EXPECT_TRUE(held(locks, taken.token));
  EXPECT_EQ(lock(locks).decision, Decision::denied);
  const OperationId extension = locks.begin_extend(Resource("r"), taken.token, kTtl * 2);
  const Outcome extended = pool_.run(extension);
  EXPECT_EQ(extended.decision, Decision::granted);
  EXPECT_GT(extended.validity, taken.validity);
  EXPECT_EQ(unlock(locks, taken.token).decision, Decision::granted);
  EXPECT_FALSE(held(locks, taken.token));
  EXPECT_EQ(lock(locks).decision, Decision::granted);
}

TEST_F(LockManagerTest, WhatIsNotOursIsNeitherHeldNorExtendedNorReleased) {
  LockManager locks = manager(3);
  const Outcome taken = lock(locks);
  const Token forged("forged");
  EXPECT_FALSE(held(locks, forged));
  EXPECT_EQ(pool_.run(locks.begin_extend(Resource("r"), forged, kTtl)).decision, Decision::denied);
  EXPECT_EQ(unlock(locks, forged).decision, Decision::denied);
  EXPECT_TRUE(held(locks, taken.token));
}

// As a signal handler does it.
TEST_F(LockManagerTest, WhatIsReleasedWhileItIsAskedAboutIsNeitherHeldNorExtended) {
  LockManager locks = manager(3);
  LockManager others = manager(3);
  const Outcome taken = lock(locks);
  const OperationId check = locks.begin_check(Resource("r"), taken.token);
  const OperationId extension = locks.begin_extend(Resource("r"), taken.token, kTtl);
  const OperationId other = locks.begin_check(Resource("q"), lock(locks, "q").token);
  while (!pool_.done(extension)) pool_.step(Instant::never());
  EXPECT_EQ(unlock(others, taken.token).decision, Decision::granted);
  EXPECT_EQ(pool_.run(check).decision, Decision::denied);
  EXPECT_EQ(pool_.run(extension).decision, Decision::denied);
  EXPECT_EQ(pool_.run(other).decision, Decision::granted);
}

TEST_F(LockManagerTest, WhatWasReleasedBeforeItIsAskedAboutIsTheServersToTell) {
  LockManager locks = manager(3);
  const Outcome taken = lock(locks);
  EXPECT_EQ(unlock(locks, taken.token).decision, Decision::granted);
  for (std::size_t i = 0; i < 3; ++i) server(i).keys["r"] = taken.token.view();
  EXPECT_TRUE(held(locks, taken.token));
}

TEST_F(LockManagerTest, ALockIsHandedOutWithWhatIsLeftOfItOrGivenBack) {
  LockManager locks = manager(3);
  const auto taken = [&](Duration meanwhile, Caller caller) {
    const OperationId id = locks.begin_lock(Resource("r"), kTtl);
    while (!pool_.done(id)) pool_.step(Instant::never());
    clock_.advance(meanwhile);
    return locks.collect_lock(id, Resource("r"), caller);
  };
  EXPECT_EQ(taken(kTtl, Caller::waits).decision, Decision::expired_unclaimed);
  EXPECT_EQ(taken(Duration(), Caller::left).decision, Decision::expired_unclaimed);
  const Outcome outcome = taken(Duration::ms(10), Caller::waits);
  ASSERT_EQ(outcome.decision, Decision::granted) << "both were given back";
  EXPECT_EQ(outcome.decided_at, clock_.now());
  EXPECT_LE(outcome.validity, kTtl - Duration::ms(10));
  EXPECT_EQ(unlock(locks, outcome.token).decision, Decision::granted);
}

TEST_F(LockManagerTest, AnExtensionThatWasOutlastedIsNotHandedOut) {
  LockManager locks = manager(3);
  const Outcome held = lock(locks);
  const OperationId id = locks.begin_extend(Resource("r"), held.token, kTtl);
  while (!pool_.done(id)) pool_.step(Instant::never());
  clock_.advance(kTtl);
  EXPECT_EQ(locks.collect_extension(id).decision, Decision::expired_unclaimed);
  EXPECT_EQ(server(0).keys.at("r"), held.token.view()) << "it is the holder's all the same";
}

TEST_F(LockManagerTest, AnExtensionIsOutlastedOnceNothingIsLeftOfItAndNotOneNanosecondBefore) {
  LockManager locks = manager(3);
  const Outcome held = lock(locks);
  for (const Duration left : {Duration::ns(1), Duration()}) {
    const OperationId id = locks.begin_extend(Resource("r"), held.token, kTtl);
    const Instant begun = clock_.now();
    while (!pool_.done(id)) pool_.step(Instant::never());
    clock_.advance_to(begun + validity_of(kTtl, Duration(), kDriftFactorDefault) - left);
    const Outcome extended = locks.collect_extension(id);
    EXPECT_EQ(extended.decision,
              left > Duration() ? Decision::granted : Decision::expired_unclaimed);
    EXPECT_EQ(extended.validity, left);
  }
}

TEST_F(LockManagerTest, ALockThatWasDeniedIsDeniedThoughItsCallerLeft) {
  LockManager locks = manager(3);
  ASSERT_EQ(lock(locks).decision, Decision::granted);
  const OperationId id = locks.begin_lock(Resource("r"), kTtl);
  while (!pool_.done(id)) pool_.step(Instant::never());
  EXPECT_EQ(locks.collect_lock(id, Resource("r"), Caller::left).decision, Decision::denied);
}

TEST_F(LockManagerTest, AnExtensionThatCameLateIsDeniedWhereTheLockWasGivenUpMeanwhile) {
  LockManager locks = manager(3);
  const Outcome held = lock(locks);
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(20);
  for (const bool given_up : {false, true}) {
    const OperationId id = locks.begin_extend(Resource("r"), held.token, Duration::ms(10));
    if (given_up) pool_.give_up(held.token);
    EXPECT_EQ(pool_.run(id).decision, given_up ? Decision::denied : Decision::expired_in_flight);
  }
}

TEST_F(LockManagerTest, WhereNothingWasAskedNothingIsUnanswered) {
  EXPECT_EQ(manager(3).unanswered_bytes(), 0U);
}

TEST_F(LockManagerTest, OnlyARefusalOfSeveralAttemptsIsLookedAt) {
  LockManager locks = manager(3, LockOptions{});
  LockManager hasty = manager(3);
  EXPECT_EQ(locks.begin_look_after(Resource("r"), lock(locks)), std::nullopt);
  const Outcome refused = lock(locks);
  ASSERT_EQ(refused.decision, Decision::denied);
  EXPECT_EQ(hasty.begin_look_after(Resource("r"), refused), std::nullopt);
  const auto look = locks.begin_look_after(Resource("r"), refused);
  ASSERT_NE(look, std::nullopt);
  EXPECT_EQ(pool_.run(*look).decision, Decision::denied);
  EXPECT_EQ(server(0).count("PTTL"), 1U);
}

TEST_F(LockManagerTest, AReleaseAsksAllServersAlsoAfterItsMajority) {
  LockManager locks = manager(5);
  const Outcome taken = lock(locks);
  unlock(locks, taken.token);
  step_for(Duration::ms(1));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(server(i).keys.empty()) << i;
}

TEST_F(LockManagerTest, BusyAndDownAreToldApart) {
  LockManager locks = manager(3);
  lock(locks);
  EXPECT_EQ(lock(locks).decision, Decision::denied);
  server(0).stopped = server(1).stopped = true;
  const Outcome outcome = lock(locks, "other");
  EXPECT_EQ(outcome.decision, Decision::unreachable);
  const auto troubles = locks.troubles(outcome);
  ASSERT_EQ(troubles.size(), 2U);
  EXPECT_EQ(troubles[0].server, "s0:6379");
  EXPECT_EQ(troubles[0].fault, Fault::timeout);
  EXPECT_EQ(troubles[0].reason, "no answer (timed out after 250 ms, its timeout)");
}

TEST_F(LockManagerTest, OneServerInTroubleIsListedThoughTheLockWasGranted) {
  server(1).reach = FakeServer::Reach::refuses;
  LockManager locks = manager(3);
  EXPECT_TRUE(locks.troubles(lock(locks, "a")).size() <= 1U);
  clock_.advance(Duration::ms(1));
  const auto troubles = locks.troubles(lock(locks, "b"));
  ASSERT_EQ(troubles.size(), 1U);
  EXPECT_EQ(troubles[0].server, "s1:6379");
  EXPECT_EQ(troubles[0].fault, Fault::connect);
  EXPECT_THAT(troubles[0].reason, HasSubstr("Connection refused"));
}

TEST_F(LockManagerTest, WhoHadNotAnsweredWhenNoMajorityWasLeftIsListed) {
  server(0).reach = server(2).reach = FakeServer::Reach::refuses;
  server(1).stopped = true;
  LockManager locks = manager(3);
  const auto troubles = locks.troubles(lock(locks));
  ASSERT_EQ(troubles.size(), 3U);
  EXPECT_EQ(troubles[1].server, "s1:6379");
  EXPECT_EQ(troubles[1].fault, Fault::unanswered);
  EXPECT_EQ(troubles[1].reason, "no answer yet");
}

TEST_F(LockManagerTest, OnlyACheckWaitsForTheReasonOfALoss) {
  server(1).say = [](const auto&) { return test::error("OOM command not allowed"); };
  server(2).stopped = true;
  LockManager locks = manager(3);
  const Instant start = clock_.now();
  // One denies and one cannot tell: no majority is left, and why is up to the third.
  EXPECT_EQ(unlock(locks, Token("t")).decision, Decision::denied);
  EXPECT_EQ(clock_.now(), start);
  const OperationId check = locks.begin_check(Resource("r"), Token("t"));
  EXPECT_EQ(pool_.run(check).decision, Decision::unreachable);
  EXPECT_EQ(clock_.now(), start + kTimeoutDefault);
}

TEST_F(LockManagerTest, WhoIsLeftAloneIsListedWithTheTroubleItIsLeftAloneFor) {
  server(0).stopped = true;
  LockManager locks = manager(3);
  lock(locks, "a");
  step_for(kTimeoutDefault + Duration::ms(1));
  const auto troubles = locks.troubles(lock(locks, "b"));
  ASSERT_EQ(troubles.size(), 1U);
  EXPECT_EQ(troubles[0].fault, Fault::timeout);
  EXPECT_EQ(troubles[0].reason, "no answer (timed out after 250 ms, its timeout)");
}

TEST_F(LockManagerTest, ATimeoutOfConnectingNeverShortensWhatAnswersMayTake) {
  auto servers = specs(1);
  servers[0].timeout = Duration::ms(10);
  server(0).answer_time = Duration::ms(30);
  EXPECT_EQ(lock_with(servers).decision, Decision::unreachable);
  servers[0].timeout_of_connecting = true;
  EXPECT_EQ(lock_with(servers).decision, Decision::granted);
  server(0).answer_time = Duration::ms(260);
  EXPECT_EQ(lock_with(servers).decision, Decision::unreachable);
  servers[0].timeout = Duration::ms(300);
  EXPECT_EQ(lock_with(servers).decision, Decision::granted);
}

TEST_F(LockManagerTest, AHostWithoutAddressSaysSo) {
  server(0).reach = FakeServer::Reach::refuses;
  server(0).refusal = Fault::resolve;
  LockManager locks = manager(1);
  EXPECT_EQ(locks.troubles(lock(locks)).at(0).fault, Fault::resolve);
}

TEST_F(LockManagerTest, HealthyServersAreNotListed) {
  LockManager locks = manager(3);
  EXPECT_TRUE(locks.troubles(lock(locks)).empty());
  EXPECT_TRUE(locks.troubles(lock(locks)).empty());
}

TEST_F(LockManagerTest, TheEmptyResourceCanBeLocked) {
  LockManager locks = manager(3);
  EXPECT_EQ(lock(locks, "").decision, Decision::granted);
}

TEST_F(LockManagerTest, SeveralResourcesAreLookedAtOneByOneAndNothingIsSent) {
  LockOptions twice = once();
  twice.retry = RetryPolicy::exact(2, Duration());
  LockManager locks = manager(3, twice);
  const Resources two({Resource("a"), Resource("b")});
  Outcome refused;
  refused.decision = Decision::denied;
  const std::string expected = "resource must be one, several given";
  EXPECT_EQ(refusal([&] { (void)locks.begin_inspect(two); }), expected);
  EXPECT_EQ(refusal([&] { (void)locks.begin_look_after(two, refused); }), expected);
  EXPECT_TRUE(server(0).log.empty());
}

TEST_F(LockManagerTest, TooManyResourcesOrOneTooLongAmongThemAreRefusedAndNothingIsSent) {
  LockManager locks = manager(3);
  std::vector<Resource> many;
  for (std::size_t i = 0; i <= kResourcesTogetherMax; ++i) many.emplace_back(std::to_string(i));
  EXPECT_EQ(refusal([&] { (void)locks.begin_lock(Resources(many), kTtl); }),
            "resources must be at most 16");
  const Resources one_too_long({Resource("a"), Resource(std::string(kResourceBytesMax + 1, 'x'))});
  EXPECT_EQ(refusal([&] { (void)locks.begin_lock(one_too_long, kTtl); }),
            "resources must be at most 65536 bytes long each");
  EXPECT_TRUE(server(0).log.empty());
}

TEST_F(LockManagerTest, TheClientNameIsGivenToEveryServer) {
  LockOptions options = once();
  options.client_name = "worker-7";
  LockManager locks = manager(3, options);
  lock(locks);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(server(i).log.at(1), (test::Arguments{"CLIENT", "SETNAME", "worker-7"})) << i;
  }
}

TEST(Rule02AFreshTokenPerAttempt, OnTheWireToo) {
  // A fixture of its own would clash with the algorithm's suite of the same rule.
  test::FakeClock clock;
  test::SeededEntropy entropy;
  test::FakeTransport transport(clock);
  Pool pool(transport, clock, entropy);
  transport.server("s0:6379").keys["r"] = "somebody else's";
  LockOptions options;
  options.retry = RetryPolicy::exact(20, Duration::ms(1));
  LockManager locks(pool, {parse_server("s0:6379")}, options);
  EXPECT_EQ(pool.run(locks.begin_lock(Resource("r"), kTtl)).decision, Decision::denied);
  std::set<std::string> tokens;
  for (const auto& request : transport.server("s0:6379").log) tokens.insert(request.at(2));
  EXPECT_EQ(tokens.size(), 20U);
}

TEST(Rule05AnErrorIsAVoteAgainst, OutOfMemoryOnAMajorityIsNoLockAndLeavesNoKey) {
  test::FakeClock clock;
  test::SeededEntropy entropy;
  test::FakeTransport transport(clock);
  Pool pool(transport, clock, entropy);
  std::vector<ServerSpec> servers;
  for (const char* name : {"s0:6379", "s1:6379", "s2:6379"}) {
    servers.push_back(parse_server(name));
    if (name[1] == '0') continue;
    transport.server(name).say = [](const test::Arguments& request) {
      return request[0] == "SET" ? std::optional(test::error("OOM command not allowed"))
                                 : std::nullopt;
    };
  }
  LockOptions options;
  options.retry = RetryPolicy::exact(1, Duration());
  LockManager locks(pool, servers, options);
  EXPECT_EQ(pool.run(locks.begin_lock(Resource("r"), kTtl)).decision, Decision::unreachable);
  EXPECT_TRUE(transport.server("s0:6379").keys.empty());
}

}  // namespace
}  // namespace redlock::lock_manager_test
