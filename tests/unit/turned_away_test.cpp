// Servers that close the connection on which one listens before hands were shaken, and say nothing:
// by TLS those do so that have no room for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "redlock/algorithm/quorum_query.hpp"
#include "support/listeners_fixture.hpp"

namespace redlock::turned_away_test {
namespace {

using test::FakeServer;
using test::ListenersTest;
using test::Told;
using testing::HasSubstr;
using testing::SizeIs;

class WhoListensByTls : public ListenersTest {
 protected:
  // Longer than so many pauses take.
  static constexpr Duration kLong = kBackoffMax * kTurnedAwayMax;

  WhoListensByTls() { endpoint_.tls.emplace(); }

  NodeList node() { return {pool_.node(endpoint_, kPatience)}; }
  OperationId begin_to_ask() {
    const auto times = std::make_shared<const std::vector<Duration>>(1, kPatience);
    return pool_.begin(std::make_unique<QuorumQuery>(times, QuorumRule::majority(1),
                                                     ReleaseAndHandOver{Resource("r"), Token("t")},
                                                     LossDetail::none),
                       node());
  }
  // The connection for commands is there, and well.
  void ask() {
    ASSERT_EQ(pool_.run(begin_to_ask()).decision, Decision::denied);
    ASSERT_TRUE(node().front()->is_well());
  }
  // From now on every connection is.
  void close_before_the_handshake() {
    server(0).reach = FakeServer::Reach::refuses;
    server(0).refusal = Fault::closed;
    opened_before_ = server(0).connections_opened;
  }
  // So many have been since.
  void step_until_closed(std::size_t count) {
    while (server(0).connections_opened < opened_before_ + count) step_for(Duration::ms(1));
    step_for(Duration::ns(1));
    ASSERT_EQ(server(0).connections_opened, opened_before_ + count);
  }
  void listen_there() { id_ = listen_to(told_, node()); }
  [[nodiscard]] bool turned_away() const {
    return !told_.subscription_states.empty() &&
           told_.subscription_states.back().subscription_state.turns_away;
  }
  bool turned_away_in_the_long_run() {
    close_before_the_handshake();
    listen_there();
    step_for(kLong);
    EXPECT_FALSE(told_.subscription_states.empty());
    return turned_away();
  }

  // Of the server, so that what it does not answer is awaited all the time.
  static constexpr Duration kPatience = Duration::seconds(5);
  Endpoint endpoint_ = parse_server(name(0)).endpoint;
  OperationId id_ = 0;
  std::size_t opened_before_ = 0;
};

TEST_F(WhoListensByTls, IsToldThatHeIsTurnedAwayWhereThatHappensAgainAndAgain) {
  ask();
  close_before_the_handshake();
  listen_there();
  step_until_closed(kTurnedAwayMax - 1);
  EXPECT_FALSE(turned_away());
  step_until_closed(kTurnedAwayMax);
  EXPECT_TRUE(turned_away());
  step_for(kLong);
  ASSERT_THAT(told_.subscription_states, SizeIs(2));
  EXPECT_EQ(told_.subscription_states[0].subscription_state.fault, Fault::closed);
  EXPECT_EQ(told_.subscription_states[1].subscription_state.fault, Fault::closed);
  EXPECT_THAT(told_.subscription_states[1].subscription_state.reason, HasSubstr("maxclients"));
}

TEST_F(WhoListensByTls, IsHeardAsSoonAsThereIsRoom) {
  ask();
  ASSERT_TRUE(turned_away_in_the_long_run());
  server(0).reach = FakeServer::Reach::accepts;
  step_for(kBackoffMax);
  EXPECT_FALSE(turned_away());
  EXPECT_NE(told_.channel(0), "");
}

TEST_F(WhoListensByTls, IsToldAtOnceWhereThatHappenedToOthers) {
  ask();
  ASSERT_TRUE(turned_away_in_the_long_run());
  pool_.collect(id_);
  clock_.advance(kBackoffMax);
  told_ = {};
  close_before_the_handshake();
  listen_there();
  step_until_closed(1);
  EXPECT_TRUE(turned_away());
  EXPECT_THAT(told_.subscription_states, SizeIs(1));
}

TEST_F(WhoListensByTls, IsNotTurnedAwayWhereNobodyIsLetInToAsk) {
  EXPECT_FALSE(turned_away_in_the_long_run());
}

TEST_F(WhoListensByTls, IsNotTurnedAwayWhereTheConnectionForCommandsHasEnded) {
  ask();
  transport_.drop_connections(server(0));
  EXPECT_FALSE(turned_away_in_the_long_run());
}

TEST_F(WhoListensByTls, IsNotTurnedAwayWhereTheServerWasInTroubleAndHasNotAnsweredSince) {
  server(0).reach = FakeServer::Reach::refuses;
  ASSERT_EQ(pool_.run(begin_to_ask()).decision, Decision::unreachable);
  clock_.advance(kBackoffMax);
  server(0).reach = FakeServer::Reach::accepts;
  server(0).stopped = true;
  const OperationId asked = begin_to_ask();
  step_for(Duration::ms(1));
  EXPECT_FALSE(turned_away_in_the_long_run());
  ASSERT_FALSE(pool_.done(asked));
  transport_.resume(server(0));
  step_for(kBackoffMax * 2);
  ASSERT_TRUE(pool_.done(asked));
  EXPECT_TRUE(turned_away());
}

TEST_F(WhoListensByTls, IsNotTurnedAwayByAServerThatWasSilentInBetween) {
  ask();
  close_before_the_handshake();
  listen_there();
  step_until_closed(kTurnedAwayMax - 1);
  server(0).reach = FakeServer::Reach::vanishes;
  step_for(kBackoffMax + kPatience);
  ASSERT_EQ(told_.subscription_states.back().subscription_state.fault, Fault::timeout);
  close_before_the_handshake();
  step_until_closed(kTurnedAwayMax - 1);
  EXPECT_FALSE(turned_away());
  step_until_closed(kTurnedAwayMax);
  EXPECT_TRUE(turned_away());
}

TEST_F(WhoListensByTls, IsNotTurnedAwayByAServerThatLetHimInInBetween) {
  ask();
  close_before_the_handshake();
  listen_there();
  step_until_closed(kTurnedAwayMax - 1);
  server(0).reach = FakeServer::Reach::accepts;
  step_for(kBackoffMax);
  ASSERT_NE(told_.channel(0), "");
  transport_.drop_connections(server(0));
  step_for(Duration::ms(1));
  // In the pause behind that.
  ask();
  close_before_the_handshake();
  step_until_closed(kTurnedAwayMax - 1);
  EXPECT_FALSE(turned_away());
  step_until_closed(kTurnedAwayMax);
  EXPECT_TRUE(turned_away());
}

// It would say so in words.
TEST_F(WhoListensByTls, AloneIsTurnedAway) {
  endpoint_.tls.reset();
  ask();
  EXPECT_FALSE(turned_away_in_the_long_run());
}

}  // namespace
}  // namespace redlock::turned_away_test
