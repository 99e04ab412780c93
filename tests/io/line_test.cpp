// Listening to real servers: pushes, subscriptions that are killed or forbidden, signs of life,
// forks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "io/support/descriptors.hpp"
#include "io/support/fleet.hpp"
#include "support/child.hpp"
#include "support/listening.hpp"

namespace redlock::line_test {
namespace {

using test::eventually;
using test::exit_status_of_child;
using test::Fleet;
using test::Listening;
using test::RedisServer;
using test::ServerSettings;
using test::Told;
using testing::HasSubstr;
using testing::SizeIs;

// The system's clock, which can be made to show a later time.
class LeapingClock final : public Clock {
 public:
  [[nodiscard]] Instant now() override { return clock_.now() + ahead_; }
  void leap(Duration span) { ahead_ = ahead_ + span; }

 private:
  SystemClock clock_;
  Duration ahead_;
};

class ListeningTest : public Fleet {
 protected:
  NodeList nodes_of(const RedisServer& server, const std::string& user = "",
                    Duration timeout = test::kPatience) {
    Endpoint endpoint = parse_server(server.address()).endpoint;
    endpoint.client_name = "listener";
    endpoint.user = user;
    if (!user.empty()) endpoint.password = "p";
    return {pool_.node(endpoint, timeout)};
  }
  OperationId listen(const NodeList& nodes) {
    return pool_.begin(std::make_unique<Listening>(told_, nodes.size(), Token("tok")), nodes);
  }
  bool step_until(const std::function<bool()>& condition) {
    return eventually([&] {
      pool_.step(clock_.now() + Duration::ms(1));
      return condition();
    });
  }
  bool hears() {
    return step_until([&] { return !told_.channel(0).empty(); });
  }

  LeapingClock clock_;
  SystemEntropy entropy_;
  SocketTransport transport_{clock_};
  Pool pool_{transport_, clock_, entropy_};
  Told told_;
};

TEST_F(ListeningTest, APushIsHeard) {
  listen(nodes_of(server(0)));
  ASSERT_TRUE(hears());
  EXPECT_EQ(server(0).say({"PUBLISH", told_.channel(0), "granted 5 tok"}), "1");
  ASSERT_TRUE(step_until([&] { return !told_.pushes.empty(); }));
  EXPECT_EQ(told_.pushes[0].echo, 5U);
}

TEST_F(ListeningTest, IsHeardBehindASelect) {
  NodeList nodes = nodes_of(server(0));
  Endpoint endpoint = nodes[0]->endpoint();
  endpoint.database = 3;
  listen({pool_.node(endpoint, test::kPatience)});
  ASSERT_TRUE(hears());
  EXPECT_EQ(server(0).say({"PUBLISH", told_.channel(0), "next -2 tok"}), "1");
  EXPECT_TRUE(step_until([&] { return !told_.pushes.empty(); }));
}

TEST_F(ListeningTest, ASubscriptionThatIsKilledComesBackUnderAnotherName) {
  listen(nodes_of(server(0)));
  ASSERT_TRUE(hears());
  const std::string first = told_.channel(0);
  EXPECT_EQ(server(0).say({"CLIENT", "KILL", "TYPE", "pubsub"}), "1");
  ASSERT_TRUE(step_until([&] { return told_.subscription_states.size() >= 3; }));
  EXPECT_EQ(told_.subscription_states[1].subscription_state.channel, "");
  EXPECT_EQ(told_.subscription_states[1].subscription_state.fault, Fault::closed);
  EXPECT_NE(told_.channel(0), "");
  EXPECT_NE(told_.channel(0), first);
  EXPECT_EQ(server(0).say({"PUBLISH", first, "granted 1 tok"}), "0");
}

TEST_F(ListeningTest, AServerThatIsStartedAgainIsListenedToAgain) {
  listen(nodes_of(server(0)));
  ASSERT_TRUE(hears());
  server(0).kill9();
  ASSERT_TRUE(step_until([&] { return told_.channel(0).empty(); }));
  server(0).start();
  EXPECT_TRUE(hears());
}

TEST_F(ListeningTest, WhereAnAclForbidsToSubscribeThatIsTold) {
  RedisServer guarded;
  guarded.ask({"ACL", "SETUSER", "unsubscribed", "on", ">p", "~*", "&*", "+@all", "-subscribe"});
  listen(nodes_of(guarded, "unsubscribed"));
  ASSERT_TRUE(step_until([&] { return !told_.subscription_states.empty(); }));
  EXPECT_EQ(told_.subscription_states[0].subscription_state.fault, Fault::acl);
  EXPECT_THAT(told_.subscription_states[0].subscription_state.reason, HasSubstr("NOPERM"));
}

TEST_F(ListeningTest, WhereAnAclForbidsTheChannelThatIsTold) {
  RedisServer guarded;
  guarded.ask(
      {"ACL", "SETUSER", "unsubscribed", "on", ">p", "~*", "resetchannels", "&other:*", "+@all"});
  listen(nodes_of(guarded, "unsubscribed"));
  ASSERT_TRUE(step_until([&] { return !told_.subscription_states.empty(); }));
  EXPECT_EQ(told_.subscription_states[0].subscription_state.fault, Fault::acl);
}

TEST_F(ListeningTest, AnAclThatNamesOurChannelsAndNoPingIsEnough) {
  RedisServer guarded;
  guarded.ask({"ACL", "SETUSER", "hears", "on", ">p", "~*", "resetchannels", "&redlock:*",
               "+subscribe", "+client|setname"});
  listen(nodes_of(guarded, "hears"));
  ASSERT_TRUE(hears());
  clock_.leap(kHeartbeat);
  EXPECT_FALSE(step_until([&, turns = 0]() mutable {
                 return ++turns > 200 || told_.subscription_states.size() > 1;
               }) &&
               told_.subscription_states.size() > 1);
  EXPECT_EQ(guarded.say({"PUBLISH", told_.channel(0), "granted 1 tok"}), "1");
}

TEST_F(ListeningTest, WhereTheCommandHasAnotherNameThatIsTold) {
  ServerSettings settings;
  settings.lines = {"rename-command SUBSCRIBE \"\""};
  RedisServer renamed(settings);
  listen(nodes_of(renamed));
  ASSERT_TRUE(step_until([&] { return !told_.subscription_states.empty(); }));
  EXPECT_EQ(told_.subscription_states[0].subscription_state.fault, Fault::rejected);
}

TEST_F(ListeningTest, ASignOfLifeKeepsIt) {
  listen(nodes_of(server(0)));
  ASSERT_TRUE(hears());
  for (std::uint64_t pings = 1; pings <= 3; ++pings) {
    clock_.leap(kHeartbeat);
    ASSERT_TRUE(step_until([&] { return server(0).calls("ping") == pings; }));
    // A push comes behind the answer to the ping, which the next leap would make too late.
    EXPECT_EQ(server(0).say({"PUBLISH", told_.channel(0), "granted 1 tok"}), "1");
    ASSERT_TRUE(step_until([&] { return told_.pushes.size() == pings; }));
  }
  EXPECT_THAT(told_.subscription_states, SizeIs(1));
}

TEST_F(ListeningTest, AServerThatGivesNoneIsListenedToNoMore) {
  listen(nodes_of(server(0), "", Duration::ms(100)));
  ASSERT_TRUE(hears());
  server(0).stop();
  clock_.leap(kHeartbeat);
  EXPECT_TRUE(step_until([&] { return told_.channel(0).empty(); }));
  EXPECT_EQ(told_.subscription_states[1].subscription_state.fault, Fault::timeout);
  server(0).go_on();
  EXPECT_TRUE(hears());
}

TEST_F(ListeningTest, OneThatNobodyListensToIsClosedAfterTheIdleLimit) {
  const OperationId id = listen(nodes_of(server(0)));
  ASSERT_TRUE(hears());
  pool_.collect(id);
  clock_.leap(kIdleLimitDefault + Duration::seconds(1));
  pool_.step(clock_.now());
  EXPECT_EQ(pool_.listener_count(), 0U);
  EXPECT_TRUE(eventually([] { return server(0).clients_named("listener").empty(); }));
}

TEST_F(ListeningTest, AChildLeavesItsParentsSubscriptionAloneAndKeepsNoDescriptorOfIt) {
  const std::set<int> before = test::open_descriptors();
  listen(nodes_of(server(0)));
  ASSERT_TRUE(hears());
  const std::string channel = told_.channel(0);
  EXPECT_EQ(test::open_descriptors().size(), before.size() + 1);
  EXPECT_EQ(exit_status_of_child([&] {
              const bool forgotten = pool_.listener_count() == 0;
              return forgotten && test::open_descriptors() == before;
            }),
            0);
  EXPECT_EQ(exit_status_of_child([&] {
              pool_.close_all();
              return test::open_descriptors() == before;
            }),
            0);
  EXPECT_EQ(server(0).say({"PUBLISH", channel, "granted 1 tok"}), "1");
  EXPECT_TRUE(step_until([&] { return !told_.pushes.empty(); }));
  EXPECT_THAT(told_.subscription_states, SizeIs(1));
}

TEST_F(ListeningTest, AChildListensUnderANameOfItsOwn) {
  const NodeList nodes = nodes_of(server(0));
  listen(nodes);
  ASSERT_TRUE(hears());
  const std::string parents = told_.channel(0);
  EXPECT_EQ(exit_status_of_child([&] {
              told_ = Told();
              listen(nodes_of(server(0)));
              return hears() && told_.channel(0) != parents &&
                     server(0).clients_named("listener").size() == 2;
            }),
            0);
  EXPECT_EQ(server(0).say({"PUBLISH", parents, "granted 1 tok"}), "1");
}

}  // namespace
}  // namespace redlock::line_test
