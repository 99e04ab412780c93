// A server that closes the connection at SUBSCRIBE: it has just ended, or is a proxy that knows no
// SUBSCRIBE and is waited at by polling.
#include <gtest/gtest.h>

#include "support/listener_fixture.hpp"

namespace redlock::listener_proxy_test {
namespace {

using test::FakeServer;
using test::ListenerTest;

// As twemproxy does.
class AListenerThroughAProxy : public ListenerTest {
 protected:
  AListenerThroughAProxy() {
    server().hangs_up_at = {"SUBSCRIBE"};
    server().say = [](const test::Arguments& request) -> std::optional<std::string> {
      if (request.front() == "PING") return "+PONG\r\n";
      return std::nullopt;
    };
  }
  void expect_refused() {
    ASSERT_NE(listener_.subscription_state(), nullptr);
    EXPECT_EQ(listener_.subscription_state()->fault, Fault::rejected);
    EXPECT_EQ(listener_.subscription_state()->reason,
              "the server closed the connection at SUBSCRIBE");
  }
};

TEST_F(AListenerThroughAProxy, IsRefusedWhereItIsClosedAtSubscribeAgainThoughPingWasAnswered) {
  run(Duration::ms(1));
  ASSERT_NE(listener_.subscription_state(), nullptr);
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::closed) << "the server may have ended";
  EXPECT_EQ(listener_.subscription_state()->reason,
            "the server closed the connection at SUBSCRIBE");
  run(kBackoffFirst * 2);
  expect_refused();
  EXPECT_EQ(server().count("PING"), 1U);
  EXPECT_EQ(listener_.changes(), 2U);
}

TEST_F(AListenerThroughAProxy, IsRefusedForAsLongAsByWords) {
  run(kRefusedFor);
  expect_refused();
  EXPECT_EQ(server().connections_opened, 2U);
  run(kRefusedFor);
  expect_refused();
  EXPECT_EQ(server().connections_opened, 3U) << "one is enough from then on";
  server().hangs_up_at.clear();
  run(kRefusedFor);
  EXPECT_NE(listener_.subscription_state()->channel, "");
}

TEST_F(AListenerThroughAProxy, IsHeardWhereTheServerOnlyEndedAtThatMoment) {
  run(Duration::ms(1));
  server().hangs_up_at.clear();
  run(kBackoffFirst * 2);
  EXPECT_NE(listener_.subscription_state()->channel, "");
  server().hangs_up_at = {"SUBSCRIBE"};
  transport_.drop_connections(server());
  const std::size_t before = server().connections_opened;
  while (server().connections_opened == before) run(Duration::ms(1));
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::closed)
      << "what was before does not count";
}

TEST_F(AListenerThroughAProxy, IsNotRefusedWhereTheServerIsGone) {
  run(Duration::ms(1));
  server().reach = FakeServer::Reach::refuses;
  run(Duration::seconds(1));
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::connect);
  server().reach = FakeServer::Reach::accepts;
  server().hangs_up_at.clear();
  run(kBackoffMax);
  EXPECT_NE(listener_.subscription_state()->channel, "");
}

// As a load balancer does whose server is gone.
TEST_F(AListenerThroughAProxy, IsNotRefusedWherePingIsNotAnsweredEither) {
  server().hangs_up_at = {"SUBSCRIBE", "PING"};
  run(Duration::seconds(1));
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::closed);
  EXPECT_GT(server().connections_opened, 4U);
}

}  // namespace
}  // namespace redlock::listener_proxy_test
