// Which servers a plan takes, how long they are given, and which of them it calls troubled.
#include "redlock/locks/server_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/fake_world.hpp"
#include "support/refusal.hpp"

namespace redlock::server_plan_test {
namespace {

using test::refusal;

class ServerPlanTest : public test::FakeWorld {
 protected:
  static std::string refusal_of(std::size_t servers, Duration timeout = kTimeoutDefault,
                                const std::string& client_name = {}) {
    return refusal([&] { static_cast<void>(ServerPlan(specs(servers), {timeout}, client_name)); });
  }
};

TEST_F(ServerPlanTest, WhatIsAtItsBoundIsAccepted) {
  EXPECT_EQ(refusal_of(3, kTimeoutMax), "accepted");
  EXPECT_EQ(refusal_of(3, Duration::ns(1)), "accepted");
  EXPECT_EQ(refusal_of(16), "accepted");
  EXPECT_EQ(refusal_of(17), "servers must be at most 16, 17 given");
  EXPECT_EQ(refusal_of(3, kTimeoutDefault, std::string(256, 'n')), "accepted");
  EXPECT_EQ(refusal_of(3, kTimeoutDefault, "!~"), "accepted");
  EXPECT_EQ(refusal([] { check_drift_factor(0); }), "accepted");
  EXPECT_EQ(refusal([] { check_token(Token(std::string(kTokenBytesMax, 't'))); }), "accepted");
}

// Whoever gave servers longer for an answer gave them as long for connecting.
TEST_F(ServerPlanTest, ConnectingTakesASecondOrAsLongAsAnAnswerWhereNobodySaysSo) {
  const auto connect_time = [](const UsualTimes& usual) {
    return ServerPlan(specs(1), usual, {}).specs().front().connect_timeout;
  };
  EXPECT_EQ(connect_time({Duration::ms(50)}), Duration::seconds(1));
  EXPECT_EQ(connect_time({Duration::seconds(3)}), Duration::seconds(3));
  EXPECT_EQ(connect_time({Duration::seconds(3), Duration::ms(20)}), Duration::ms(20));
}

TEST_F(ServerPlanTest, AServersOwnTimeForConnectingCountsBeforeTheUsualOne) {
  auto servers = specs(2);
  servers[0].connect_timeout = Duration::ms(30);
  servers[1].timeout = Duration::seconds(2);
  servers[1].timeout_of_connecting = true;
  const auto taken = ServerPlan(servers, {Duration::ms(50), Duration::ms(20)}, {}).specs();
  EXPECT_EQ(taken[0].connect_timeout, Duration::ms(30));
  EXPECT_EQ(taken[1].connect_timeout, Duration::seconds(2)) << "what was written for connecting";
}

TEST_F(ServerPlanTest, OfServersThatWereNotAskedNoTroubleIsTold) {
  const ServerPlan plan(specs(3), {kTimeoutDefault}, {});
  const NodeList nodes = plan.bind(pool_);
  EXPECT_THAT(plan.troubles(Outcome(), nodes), testing::IsEmpty());
  EXPECT_THAT(plan.line_troubles(Outcome(), nodes), testing::IsEmpty());
}

TEST_F(ServerPlanTest, OfItsLineOnlyAServerThatRefusedItIsTold) {
  const ServerPlan plan(specs(3), {kTimeoutDefault}, {});
  Outcome outcome;
  outcome.line = {
      {false, Reply()}, {true, Reply::denied()}, {true, Reply::unknown(Fault::acl, "NOPERM")}};
  const auto troubles = plan.line_troubles(outcome, plan.bind(pool_));
  ASSERT_THAT(troubles, testing::SizeIs(1));
  EXPECT_EQ(troubles[0].server, name(2));
  EXPECT_EQ(troubles[0].fault, Fault::acl);
}

TEST_F(ServerPlanTest, OfItsLineTheFirstServerIsToldLikeTheOthers) {
  const ServerPlan plan(specs(3), {kTimeoutDefault}, {});
  Outcome outcome;
  outcome.line = {{true, Reply::unknown(Fault::acl, "NOPERM")}};
  const auto troubles = plan.line_troubles(outcome, plan.bind(pool_));
  ASSERT_THAT(troubles, testing::SizeIs(1));
  EXPECT_EQ(troubles[0].server, name(0));
}

}  // namespace
}  // namespace redlock::server_plan_test
