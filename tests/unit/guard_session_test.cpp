// What a session with a guard sends before the server has said who it is, and to one without a
// vote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session_fixture.hpp"

namespace redlock::guard_session_test {
namespace {

using test::Arguments;
using test::check_of;
using test::delete_of;
using test::set_of;
using test::t;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kMaster = "$13\r\nrole:master\r\n\r\n";
constexpr std::string_view kReplica = "$12\r\nrole:slave\r\n\r\n";

class GuardedSession : public test::SessionTest {
 protected:
  GuardedSession() : SessionTest(endpoint()) {}
  static Endpoint endpoint() {
    Endpoint endpoint;
    endpoint.client_name = "me";
    endpoint.guard.parts.role = true;
    endpoint.guard.longest_ttl = Duration::seconds(60);
    return endpoint;
  }
  std::vector<Arrival> dropped() {
    std::vector<Arrival> arrivals;
    session_.drop_expired(t(0), arrivals);
    return arrivals;
  }
};

TEST_F(GuardedSession, AsksWithTheGreetingAndNothingGoesBehindItBeforeItIsAnswered) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(2, delete_of("b")));
  EXPECT_THAT(sent(),
              ElementsAre(Arguments{"CLIENT", "SETNAME", "me"}, Arguments{"INFO", "replication"}));
  EXPECT_TRUE(session_.greeting());
  EXPECT_FALSE(session_.idle());
}

TEST_F(GuardedSession, AServerThatIsFitIsAskedWhatWaited) {
  ASSERT_TRUE(submit(1, set_of("a")));
  (void)sent();
  EXPECT_THAT(receive("+OK\r\n" + std::string(kMaster)), IsEmpty());
  EXPECT_THAT(dropped(), IsEmpty());
  EXPECT_THAT(verbs(), ElementsAre("EVAL"));
  EXPECT_EQ(receive("+OK\r\n").at(0).reply.answer, Answer::granted);
}

// It would be taken for said, and a second time for said again: nobody would say it a third time.
TEST_F(GuardedSession, HasNoLastWordsForAServerThatHasNotSaidWhatItIs) {
  ASSERT_TRUE(submit(1, delete_of("a")));
  (void)sent();
  fail();
  EXPECT_FALSE(session_.has_last_words());
  EXPECT_EQ(session_.requests().unsettled().size(), 1U);
}

TEST_F(GuardedSession, ToOneWithoutAVoteNothingGoesButRemovals) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(2, check_of("b")));
  ASSERT_TRUE(submit(3, delete_of("c")));
  (void)sent();
  (void)receive("+OK\r\n" + std::string(kReplica));
  const auto arrivals = dropped();
  ASSERT_EQ(arrivals.size(), 2U);
  for (const Arrival& arrival : arrivals) {
    EXPECT_EQ(arrival.reply.fault, Fault::guard);
    EXPECT_EQ(arrival.reply.reason(), "guard: it is a replica");
    EXPECT_FALSE(arrival.reply.sent);
  }
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_THAT(requests[0], testing::Contains("c"));
  EXPECT_FALSE(session_.broken());
}

TEST_F(GuardedSession, TheUndoOfWhatWasNeverSentIsNotSentEither) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(0, delete_of("a")));
  (void)sent();
  (void)receive("+OK\r\n" + std::string(kReplica));
  (void)dropped();
  EXPECT_THAT(sent(), IsEmpty());
}

TEST_F(GuardedSession, AnObjectionFromElsewhereHoldsUpWhatIsNotSent) {
  ASSERT_TRUE(submit(1, set_of("a")));
  (void)sent();
  std::vector<Arrival> none;
  session_.on_bytes("+OK\r\n" + std::string(kMaster), none);
  session_.object(same_server_as("10.0.0.1:6379", "abc"));
  EXPECT_FALSE(session_.has_output());
  EXPECT_EQ(dropped().at(0).reply.reason(),
            "guard: it is the same server as 10.0.0.1:6379 (run_id abc)");
}

TEST_F(GuardedSession, AnAnswerOfAnotherKindEndsIt) {
  (void)sent();
  (void)receive("+OK\r\n+OK\r\n");
  EXPECT_TRUE(session_.broken());
  EXPECT_EQ(session_.fault(), Fault::protocol);
}

}  // namespace
}  // namespace redlock::guard_session_test
