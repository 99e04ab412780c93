// A subscription, played by hand: what it says, what it hears, and what ends it.
#include "redlock/wire/subscription.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine.hpp"
#include "support/resp.hpp"

namespace redlock::subscription_test {
namespace {

using test::Arguments;
using test::bulk;
using test::t;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kChannel = "redlock:0123";

std::string confirmation(const std::string& channel = kChannel) {
  return "*3\r\n" + bulk("subscribe") + bulk(channel) + test::integer(1);
}
std::string message(const std::string& payload, const std::string& channel = kChannel) {
  return "*3\r\n" + bulk("message") + bulk(channel) + bulk(payload);
}
std::string pong() { return "*2\r\n" + bulk("pong") + bulk(""); }

class SubscriptionTest : public testing::Test {
 protected:
  explicit SubscriptionTest(const Endpoint& endpoint = {}, bool pings_first = false)
      : subscription_(endpoint, kChannel, pings_first) {}

  std::vector<Arguments> sent() {
    std::string wire;
    while (subscription_.has_output()) {
      const std::string bytes(subscription_.output());
      subscription_.mark_sent(bytes.size());
      wire += bytes;
    }
    return test::take_requests(wire);
  }
  std::vector<Push> receive(const std::string& bytes) {
    sent();
    std::vector<Push> pushes;
    subscription_.on_bytes(bytes, pushes);
    return pushes;
  }
  // What the server says last.
  void expect_end(const std::string& bytes, Fault fault) {
    receive(bytes);
    EXPECT_TRUE(subscription_.broken()) << bytes;
    EXPECT_EQ(subscription_.fault(), fault) << bytes;
    EXPECT_FALSE(subscription_.confirmed());
    EXPECT_EQ(subscription_.next_deadline(), std::nullopt);
  }

  Subscription subscription_;
};

TEST_F(SubscriptionTest, SaysOneThingAndWaitsForItsConfirmation) {
  EXPECT_THAT(sent(), testing::ElementsAre(Arguments{"SUBSCRIBE", kChannel}));
  EXPECT_FALSE(subscription_.confirmed());
  EXPECT_TRUE(subscription_.greeting());
  EXPECT_THAT(receive(confirmation()), IsEmpty());
  EXPECT_TRUE(subscription_.confirmed());
  EXPECT_FALSE(subscription_.greeting());
  EXPECT_THAT(sent(), IsEmpty());
  EXPECT_EQ(subscription_.unanswered_bytes(), 0U);
}

class ASubscriptionThatPingsFirst : public SubscriptionTest {
 protected:
  ASubscriptionThatPingsFirst() : SubscriptionTest({}, true) {}
};

TEST_F(ASubscriptionThatPingsFirst, SubscribesOnceItIsAnswered) {
  EXPECT_THAT(sent(), testing::ElementsAre(Arguments{"PING"}));
  EXPECT_FALSE(subscription_.awaits_confirmation());
  receive("+PONG\r\n");
  EXPECT_THAT(sent(), testing::ElementsAre(Arguments{"SUBSCRIBE", kChannel}));
  EXPECT_TRUE(subscription_.awaits_confirmation());
  receive(confirmation());
  EXPECT_TRUE(subscription_.confirmed());
  EXPECT_FALSE(subscription_.awaits_confirmation());
}

TEST_F(ASubscriptionThatPingsFirst, SubscribesAlsoWherePingIsForbidden) {
  receive("-NOPERM this user has no permissions to run the 'ping' command\r\n");
  EXPECT_THAT(sent(), testing::ElementsAre(Arguments{"SUBSCRIBE", kChannel}));
}

TEST_F(ASubscriptionThatPingsFirst, EndsWithTroubleThatPasses) {
  expect_end("-ERR max number of clients reached\r\n", Fault::maxclients);
  EXPECT_FALSE(subscription_.refused());
  EXPECT_THAT(subscription_.reason(), HasSubstr("PING was refused: "));
}

TEST_F(ASubscriptionThatPingsFirst, EndsWhereAnythingElseAnswers) {
  expect_end(pong(), Fault::protocol);
}

TEST_F(SubscriptionTest, HearsWhatIsPushedInSlicesOfAnySize) {
  const std::string bytes = confirmation() + message("granted 7 tok") + message("next 1500 tok");
  for (std::size_t size = 1; size < 9; ++size) {
    Subscription subscription({}, kChannel);
    static_cast<void>(subscription.output());
    std::vector<Push> pushes;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      subscription.on_bytes(std::string_view(bytes).substr(at, size), pushes);
    }
    ASSERT_EQ(pushes.size(), 2U);
    EXPECT_EQ(pushes[0].kind, Push::Kind::granted);
    EXPECT_EQ(pushes[0].echo, 7U);
    EXPECT_EQ(pushes[0].token, Token("tok"));
    EXPECT_EQ(pushes[1].kind, Push::Kind::next);
    EXPECT_EQ(pushes[1].left, Duration::ms(1500));
  }
}

TEST_F(SubscriptionTest, PassesOverWhatIsNoPushOfOurs) {
  receive(confirmation());
  for (const char* payload :
       {"", "hello", "granted x tok", "granted 7", "next 5 ", "revoked tok"}) {
    EXPECT_THAT(receive(message(payload)), IsEmpty()) << payload;
  }
  EXPECT_EQ(receive(message("granted 1 tok")).size(), 1U);
  EXPECT_TRUE(subscription_.confirmed());
}

TEST_F(SubscriptionTest, EndsWithTheServersRefusal) {
  struct {
    const char* text;
    Fault fault;
    bool for_good;
  } const cases[] = {
      {"NOPERM this user has no permissions to run the 'subscribe' command", Fault::acl, true},
      {"NOPERM this user has no permissions to access one of the channels used as arguments",
       Fault::acl, true},
      {"ERR unknown command 'SUBSCRIBE', with args beginning with: 'redlock:0123' ",
       Fault::rejected, true},
      {"ERR max number of clients reached", Fault::maxclients, false},
      {"NOAUTH Authentication required.", Fault::auth, false},
      {"LOADING Redis is loading the dataset in memory", Fault::loading, false},
  };
  for (const auto& refusal : cases) {
    Subscription subscription({}, kChannel);
    static_cast<void>(subscription.output());
    std::vector<Push> pushes;
    subscription.on_bytes(test::error(refusal.text), pushes);
    EXPECT_TRUE(subscription.broken());
    EXPECT_EQ(subscription.fault(), refusal.fault) << refusal.text;
    EXPECT_EQ(subscription.refused(), refusal.for_good) << refusal.text;
    EXPECT_THAT(subscription.reason(), HasSubstr("SUBSCRIBE was refused: "));
  }
}

TEST_F(SubscriptionTest, EndsWhereAnythingElseAnswersTheSubscription) {
  for (const std::string& reply :
       {std::string(test::kOk), test::integer(1), pong(), message("granted 1 tok"),
        confirmation("redlock:4567"), "*2\r\n" + bulk("subscribe") + bulk(kChannel),
        "*3\r\n" + bulk("subscribe") + bulk(kChannel) + bulk("1")}) {
    Subscription subscription({}, kChannel);
    static_cast<void>(subscription.output());
    std::vector<Push> pushes;
    subscription.on_bytes(reply, pushes);
    EXPECT_EQ(subscription.fault(), Fault::protocol) << reply;
    EXPECT_FALSE(subscription.refused());
    EXPECT_THAT(pushes, IsEmpty());
  }
}

TEST_F(SubscriptionTest, EndsWithAConfirmationThatNobodyAskedFor) {
  std::vector<Push> pushes;
  subscription_.on_bytes(confirmation(), pushes);
  EXPECT_EQ(subscription_.fault(), Fault::protocol);
}

TEST_F(SubscriptionTest, EndsWithAMessageOfAnotherChannel) {
  receive(confirmation());
  expect_end(message("granted 1 tok", "redlock:4567"), Fault::protocol);
}

TEST_F(SubscriptionTest, EndsWithTheSubscriptionThatTheServerEnds) {
  receive(confirmation());
  expect_end("*3\r\n" + bulk("unsubscribe") + bulk(kChannel) + test::integer(0), Fault::protocol);
}

TEST_F(SubscriptionTest, EndsWhereWhatIsSaidIsNoResp) {
  receive(confirmation());
  expect_end("HTTP/1.1 400 Bad Request\r\n", Fault::protocol);
}

TEST_F(SubscriptionTest, EndsWhereAMessageIsLongerThanAnyOfOurs) {
  receive(confirmation());
  expect_end(message(std::string(kReplyBytesMax, 'x')), Fault::protocol);
}

TEST_F(SubscriptionTest, HearsNothingMoreBehindItsEnd) {
  receive(confirmation());
  EXPECT_THAT(receive(std::string(test::kOk) + message("granted 1 tok")), IsEmpty());
  EXPECT_THAT(receive(message("granted 1 tok")), IsEmpty());
  EXPECT_THAT(sent(), IsEmpty());
}

TEST_F(SubscriptionTest, WhatWasPushedBeforeTheEndWasHeard) {
  receive(confirmation());
  EXPECT_EQ(receive(message("granted 1 tok") + std::string(test::kOk)).size(), 1U);
  EXPECT_TRUE(subscription_.broken());
}

TEST_F(SubscriptionTest, KeepsTheReasonOfItsFirstEnd) {
  std::vector<Push> pushes;
  subscription_.fail(Fault::timeout, "no answer", pushes);
  subscription_.fail(Fault::closed, "closed by us", pushes);
  EXPECT_EQ(subscription_.fault(), Fault::timeout);
  EXPECT_EQ(subscription_.reason(), "no answer");
  EXPECT_FALSE(subscription_.has_output());
}

TEST_F(SubscriptionTest, IsConfirmedOnce) {
  receive(confirmation());
  expect_end(confirmation(), Fault::protocol);
}

using APing = SubscriptionTest;

TEST_F(APing, IsAnsweredByAPong) {
  receive(confirmation());
  subscription_.ping(t(50));
  EXPECT_EQ(subscription_.next_deadline(), t(50));
  EXPECT_THAT(sent(), testing::ElementsAre(Arguments{"PING"}));
  EXPECT_GT(subscription_.unanswered_bytes(), 0U);
  EXPECT_EQ(receive(message("next 1 tok")).size(), 1U);
  EXPECT_EQ(subscription_.next_deadline(), t(50));
  EXPECT_GT(subscription_.unanswered_bytes(), 0U) << "a push is no answer to it";
  receive(pong());
  EXPECT_EQ(subscription_.next_deadline(), std::nullopt);
  EXPECT_EQ(subscription_.unanswered_bytes(), 0U);
  EXPECT_TRUE(subscription_.confirmed());
}

TEST_F(APing, IsSaidOnceUntilItIsAnswered) {
  subscription_.ping(t(50));
  EXPECT_EQ(sent().size(), 1U) << "only what subscribes";
  receive(confirmation());
  subscription_.ping(t(50));
  subscription_.ping(t(60));
  EXPECT_EQ(sent().size(), 1U);
  EXPECT_EQ(subscription_.next_deadline(), t(50));
}

// An ACL may forbid it, or a server not know it: it lives all the same.
TEST_F(APing, IsAnsweredByAnErrorToo) {
  receive(confirmation());
  subscription_.ping(t(50));
  receive(test::error("NOPERM this user has no permissions to run the 'ping' command"));
  EXPECT_TRUE(subscription_.confirmed());
  EXPECT_EQ(subscription_.next_deadline(), std::nullopt);
  expect_end(test::error("NOPERM no"), Fault::protocol);
}

// That is how a server answers who is not subscribed any more.
TEST_F(APing, IsNotAnsweredByAStatus) {
  receive(confirmation());
  subscription_.ping(t(50));
  expect_end("+PONG\r\n", Fault::protocol);
}

TEST_F(APing, IsNotAnsweredByAListThatBeginsWithAStatus) {
  receive(confirmation());
  subscription_.ping(t(50));
  expect_end("*2\r\n+pong\r\n" + bulk(""), Fault::protocol);
}

TEST_F(APing, ThatNobodySentIsNotAnswered) {
  receive(confirmation());
  expect_end(pong(), Fault::protocol);
}

class SubscriptionBehindAGreeting : public SubscriptionTest {
 protected:
  SubscriptionBehindAGreeting() : SubscriptionTest(endpoint()) {}
  static Endpoint endpoint() {
    Endpoint endpoint;
    endpoint.user = "alice";
    endpoint.password = "secret";
    endpoint.database = 3;
    return endpoint;
  }
};

TEST_F(SubscriptionBehindAGreeting, IsHeldBackUntilTheSelectIsConfirmed) {
  EXPECT_THAT(sent(),
              testing::ElementsAre(Arguments{"AUTH", "alice", "secret"}, Arguments{"SELECT", "3"}));
  std::vector<Push> pushes;
  subscription_.on_bytes("+OK\r\n+OK\r\n", pushes);
  EXPECT_TRUE(subscription_.greeting());
  EXPECT_THAT(sent(), testing::ElementsAre(Arguments{"SUBSCRIBE", kChannel}));
  receive(confirmation());
  EXPECT_TRUE(subscription_.confirmed());
}

TEST_F(SubscriptionBehindAGreeting, EndsWhereThatIsRefused) {
  expect_end(test::error("WRONGPASS invalid username-password pair"), Fault::auth);
  EXPECT_FALSE(subscription_.refused()) << "it is not about listening";
  EXPECT_FALSE(subscription_.has_output());
}

TEST_F(SubscriptionBehindAGreeting, ShowsNoSecretInAReason) {
  expect_end("+OK\r\n+OK\r\n" + test::error("ERR unknown command, you sent secret"),
             Fault::rejected);
  EXPECT_THAT(subscription_.reason(), testing::Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace redlock::subscription_test
