// One server's subscription: opened, kept alive, lost, and opened again under another name.
#include "redlock/net/listener.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/allocations.hpp"
#include "support/listener_fixture.hpp"

namespace redlock::listener_test {
namespace {

using test::FakeServer;
using test::kAnswerTime;
using test::ListenerTest;
using testing::HasSubstr;
using testing::SizeIs;

TEST_F(ListenerTest, TellsAChannelOnceTheServerHasConfirmedIt) {
  server().answer_time = Duration::ms(10);
  run(Duration::ms(9));
  EXPECT_EQ(listener_.subscription_state(), nullptr);
  run(Duration::ms(2));
  ASSERT_NE(listener_.subscription_state(), nullptr);
  const std::string channel = listener_.subscription_state()->channel;
  EXPECT_TRUE(channel.starts_with(kChannelPrefix));
  EXPECT_THAT(channel, SizeIs(kChannelPrefix.size() + 32));
  EXPECT_THAT(transport_.channels(server()), testing::ElementsAre(channel));
}

TEST_F(ListenerTest, HearsWhatIsPushedThere) {
  const std::string channel = subscribe();
  EXPECT_EQ(transport_.publish(server(), channel, "granted 3 tok"), 1U);
  run(Duration::ms(1));
  ASSERT_THAT(pushes_, SizeIs(1));
  EXPECT_EQ(pushes_[0].echo, 3U);
}

TEST_F(ListenerTest, TakesAnotherNameForEachConnection) {
  const std::string first = subscribe();
  transport_.drop_connections(server());
  run(Duration::ms(1));
  ASSERT_NE(listener_.subscription_state(), nullptr);
  EXPECT_EQ(listener_.subscription_state()->channel, "");
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::closed);
  run(Duration::ms(20));
  const std::string second = listener_.subscription_state()->channel;
  EXPECT_THAT(second, SizeIs(first.size()));
  EXPECT_NE(second, first);
  EXPECT_EQ(listener_.changes(), 3U);
}

TEST_F(ListenerTest, IsUnsubscribedOnceItWasShutDown) {
  subscribe();
  listener_.shut_down();
  listener_.review(clock_.now());
  ASSERT_NE(listener_.subscription_state(), nullptr);
  EXPECT_EQ(listener_.subscription_state()->channel, "");
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::closed);
}

TEST_F(ListenerTest, StaysAwayForLongerFromAServerThatFailsAgainAndAgain) {
  server().reach = FakeServer::Reach::refuses;
  run(Duration::seconds(2));
  ASSERT_NE(listener_.subscription_state(), nullptr);
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::connect);
  EXPECT_EQ(listener_.changes(), 1U) << "it is told once";
  EXPECT_LE(server().connections_opened, 30U);
  server().reach = FakeServer::Reach::accepts;
  run(kBackoffMax);
  EXPECT_NE(listener_.subscription_state()->channel, "");
}

TEST_F(ListenerTest, AServerThatClosesWhateverItConfirmsIsNotAskedWithoutAPause) {
  subscribe();
  const std::size_t before = server().connections_opened;
  for (int i = 0; i < 100; ++i) {
    transport_.drop_connections(server());
    run(Duration::ms(1));
  }
  EXPECT_LE(server().connections_opened - before, 20U);
}

TEST_F(ListenerTest, AskedInVainItIsGivenUp) {
  server().stopped = true;
  run(kAnswerTime - Duration::ms(1));
  EXPECT_EQ(listener_.subscription_state(), nullptr);
  run(Duration::ms(2));
  ASSERT_NE(listener_.subscription_state(), nullptr);
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::timeout);
}

TEST_F(ListenerTest, ARefusalIsToldAndNotAskedForAgainForAWhile) {
  refuse("NOPERM this user has no permissions to run the 'subscribe' command");
  run(Duration::seconds(5));
  ASSERT_NE(listener_.subscription_state(), nullptr);
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::acl);
  EXPECT_THAT(listener_.subscription_state()->reason, HasSubstr("SUBSCRIBE was refused: NOPERM"));
  EXPECT_EQ(server().connections_opened, 1U);
  // Who begins to listen meanwhile is told so at once.
  listener_.look(clock_.now(), clock_.now(), pushes_);
  ASSERT_NE(listener_.subscription_state(), nullptr);
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::acl);
  server().say = nullptr;
  run(kRefusedFor - Duration::seconds(5));
  EXPECT_NE(subscribe(), "");
}

TEST_F(ListenerTest, ARefusalThatPassesIsTriedAgainSoon) {
  refuse("LOADING Redis is loading the dataset in memory");
  run(Duration::ms(100));
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::loading);
  server().say = nullptr;
  run(kBackoffMax);
  EXPECT_NE(listener_.subscription_state()->channel, "");
}

TEST_F(ListenerTest, WithoutMemoryForItsReasonAFaultIsToldAndNoReasonOfAnOlderOne) {
  refuse("NOPERM this user has no permissions");
  run(Duration::ms(5));
  ASSERT_NE(listener_.subscription_state(), nullptr);
  ASSERT_EQ(listener_.subscription_state()->fault, Fault::acl);
  refuse("LOADING " + std::string(200, '.'));
  clock_.advance(kRefusedFor);
  listener_.attend(clock_.now(), pushes_);
  for (int turn = 0; turn < 3; ++turn) listener_.on_ready(true, true, clock_.now(), pushes_);
  ASSERT_TRUE(listener_.closing());
  const test::FailingAllocations failing(0, test::Shortage::once);
  listener_.review(clock_.now());
  EXPECT_TRUE(failing.happened());
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::loading);
  EXPECT_EQ(listener_.subscription_state()->reason, "");
}

TEST_F(ListenerTest, AsksForASignOfLifeNowAndThen) {
  const std::string channel = subscribe();
  run(kHeartbeat - Duration::ms(20));
  EXPECT_EQ(server().count("PING"), 0U);
  run(Duration::ms(20));
  EXPECT_EQ(server().count("PING"), 1U);
  run(kHeartbeat * 3);
  EXPECT_EQ(server().count("PING"), 4U);
  EXPECT_EQ(listener_.subscription_state()->channel, channel);
}

TEST_F(ListenerTest, AsksSoonerWhereAConnectionMayBeForgottenSooner) {
  listener_.set_idle_limit(Duration::seconds(2));
  const std::string channel = subscribe();
  run(Duration::seconds(5));
  EXPECT_EQ(server().count("PING"), 2U);
  listener_.set_idle_limit(Duration::seconds(60));
  run(kHeartbeat * 2 + Duration::ms(10));
  EXPECT_EQ(server().count("PING"), 4U);
  EXPECT_EQ(listener_.subscription_state()->channel, channel);
}

TEST_F(ListenerTest, AConnectionThatTheNetworkHasForgottenIsNoticed) {
  const std::string channel = subscribe();
  transport_.forget_flows(server());
  run(kHeartbeat + kAnswerTime - Duration::ms(6));
  EXPECT_EQ(listener_.subscription_state()->channel, channel);
  run(Duration::ms(2));
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::timeout);
  run(Duration::ms(20));
  EXPECT_NE(listener_.subscription_state()->channel, "");
}

TEST_F(ListenerTest, ASocketThatTakesNothingIsWaitedForAndNotAskedAgainAndAgain) {
  subscribe();
  transport_.send_room = 0;
  clock_.advance(kHeartbeat);
  int turns = 0;
  for (const Instant until = clock_.now() + kAnswerTime; clock_.now() < until; ++turns) {
    run(Duration::ms(1));
  }
  EXPECT_LE(turns, 51);
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::timeout);
}

using AListenerThatLayUnread = ListenerTest;

TEST_F(AListenerThatLayUnread, IsReadBeforeItIsTrusted) {
  const std::string channel = subscribe();
  clock_.advance(Duration::seconds(30));
  transport_.publish(server(), channel, "next 7 tok");
  listener_.look(clock_.now(), clock_.now(), pushes_);
  EXPECT_THAT(pushes_, SizeIs(1));
  EXPECT_EQ(listener_.subscription_state()->channel, channel);
}

TEST_F(AListenerThatLayUnread, WasClosedForNoReasonToWait) {
  subscribe();
  clock_.advance(Duration::seconds(30));
  transport_.drop_connections(server());
  listener_.look(clock_.now(), clock_.now(), pushes_);
  EXPECT_EQ(listener_.subscription_state(), nullptr) << "trouble of old is no news";
  run(Duration::ms(1));
  ASSERT_NE(listener_.subscription_state(), nullptr);
  EXPECT_NE(listener_.subscription_state()->channel, "");
}

TEST_F(AListenerThatLayUnread, IsAskedForASignOfLifeAtOnce) {
  subscribe();
  clock_.advance(kHeartbeat);
  listener_.look(clock_.now(), clock_.now(), pushes_);
  run(Duration::ms(1));
  EXPECT_EQ(server().count("PING"), 1U);
}

TEST_F(AListenerThatLayUnread, IsOpenedAnewWhereItsConnectionMayBeForgotten) {
  listener_.set_idle_limit(Duration::seconds(5));
  const std::string channel = subscribe();
  clock_.advance(Duration::seconds(5) - Duration::ms(50));
  listener_.look(clock_.now(), clock_.now(), pushes_);
  EXPECT_EQ(listener_.subscription_state()->channel, channel);
  clock_.advance(Duration::ms(50));
  transport_.publish(server(), channel, "next 7 tok");
  listener_.look(clock_.now(), clock_.now(), pushes_);
  EXPECT_THAT(pushes_, SizeIs(1)) << "what has come is not lost";
  EXPECT_EQ(listener_.subscription_state(), nullptr);
  run(Duration::ms(20));
  ASSERT_NE(listener_.subscription_state(), nullptr);
  EXPECT_NE(listener_.subscription_state()->channel, channel);
  EXPECT_NE(listener_.subscription_state()->channel, "");
}

// Or it would be waited for on its way into nowhere.
TEST_F(AListenerThatLayUnread, IsOpenedAnewWhereItWasNotEvenHeardYet) {
  listener_.set_idle_limit(Duration::seconds(5));
  transport_.send_room = 0;
  run(Duration::ms(5));
  EXPECT_EQ(listener_.subscription_state(), nullptr);
  transport_.send_room = std::numeric_limits<std::size_t>::max();
  transport_.forget_flows(server());
  const Instant since = clock_.now();
  clock_.advance(Duration::seconds(5));
  listener_.flush(clock_.now(), pushes_);
  listener_.look(since, clock_.now(), pushes_);
  run(Duration::ms(5));
  ASSERT_NE(listener_.subscription_state(), nullptr);
  EXPECT_NE(listener_.subscription_state()->channel, "");
}

// It was wanted no more while it was being made.
TEST_F(AListenerThatLayUnread, IsOpenedAnewAtOnceWhereItIsOverdue) {
  server().reach = FakeServer::Reach::vanishes;
  run(Duration::ms(1));
  const Instant since = clock_.now();
  clock_.advance(kAnswerTime);
  server().reach = FakeServer::Reach::accepts;
  listener_.look(since, clock_.now(), pushes_);
  EXPECT_NE(subscribe(), "");
}

TEST_F(AListenerThatLayUnread, IsNotOverdueBeforeItWasRead) {
  server().connect_time = Duration::ms(10);
  server().answer_time = Duration::ms(10);
  run(Duration::ms(15));
  clock_.advance(Duration::seconds(5));
  listener_.look(clock_.now(), clock_.now(), pushes_);
  EXPECT_FALSE(listener_.overdue(clock_.now()));
  EXPECT_NE(listener_.subscription_state()->channel, "");
}

class AListenerThatTellsAName : public ListenerTest {
 protected:
  AListenerThatTellsAName() : ListenerTest("worker-7") {}
};

// It subscribes behind the answer to the name, and that is read only now.
TEST_F(AListenerThatTellsAName, IsNotOverdueWhereTheAnswerToThatLayUnread) {
  server().answer_time = Duration::ms(10);
  run(Duration::ms(5));
  clock_.advance(Duration::seconds(5));
  listener_.look(clock_.now(), clock_.now(), pushes_);
  EXPECT_FALSE(listener_.closing());
  run(Duration::ms(15));
  ASSERT_NE(listener_.subscription_state(), nullptr);
  EXPECT_NE(listener_.subscription_state()->channel, "");
  EXPECT_EQ(server().connections_opened, 1U);
}

TEST_F(AListenerThatTellsAName, HasTheTimeOfAnAnswerBehindThat) {
  listener_.allow_connecting(kAnswerTime * 2);
  server().answer_time = kAnswerTime * 2 - Duration::ms(1);
  server().say = [](const test::Arguments& request) -> std::optional<std::string> {
    if (request.front() == "SUBSCRIBE") return std::string();
    return std::nullopt;
  };
  run(kAnswerTime * 3 - Duration::ms(2));
  EXPECT_EQ(listener_.subscription_state(), nullptr);
  run(Duration::ms(1));
  ASSERT_NE(listener_.subscription_state(), nullptr);
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::timeout);
}

TEST_F(ListenerTest, WithoutRandomnessItIsUnsubscribedAndTriesAgain) {
  entropy_.dry = true;
  run(Duration::ms(1));
  ASSERT_NE(listener_.subscription_state(), nullptr);
  EXPECT_EQ(listener_.subscription_state()->fault, Fault::closed);
  EXPECT_GT(listener_.next_event(), clock_.now());
  entropy_.dry = false;
  run(kBackoffMax);
  EXPECT_NE(listener_.subscription_state()->channel, "");
}

TEST_F(ListenerTest, EndsInGoodOrderAndCanBeginAnew) {
  const std::string channel = subscribe();
  listener_.shut_down();
  EXPECT_EQ(transport_.open_count(), 0U);
  EXPECT_EQ(transport_.publish(server(), channel, "granted 1 tok"), 0U);
  listener_.shut_down();
  EXPECT_NE(subscribe(), channel);
}

TEST_F(ListenerTest, BegunAnewItDoesNotStayAwayForWhatFailedBefore) {
  server().reach = FakeServer::Reach::refuses;
  run(Duration::seconds(2));
  server().reach = FakeServer::Reach::accepts;
  listener_.shut_down();
  EXPECT_NE(subscribe(), "");
}

}  // namespace
}  // namespace redlock::listener_test
