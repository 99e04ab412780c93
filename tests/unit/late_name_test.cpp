// A name that follows the first commands, since its server may be one that hangs up at it: it costs
// nobody an answer, and what waits behind it is neither lost nor late.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "redlock/lease/async_releases.hpp"
#include "support/fake_world.hpp"

namespace redlock::late_name_test {
namespace {

using test::Arguments;
using test::FakeWorld;
using testing::ElementsAre;
using testing::IsEmpty;

class LateNameTest : public FakeWorld {
 protected:
  LateNameTest() {
    for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(10);
  }
  static LockOptions named() {
    LockOptions options = once();
    options.client_name = "worker-7";
    return options;
  }
  // The verbs that a server got since this was asked last.
  std::vector<std::string> verbs(std::size_t i = 0) {
    std::vector<std::string> verbs;
    for (const Arguments& request : server(i).log) verbs.push_back(request.front());
    server(i).log.clear();
    return verbs;
  }
  // The servers stand still when they are told the name.
  void stop_at_the_name() {
    for (std::size_t i = 0; i < 3; ++i) {
      server(i).say = [this, i](const Arguments& request) -> std::optional<std::string> {
        if (request.front() != "CLIENT") return std::nullopt;
        server(i).stopped = true;
        return std::string();
      };
    }
  }
  void hang_up_at_the_name() {
    for (std::size_t i = 0; i < 3; ++i) server(i).hangs_up_at.insert("CLIENT");
  }
  void go_on() {
    for (std::size_t i = 0; i < 3; ++i) transport_.resume(server(i));
  }
  std::shared_ptr<Node> node() {
    Endpoint endpoint = parse_server(name(0)).endpoint;
    endpoint.client_name = "worker-7";
    return pool_.node(endpoint, kTimeoutDefault);
  }
  void expect_released() {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_THAT(server(i).keys, IsEmpty()) << i;
  }

  std::optional<LockManager> locks_{std::in_place, pool_, specs(3), named()};
};

TEST_F(LateNameTest, TheFirstCommandGoesAtOnceAndTheNameWhenItIsAnswered) {
  const OperationId id = locks_->begin_lock(Resource("r"), Duration::ms(10'000));
  step_for(Duration::ms(9));
  EXPECT_THAT(verbs(), ElementsAre("SET"));
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
  EXPECT_THAT(verbs(), ElementsAre("CLIENT"));
  EXPECT_EQ(server(0).connections_opened, 1U);
}

TEST_F(LateNameTest, SoThePasswordDoes) {
  std::vector<ServerSpec> servers = specs(1);
  servers[0].endpoint.password = "secret";
  LockManager locks(pool_, servers, named());
  EXPECT_EQ(time_of([&] { lock(locks); }), Duration::ms(10));
  EXPECT_THAT(verbs(), ElementsAre("AUTH", "SET", "CLIENT"));
}

TEST_F(LateNameTest, BehindASelectItIsSaidWithThat) {
  std::vector<ServerSpec> servers = specs(1);
  servers[0].endpoint.database = 1;
  LockManager locks(pool_, servers, named());
  EXPECT_EQ(time_of([&] { lock(locks); }), Duration::ms(20));
  EXPECT_THAT(verbs(), ElementsAre("CLIENT", "SELECT", "SET"));
}

// Where all had to wait for the name's answer, two would have decided without the third.
TEST_F(LateNameTest, TheFirstLockIsSetOnAServerThatTakesLongerToo) {
  server(2).answer_time = Duration::ms(25);
  ASSERT_EQ(lock(*locks_).decision, Decision::granted);
  EXPECT_TRUE(server(2).keys.contains("r"));
}

// Its first answer is found as the next call begins.
TEST_F(LateNameTest, TheNextLockIsSetThereToo) {
  server(2).answer_time = Duration::ms(25);
  ASSERT_EQ(lock(*locks_).decision, Decision::granted);
  clock_.advance(Duration::ms(50));
  verbs(2);
  ASSERT_EQ(lock(*locks_, "s").decision, Decision::granted);
  EXPECT_THAT(verbs(2), ElementsAre("SET"));
}

TEST_F(LateNameTest, WhatIsAskedMeanwhileWaitsForItsAnswer) {
  ASSERT_EQ(lock(*locks_).decision, Decision::granted);
  const OperationId id = locks_->begin_lock(Resource("s"), Duration::ms(10'000));
  verbs();
  step_for(Duration::ms(9));
  EXPECT_THAT(verbs(), IsEmpty());
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
  EXPECT_THAT(verbs(), ElementsAre("SET"));
}

// The last answer comes as the pause ends.
TEST_F(LateNameTest, TheNextAttemptIsAskedBeforeIt) {
  LockOptions options = named();
  options.retry = RetryPolicy::exact(2, Duration::ms(25));
  LockManager locks(pool_, specs(3), options);
  server(2).answer_time = Duration::ms(25);
  for (std::size_t i = 0; i < 3; ++i) server(i).keys["r"] = "somebody else's";
  const OperationId id = locks.begin_lock(Resource("r"), Duration::ms(10'000));
  step_for(Duration::ms(34));
  verbs(2);
  step_for(Duration::ms(1));
  EXPECT_THAT(verbs(2), ElementsAre("SET"));
  EXPECT_EQ(pool_.run(id).decision, Decision::denied);
}

TEST_F(LateNameTest, WhatWaitsBehindItIsAskedOnTheNextConnectionWhereTheServerHangsUp) {
  hang_up_at_the_name();
  ASSERT_EQ(lock(*locks_).decision, Decision::granted);
  verbs();
  EXPECT_EQ(lock(*locks_, "s").decision, Decision::granted);
  EXPECT_THAT(verbs(), ElementsAre("SET"));
  EXPECT_EQ(server(0).connections_opened, 2U);
}

// As for any connection that is only being made.
TEST_F(LateNameTest, TheNextConnectionIsWaitedForThoughItTakesLongerThanAnAnswer) {
  hang_up_at_the_name();
  ASSERT_EQ(lock(*locks_).decision, Decision::granted);
  for (std::size_t i = 0; i < 3; ++i) {
    server(i).connect_time = kTimeoutDefault + Duration::ms(50);
  }
  EXPECT_EQ(lock(*locks_, "s").decision, Decision::granted);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(LateNameTest, AServerThatEndedAtThatMomentIsToldItWhenItIsBack) {
  hang_up_at_the_name();
  ASSERT_EQ(lock(*locks_).decision, Decision::granted);
  for (std::size_t i = 0; i < 3; ++i) {
    server(i).reach = test::FakeServer::Reach::refuses;
    server(i).hangs_up_at.clear();
  }
  ASSERT_EQ(lock(*locks_, "s").decision, Decision::unreachable);
  for (std::size_t i = 0; i < 3; ++i) server(i).reach = test::FakeServer::Reach::accepts;
  clock_.advance(kBackoffMax);
  verbs();
  ASSERT_EQ(lock(*locks_, "t").decision, Decision::granted);
  EXPECT_THAT(verbs(), ElementsAre("SET", "CLIENT"));
}

// It is known to live without one.
TEST_F(LateNameTest, AServerThatHungUpAtItAndWasGoneForAWhileIsNotToldIt) {
  hang_up_at_the_name();
  ASSERT_EQ(lock(*locks_).decision, Decision::granted);
  ASSERT_EQ(lock(*locks_, "s").decision, Decision::granted);
  for (std::size_t i = 0; i < 3; ++i) {
    server(i).reach = test::FakeServer::Reach::refuses;
    transport_.drop_connections(server(i));
  }
  clock_.advance(kIdleLook);
  ASSERT_EQ(lock(*locks_, "t").decision, Decision::unreachable);
  for (std::size_t i = 0; i < 3; ++i) server(i).reach = test::FakeServer::Reach::accepts;
  clock_.advance(kBackoffMax);
  const std::size_t before = server(0).connections_opened;
  ASSERT_EQ(lock(*locks_, "u").decision, Decision::granted);
  step_for(Duration::ms(1));
  ASSERT_EQ(lock(*locks_, "v").decision, Decision::granted);
  EXPECT_EQ(server(0).connections_opened, before + 1);
}

TEST_F(LateNameTest, ThatCostsNothingWhereNobodyAsksForLong) {
  hang_up_at_the_name();
  ASSERT_EQ(lock(*locks_).decision, Decision::granted);
  clock_.advance(Duration::seconds(5));
  for (std::size_t i = 0; i < 3; ++i) server(i).connect_time = Duration::ms(10);
  EXPECT_EQ(time_of([&] { EXPECT_EQ(lock(*locks_, "s").decision, Decision::granted); }),
            Duration::ms(20));
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(LateNameTest, AnAnswerThatNobodyLooksForIsNotOverdue) {
  ASSERT_EQ(lock(*locks_).decision, Decision::granted);
  EXPECT_FALSE(node()->establishing());
  EXPECT_EQ(node()->next_deadline(), std::nullopt);
  clock_.advance(Duration::seconds(5));
  EXPECT_EQ(time_of([&] { EXPECT_EQ(lock(*locks_, "s").decision, Decision::granted); }),
            Duration::ms(10));
  EXPECT_EQ(server(0).connections_opened, 1U);
}

TEST_F(LateNameTest, WhoWaitsBehindItHasTheTimeOfAnAnswer) {
  stop_at_the_name();
  ASSERT_EQ(lock(*locks_).decision, Decision::granted);
  clock_.advance(Duration::seconds(5));
  EXPECT_EQ(time_of([&] { EXPECT_EQ(lock(*locks_, "s").decision, Decision::unreachable); }),
            kTimeoutDefault);
}

// The flow may be forgotten, or a proxy swallow the name.
TEST_F(LateNameTest, WhereItIsNeverAnsweredTheConnectionIsGivenUpByTheFirstWhoWaits) {
  stop_at_the_name();
  ASSERT_EQ(lock(*locks_).decision, Decision::granted);
  EXPECT_EQ(lock(*locks_, "s").decision, Decision::unreachable);
  for (std::size_t i = 0; i < 3; ++i) server(i).stopped = false;
  clock_.advance(kBackoffMax);
  const std::size_t before = server(0).connections_opened;
  EXPECT_EQ(lock(*locks_, "t").decision, Decision::granted);
  EXPECT_EQ(server(0).connections_opened, before + 1);
}

TEST_F(LateNameTest, WhileNothingElseIsUnansweredTheConnectionMayBeClosed) {
  stop_at_the_name();
  ASSERT_EQ(lock(*locks_).decision, Decision::granted);
  clock_.advance(Duration::seconds(5));
  pool_.close_idle(Duration::seconds(5));
  EXPECT_EQ(transport_.open_count(), 0U);
}

TEST_F(LateNameTest, WhoWaitsUntilEverythingIsAnsweredHearsIt) {
  ASSERT_EQ(lock(*locks_).decision, Decision::granted);
  ASSERT_GT(locks_->unanswered_bytes(), 0U);
  step_for(Duration::ms(11));
  EXPECT_EQ(locks_->unanswered_bytes(), 0U);
}

class Rule14RemovalsBehindAName : public LateNameTest {};

// It is sent with the call, which does not wait for the second server.
TEST_F(Rule14RemovalsBehindAName, TheyDoNotWaitForTheNamesAnswer) {
  server(1).say = [](const Arguments& request) -> std::optional<std::string> {
    if (request.front() == "CLIENT") return std::string();
    return std::nullopt;
  };
  const Outcome taken = lock(*locks_);
  ASSERT_EQ(unlock(*locks_, taken.token).decision, Decision::granted);
  expect_released();
}

TEST_F(Rule14RemovalsBehindAName, AReleaseThatNobodyWaitsForArrives) {
  const Outcome taken = lock(*locks_);
  AsyncReleases().send(*locks_, Resource("r"), taken.token);
  expect_released();
}

TEST_F(Rule14RemovalsBehindAName, ItDoesWhereTheServersHangUp) {
  hang_up_at_the_name();
  const Outcome taken = lock(*locks_);
  AsyncReleases().send(*locks_, Resource("r"), taken.token);
  expect_released();
}

TEST_F(Rule14RemovalsBehindAName, TheyArriveBeforeTheProcessEnds) {
  const Outcome taken = lock(*locks_);
  (void)pool_.collect(locks_->begin_unlock(Resource("r"), taken.token));
  pool_.close_all();
  expect_released();
}

TEST_F(Rule14RemovalsBehindAName, TheyDoWhereTheServersHangUp) {
  hang_up_at_the_name();
  const Outcome taken = lock(*locks_);
  (void)pool_.collect(locks_->begin_unlock(Resource("r"), taken.token));
  pool_.close_all();
  expect_released();
}

TEST_F(Rule14RemovalsBehindAName, TheyAreReadByServersThatStoodStillWhenTheProcessEnded) {
  stop_at_the_name();
  const Outcome taken = lock(*locks_);
  (void)pool_.collect(locks_->begin_unlock(Resource("r"), taken.token));
  pool_.close_all();
  go_on();
  expect_released();
}

TEST_F(Rule14RemovalsBehindAName, TheyAreReadByServersThatWereGivenUp) {
  stop_at_the_name();
  const Outcome taken = lock(*locks_);
  ASSERT_EQ(unlock(*locks_, taken.token).decision, Decision::unreachable);
  go_on();
  expect_released();
}

// The server that hung up there has not read what was said behind the name.
TEST_F(Rule14RemovalsBehindAName, WhatMayNotHaveBeenReadGoesOnTheNextConnectionToo) {
  stop_at_the_name();
  const Outcome taken = lock(*locks_);
  (void)pool_.collect(locks_->begin_unlock(Resource("r"), taken.token));
  pool_.close_all();
  for (std::size_t i = 0; i < 3; ++i) {
    server(i).say = nullptr;
    server(i).stopped = false;
  }
  ASSERT_EQ(lock(*locks_, "s").decision, Decision::granted);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(server(i).keys.contains("r")) << i;
}

}  // namespace
}  // namespace redlock::late_name_test
