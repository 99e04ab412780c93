// A removal that its server refuses for the time being is repeated when the server is well again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "redlock/wire/server_errors.hpp"
#include "support/refusing_world.hpp"

namespace redlock::refused_removals_test {
namespace {

using test::Arguments;
using test::FakeServer;

using test::kLoading;
using test::Rule14RefusedRemovals;

// AUTH and what is asked go out in one write.
TEST_F(Rule14RefusedRemovals, WhatTravelledBehindARefusedPasswordIsRepeatedOnceItIsAccepted) {
  std::vector<ServerSpec> servers = specs(3);
  for (ServerSpec& spec : servers) spec.endpoint.password = "secret";
  LockManager locks(pool_, servers, once());
  server(2).say = [](const Arguments& request) {
    return request[0] == "AUTH" ? "-WRONGPASS invalid username-password pair\r\n"
                                : "-NOAUTH Authentication required.\r\n";
  };
  release(locks);
  const std::size_t asked = removals();
  clock_.advance(Duration::seconds(1));
  call(locks);
  EXPECT_EQ(removals(), asked);
  third_is_well();
  clock_.advance(Duration::seconds(1));
  call(locks);
  EXPECT_FALSE(third_holds());
}

// Passwords are changed: who asks with the new one asks another node, and nobody uses the old one.
TEST_F(Rule14RefusedRemovals, BehindARefusedPasswordTheyHaveTheirMinuteAndNoLonger) {
  {
    std::vector<ServerSpec> servers = specs(3);
    for (ServerSpec& spec : servers) spec.endpoint.password = "secret";
    LockManager locks(pool_, servers, once());
    server(2).say = [](const Arguments& request) {
      return request[0] == "AUTH" ? "-WRONGPASS invalid username-password pair\r\n"
                                  : "-NOAUTH Authentication required.\r\n";
    };
    release(locks);
  }
  const auto requests_for = [&](Duration span) {
    for (Duration passed; passed < span; passed = passed + Duration::seconds(1)) {
      clock_.advance(Duration::seconds(1));
      pool_.deliver();
      step_for(Duration::ms(1));
    }
  };
  requests_for(kOwedFor);
  const std::size_t asked = removals();
  const std::size_t opened = server(2).connections_opened;
  EXPECT_GT(asked, 1U);
  requests_for(Duration::seconds(300));
  EXPECT_EQ(removals(), asked);
  EXPECT_EQ(server(2).connections_opened, opened);
}

// A server that was taken out of service is not sought for as long as the process lives.
TEST_F(Rule14RefusedRemovals, AServerThatNobodyUsesAnyMoreIsOwedNothingAfterAMinute) {
  {
    LockManager locks = manager(3);
    server(2).reach = FakeServer::Reach::refuses;
    for (std::size_t i = 0; i < 3; ++i) server(i).keys["r"] = "t";
    ASSERT_EQ(unlock(locks, Token("t")).decision, Decision::granted);
  }
  const auto requests_for = [&](Duration span) {
    for (Duration passed; passed < span; passed = passed + Duration::seconds(1)) {
      clock_.advance(Duration::seconds(1));
      pool_.deliver();
      pool_.close_idle(kIdleLimitDefault);
      step_for(Duration::ms(1));
    }
  };
  requests_for(kOwedFor);
  const std::size_t opened = server(2).connections_opened;
  EXPECT_GT(opened, 30U);
  requests_for(Duration::seconds(300));
  EXPECT_LE(server(2).connections_opened, opened + 2);
}

// A program that asks until it is told so.
TEST_F(Rule14RefusedRemovals, AReleaseThatIsTriedAgainAndAgainDrivesOutNoOther) {
  LockManager locks = manager(3);
  third_refuses(kLoading);
  release(locks, "other");
  for (std::size_t i = 0; i < kCarriedMax; ++i) release(locks, "r");
  third_is_well();
  clock_.advance(kRepeatPause);
  call(locks);
  EXPECT_FALSE(third_holds());
  EXPECT_FALSE(third_holds("other"));
}

// The removal is the last word on a connection that nobody reads any more.
class Rule14LastWordsBehindNonsense : public Rule14RefusedRemovals {
 protected:
  void third_talks_nonsense(const std::string& about_removals) {
    server(2).say = [this, about_removals](const Arguments& request) {
      if (request[0] != "SET") return about_removals;
      server(2).keys[request[1]] = request[2];
      return std::string("*0\r\n");
    };
  }
  void lose_an_attempt(LockManager& locks) {
    server(0).keys["r"] = server(1).keys["r"] = "somebody else's";
    ASSERT_EQ(lock(locks).decision, Decision::denied);
    step_for(Duration::ms(1));
    ASSERT_TRUE(third_holds());
  }
};

TEST_F(Rule14LastWordsBehindNonsense, AreSaidAgainForTheServerMayHaveRefusedThem) {
  LockManager locks = manager(3);
  third_talks_nonsense("-BUSY Redis is busy running a script.\r\n");
  lose_an_attempt(locks);
  clock_.advance(Duration::seconds(1));
  third_is_well();
  call(locks);
  EXPECT_FALSE(third_holds());
}

TEST_F(Rule14LastWordsBehindNonsense, AreSaidAgainOnlyOnce) {
  LockManager locks = manager(3);
  third_talks_nonsense("*0\r\n");
  lose_an_attempt(locks);
  for (int i = 0; i < 5; ++i) {
    clock_.advance(Duration::seconds(1));
    call(locks);
  }
  const auto of_it = [](const Arguments& request) {
    return request[0] == "EVAL" && request[3] == "r";
  };
  EXPECT_EQ(std::ranges::count_if(server(2).log, of_it), 2);
}

class Rule14PassingErrors : public Rule14RefusedRemovals,
                            public testing::WithParamInterface<std::string> {};

TEST_P(Rule14PassingErrors, LeaveNothingOnTheServerOnceTheyHavePassed) {
  LockManager locks = manager(3);
  third_refuses(GetParam());
  release(locks);
  clock_.advance(Duration::seconds(1));
  third_is_well();
  call(locks);
  EXPECT_FALSE(third_holds());
}

INSTANTIATE_TEST_SUITE_P(
    All, Rule14PassingErrors,
    testing::Values(kLoading, "BUSY Redis is busy running a script.",
                    "MISCONF Redis is configured to save RDB snapshots",
                    "MASTERDOWN Link with MASTER is down", "NOREPLICAS Not enough good replicas",
                    "READONLY You can't write against a read only replica.",
                    "OOM command not allowed", "CLUSTERDOWN Hash slot not served",
                    "NOAUTH Authentication required.", "ERR max number of clients reached"));

TEST_F(Rule14RefusedRemovals, TheUndoOfALostAttemptIsRepeatedToo) {
  LockManager locks = manager(3);
  server(0).keys["r"] = server(1).keys["r"] = "somebody else's";
  server(2).say = [](const Arguments& request) -> std::optional<std::string> {
    if (request[0] == "SET") return std::nullopt;
    return "-" + kLoading + "\r\n";
  };
  ASSERT_EQ(lock(locks).decision, Decision::denied);
  step_for(Duration::ms(1));
  ASSERT_TRUE(third_holds());
  clock_.advance(Duration::seconds(1));
  third_is_well();
  call(locks);
  EXPECT_FALSE(third_holds());
}

TEST_F(Rule14RefusedRemovals, ErrorsThatDoNotPassAreTheEndOfThem) {
  LockManager locks = manager(3);
  third_refuses("NOPERM this user has no permissions to run the 'get' command");
  release(locks);
  clock_.advance(Duration::seconds(1));
  third_is_well();
  const std::size_t before = removals();
  call(locks);
  EXPECT_EQ(removals(), before);
}

TEST_F(Rule14RefusedRemovals, AServerThatGoesOnRefusingIsNotAskedAgainAndAgain) {
  LockManager locks = manager(3);
  third_refuses(kLoading);
  release(locks);
  const std::size_t before = removals();
  for (int i = 0; i < 20; ++i) call(locks);
  EXPECT_EQ(removals(), before);
}

TEST_F(Rule14RefusedRemovals, AServerThatRefusesOnlyRemovalsIsAskedAtMostOnceAPause) {
  LockManager locks = manager(3);
  third_refuses(kLoading);
  release(locks);
  third_refuses_only_removals();
  const std::size_t before = removals();
  clock_.advance(kRepeatPause - Duration::ms(10));
  call(locks);
  EXPECT_EQ(removals(), before);
  clock_.advance(Duration::ms(10));
  for (int i = 0; i < 3; ++i) call(locks);
  EXPECT_EQ(removals(), before + 1);
}

TEST_F(Rule14RefusedRemovals, HoweverOftenTheyAreRefusedTheyHaveTheirMinute) {
  LockManager locks = manager(3);
  third_refuses(kLoading);
  release(locks);
  third_refuses_only_removals();
  const std::size_t before = removals();
  for (int second = 0; second < 30; ++second) {
    clock_.advance(Duration::seconds(1));
    call(locks);
  }
  EXPECT_GE(removals(), before + 29);
  third_is_well();
  clock_.advance(Duration::seconds(1));
  call(locks);
  EXPECT_FALSE(third_holds());
}

TEST_F(Rule14RefusedRemovals, AfterAMinuteItIsOverForThem) {
  LockManager locks = manager(3);
  third_refuses(kLoading);
  release(locks, "old");
  clock_.advance(kOwedFor - Duration::ms(10));
  release(locks, "young");
  clock_.advance(Duration::ms(10));
  third_is_well();
  clock_.advance(kRepeatPause);
  call(locks);
  EXPECT_FALSE(third_holds("young"));
  EXPECT_TRUE(third_holds("old"));
}

TEST_F(Rule14RefusedRemovals, ARepetitionDoesNotMakeTheirTimeLonger) {
  LockManager locks = manager(3);
  third_refuses(kLoading);
  release(locks);
  // At the end of each request they are tried again.
  for (Duration passed; passed < kOwedFor; passed = passed + Duration::seconds(5)) {
    clock_.advance(Duration::seconds(5));
    pool_.deliver();
    step_for(Duration::ms(1));
  }
  third_is_well();
  clock_.advance(kRepeatPause);
  call(locks);
  EXPECT_TRUE(third_holds());
}

TEST_F(Rule14RefusedRemovals, PastTheBoundTheNewestAreKept) {
  LockManager locks = manager(3);
  third_refuses(kLoading);
  for (std::size_t i = 0; i < kCarriedMax + 1; ++i) release(locks, "r" + std::to_string(i));
  third_is_well();
  clock_.advance(kRepeatPause);
  call(locks);
  EXPECT_TRUE(third_holds("r0"));
  EXPECT_FALSE(third_holds("r1"));
  EXPECT_FALSE(third_holds("r" + std::to_string(kCarriedMax)));
}

TEST_F(Rule14RefusedRemovals, AtTheEndTheyAreTriedOnceMore) {
  LockManager locks = manager(3);
  third_refuses(kLoading);
  release(locks);
  third_is_well();
  pool_.close_all();
  EXPECT_FALSE(third_holds());
}

TEST_F(Rule14RefusedRemovals, AtTheEndAConnectionIsMadeForThemThoughTheirPauseLasts) {
  LockManager locks = manager(3);
  third_refuses(kLoading);
  release(locks);
  pool_.close_idle(Duration());
  third_is_well();
  pool_.close_all();
  EXPECT_FALSE(third_holds());
}

TEST_F(Rule14RefusedRemovals, TheEndOfARequestGrantsThemTheirPause) {
  LockManager locks = manager(3);
  third_refuses(kLoading);
  release(locks);
  const std::size_t before = removals();
  pool_.deliver();
  step_for(Duration::ms(1));
  EXPECT_EQ(removals(), before);
  clock_.advance(kRepeatPause);
  pool_.deliver();
  step_for(Duration::ms(1));
  EXPECT_EQ(removals(), before + 1);
}

TEST_F(Rule14RefusedRemovals, TheEndOfARequestConnectsForThemOnlyBehindTheirPause) {
  LockManager locks = manager(3);
  third_refuses(kLoading);
  release(locks);
  pool_.close_idle(Duration());
  third_is_well();
  const std::size_t before = server(2).connections_opened;
  pool_.deliver();
  EXPECT_EQ(server(2).connections_opened, before);
  clock_.advance(kRepeatPause);
  pool_.deliver();
  step_for(Duration::ms(1));
  EXPECT_EQ(server(2).connections_opened, before + 1);
  EXPECT_FALSE(third_holds());
}

TEST_F(Rule14RefusedRemovals, AConnectionThatIsTidiedAwayForgetsThemNot) {
  LockManager locks = manager(3);
  third_refuses(kLoading);
  release(locks);
  pool_.close_idle(Duration());
  third_is_well();
  clock_.advance(kRepeatPause);
  call(locks);
  EXPECT_FALSE(third_holds());
}

class Rule14AReleaseThatAllRefused : public Rule14RefusedRemovals {
 protected:
  Rule14AReleaseThatAllRefused() {
    taken_ = lock(locks_);
    step_for(Duration::ms(1));
    for (std::size_t i = 0; i < 3; ++i) {
      server(i).say = [](const Arguments&) { return "-" + kLoading + "\r\n"; };
    }
    EXPECT_EQ(unlock(locks_, taken_.token).decision, Decision::unreachable);
    for (std::size_t i = 0; i < 3; ++i) server(i).say = nullptr;
  }
  LockManager locks_ = manager(3);
  Outcome taken_;
};

// It would be counted, and deleted behind that.
TEST_F(Rule14AReleaseThatAllRefused, IsRepeatedBeforeTheLockIsExtended) {
  const OperationId id = locks_.begin_extend(Resource("r"), taken_.token, Duration::ms(10'000));
  EXPECT_EQ(pool_.run(id).decision, Decision::denied);
}

TEST_F(Rule14AReleaseThatAllRefused, IsNotRepeatedBeforeAnotherWhichIsConfirmed) {
  EXPECT_EQ(unlock(locks_, taken_.token).decision, Decision::granted);
}

}  // namespace
}  // namespace redlock::refused_removals_test
