// The guard in a pool: who has a vote, who is looked at again and when, and what costs nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_world.hpp"
#include "support/listening.hpp"

namespace redlock::guard_test {
namespace {

using test::Arguments;
using testing::HasSubstr;

class GuardTest : public test::FakeWorld {
 protected:
  struct Told {
    int uptime_s = 1'000;
    std::string run_id;
    std::string role = "master";
    std::string policy = "noeviction";
  };
  GuardTest() {
    for (std::size_t i = 0; i < 3; ++i) {
      told_[i].run_id = "id-" + std::to_string(i);
      server(i).say = [this, i](const Arguments& request) -> std::optional<std::string> {
        if (request.front() != "INFO") return std::nullopt;
        const std::string text = info(told_[i]);
        return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
      };
    }
  }
  static std::string info(const Told& told) {
    return "redis_version:7.0.0\r\nrun_id:" + told.run_id +
           "\r\nuptime_in_seconds:" + std::to_string(told.uptime_s) +
           "\r\nmaxmemory:1\r\nmaxmemory_policy:" + told.policy + "\r\nrole:" + told.role + "\r\n";
  }
  static LockOptions guarded(Guard guard = Guard::all()) {
    LockOptions options = once();
    options.guard = guard;
    return options;
  }
  std::string trouble(LockManager& locks, const Outcome& outcome) {
    const auto troubles = locks.troubles(outcome);
    return troubles.empty() ? "none" : troubles.front().reason;
  }

  std::array<Told, 3> told_;
};

TEST_F(GuardTest, AsksOncePerConnectionAndNothingPerCall) {
  LockManager locks = manager(3, guarded());
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(lock(locks, "r" + std::to_string(i)).decision, Decision::granted);
  }
  step_for(Duration::ms(10));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(server(i).count("INFO"), 1U);
}

TEST_F(GuardTest, WithoutItNobodyAsks) {
  LockManager locks = manager(3);
  lock(locks);
  EXPECT_EQ(server(0).count("INFO"), 0U);
}

TEST_F(GuardTest, AMajorityWithoutVotesIsNoMajority) {
  told_[0].uptime_s = told_[1].uptime_s = 12;
  LockManager locks = manager(3, guarded());
  const Outcome refused = lock(locks);
  EXPECT_EQ(refused.decision, Decision::unreachable);
  EXPECT_THAT(trouble(locks, refused), HasSubstr("guard: restarted 12 s ago"));
  step_for(Duration::ms(10));
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(server(i).count("SET"), 0U);
  EXPECT_TRUE(server(2).keys.empty());
}

TEST_F(GuardTest, OneWithoutAVoteCostsNothingButItsVote) {
  told_[1].policy = "allkeys-lru";
  LockManager locks = manager(3, guarded());
  const Outcome taken = lock(locks);
  EXPECT_EQ(taken.decision, Decision::granted);
  EXPECT_TRUE(server(1).keys.empty());
}

TEST_F(GuardTest, AYoungServerIsLookedAtAgainWhenItMayBeOldEnoughAndNotBefore) {
  told_[0].uptime_s = 12;
  LockManager locks = manager(1, guarded());
  EXPECT_EQ(lock(locks).decision, Decision::unreachable);
  clock_.advance(Duration::seconds(48));
  told_[0].uptime_s = 60;
  EXPECT_EQ(lock(locks).decision, Decision::unreachable);
  EXPECT_EQ(server(0).count("INFO"), 1U);
  clock_.advance(Duration::seconds(1));
  told_[0].uptime_s = 61;
  EXPECT_EQ(lock(locks).decision, Decision::granted);
  EXPECT_EQ(server(0).count("INFO"), 2U);
}

TEST_F(GuardTest, WhoAsksAServerWithoutAVoteIsToldAtOnce) {
  told_[0].role = "slave";
  LockManager locks = manager(1, guarded());
  EXPECT_EQ(lock(locks).decision, Decision::unreachable);
  const Instant asked_again = clock_.now();
  EXPECT_THAT(trouble(locks, lock(locks)), HasSubstr("guard: "));
  EXPECT_LT(clock_.now() - asked_again, kTimeoutDefault);
}

TEST_F(GuardTest, WhatIsMendedIsNoticedWithinASecond) {
  told_[0].role = "slave";
  LockManager locks = manager(1, guarded());
  EXPECT_EQ(lock(locks).decision, Decision::unreachable);
  told_[0].role = "master";
  EXPECT_EQ(lock(locks).decision, Decision::unreachable);
  clock_.advance(kLookAgainAfter);
  EXPECT_EQ(lock(locks).decision, Decision::granted);
}

TEST_F(GuardTest, ANewConnectionAsksAgain) {
  LockManager locks = manager(1, guarded());
  EXPECT_EQ(lock(locks, "a").decision, Decision::granted);
  transport_.drop_connections(server(0));
  told_[0].uptime_s = 0;
  clock_.advance(kIdleLook);
  EXPECT_EQ(lock(locks, "b").decision, Decision::unreachable);
}

TEST_F(GuardTest, AReleaseIsDeliveredToAServerWithoutAVote) {
  LockManager locks = manager(1, guarded());
  const Outcome taken = lock(locks);
  transport_.drop_connections(server(0));
  told_[0].role = "slave";
  clock_.advance(kIdleLook);
  EXPECT_EQ(lock(locks, "other").decision, Decision::unreachable);
  EXPECT_EQ(unlock(locks, taken.token).decision, Decision::granted);
  EXPECT_TRUE(server(0).keys.empty());
}

TEST_F(GuardTest, AnExtendIsNoVoteThere) {
  LockManager locks = manager(1, guarded());
  const Outcome taken = lock(locks);
  transport_.drop_connections(server(0));
  told_[0].role = "slave";
  clock_.advance(kIdleLook);
  const auto extend = locks.begin_extend(Resource("r"), taken.token, Duration::seconds(10));
  EXPECT_EQ(pool_.run(extend).decision, Decision::unreachable);
}

TEST_F(GuardTest, AVoteThatIsPublishedByAServerWithoutOneCountsForNothing) {
  const LockOptions options = guarded();
  const ServerPlan plan(specs(1), {}, "", nullptr, {options.guard, options.longest_ttl, {}});
  LockManager locks = manager(1, options);
  ASSERT_EQ(lock(locks, "a").decision, Decision::granted);
  test::Told heard;
  (void)pool_.begin(std::make_unique<test::Listening>(heard, 1, Token("tok")), plan.bind(pool_));
  step_for(Duration::ms(1));
  transport_.publish(server(0), heard.channel(0), "granted 1 tok");
  step_for(Duration::ms(1));
  EXPECT_EQ(heard.pushes.size(), 1U);
  transport_.drop_connections(server(0));
  told_[0].role = "slave";
  clock_.advance(kIdleLook);
  step_for(Duration::seconds(1));
  EXPECT_EQ(lock(locks, "b").decision, Decision::unreachable);
  step_for(Duration::seconds(1));
  ASSERT_EQ(transport_.publish(server(0), heard.channel(0), "granted 2 tok"), 1U);
  step_for(Duration::ms(1));
  EXPECT_EQ(heard.pushes.size(), 1U);
}

TEST_F(GuardTest, OneServerOfTwoNamesHasOneVoteAndBothAreNamed) {
  told_[1].run_id = told_[0].run_id;
  LockManager locks = manager(2, guarded());
  const Outcome refused = lock(locks);
  EXPECT_EQ(refused.decision, Decision::unreachable);
  const auto troubles = locks.troubles(refused);
  ASSERT_FALSE(troubles.empty());
  EXPECT_EQ(troubles.back().server, name(1));
  EXPECT_THAT(troubles.back().reason, HasSubstr("the same server as " + name(0)));
}

TEST_F(GuardTest, WhoHadTheVoteLatelyIsStillTheOne) {
  told_[1].run_id = told_[0].run_id;
  LockManager locks = manager(3, guarded());
  EXPECT_EQ(lock(locks, "a").decision, Decision::granted);
  transport_.drop_connections(server(0));
  server(0).reach = test::FakeServer::Reach::refuses;
  clock_.advance(Duration::seconds(2));
  EXPECT_EQ(lock(locks, "b").decision, Decision::unreachable);
  clock_.advance(kLongestTtlDefault);
  EXPECT_EQ(lock(locks, "c").decision, Decision::granted);
}

TEST_F(GuardTest, AnIdOfAnotherListIsNoDuplicate) {
  told_[1].run_id = told_[0].run_id;
  LockManager one(pool_, {parse_server(name(0))}, guarded());
  LockManager other(pool_, {parse_server(name(1))}, guarded());
  EXPECT_EQ(lock(one).decision, Decision::granted);
  EXPECT_EQ(lock(other).decision, Decision::granted);
}

TEST_F(GuardTest, ARefusalOfInfoIsAReason) {
  server(0).say = [](const Arguments& request) -> std::optional<std::string> {
    if (request.front() != "INFO") return std::nullopt;
    return "-NOPERM no\r\n";
  };
  LockManager locks = manager(1, guarded());
  const Outcome refused = lock(locks);
  EXPECT_EQ(refused.decision, Decision::unreachable);
  EXPECT_EQ(trouble(locks, refused), "guard: INFO was refused: NOPERM no");
}

TEST_F(GuardTest, SilenceToItIsATimeOutOfConnecting) {
  server(0).say = [](const Arguments& request) -> std::optional<std::string> {
    if (request.front() != "INFO") return std::nullopt;
    return "";
  };
  LockManager locks = manager(1, guarded());
  const Outcome refused = lock(locks);
  EXPECT_EQ(refused.decision, Decision::unreachable);
  EXPECT_THAT(trouble(locks, refused), HasSubstr("connectTimeout"));
  EXPECT_EQ(server(0).count("SET"), 0U);
}

TEST_F(GuardTest, ALockThatLastsLongerThanThatIsRefusedInEveryVerb) {
  LockManager locks = manager(1, guarded());
  const Duration longer = kLongestTtlDefault + Duration::ms(1);
  EXPECT_THROW((void)locks.begin_lock(Resource("r"), longer), ArgumentError);
  EXPECT_THROW((void)locks.begin_wait(Resource("r"), longer, Duration::seconds(1), 20),
               ArgumentError);
  EXPECT_THROW((void)locks.begin_extend(Resource("r"), Token("t"), longer), ArgumentError);
  LockManager others = manager(1, guarded({false, true, true, true}));
  EXPECT_EQ(lock(others, "r", longer).decision, Decision::granted);
}

TEST_F(GuardTest, ALongestTtlIsATime) {
  LockOptions options = guarded();
  options.longest_ttl = Duration();
  EXPECT_THROW(manager(1, options), ArgumentError);
}

}  // namespace
}  // namespace redlock::guard_test
