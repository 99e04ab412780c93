// What a session sends and counts where replicas must have each vote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session_fixture.hpp"

namespace redlock::session_replies_test {
namespace {

using test::Arguments;
using test::check_of;
using test::delete_of;
using test::set_of;
using test::t;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kOneReplica = "$20\r\nconnected_slaves:1\r\n\r\n";

class SessionReplies : public test::SessionTest {
 protected:
  SessionReplies() : SessionTest(endpoint()) {
    (void)receive(kOneReplica);
    (void)sent();
  }
  static Endpoint endpoint() {
    Endpoint endpoint;
    endpoint.guard.replicas = 1;
    endpoint.guard.replica_wait = Duration::ms(30);
    return endpoint;
  }
};

TEST_F(SessionReplies, AVoteCountsOnceReplicasHaveIt) {
  ASSERT_TRUE(submit(1, set_of("a")));
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[1], (Arguments{"WAIT", "1", "30"}));
  EXPECT_THAT(receive("+OK\r\n"), IsEmpty());
  EXPECT_FALSE(session_.idle());
  EXPECT_EQ(receive(":1\r\n").at(0).reply.answer, Answer::granted);
  EXPECT_TRUE(session_.idle());
}

TEST_F(SessionReplies, AVoteThatTooFewHaveIsUnknownAndMayHaveBeenDone) {
  ASSERT_TRUE(submit(1, set_of("a")));
  const auto arrivals = receive("+OK\r\n:0\r\n");
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.fault, Fault::noreplicas);
  EXPECT_EQ(arrivals[0].reply.reason(), "replicas: too few, 0 of 1 have it in time");
  EXPECT_TRUE(may_have_been_done(arrivals[0].reply));
}

TEST_F(SessionReplies, ADenialIsOneWhateverReplicasSay) {
  ASSERT_TRUE(submit(1, set_of("a")));
  EXPECT_EQ(receive("$-1\r\n:0\r\n").at(0).reply.answer, Answer::denied);
}

TEST_F(SessionReplies, AServerThatRefusesWaitGivesNoVote) {
  ASSERT_TRUE(submit(1, set_of("a")));
  const auto arrivals = receive("+OK\r\n-NOPERM this user may not\r\n");
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.fault, Fault::acl);
  EXPECT_EQ(arrivals[0].reply.reason(), "replicas: WAIT was refused: NOPERM this user may not");
  EXPECT_TRUE(may_have_been_done(arrivals[0].reply));
  EXPECT_FALSE(session_.broken());
}

TEST_F(SessionReplies, OneWaitServesAllThatGoTogether) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(2, delete_of("b")));
  ASSERT_TRUE(submit(3, set_of("c")));
  EXPECT_THAT(verbs(), ElementsAre("EVAL", "EVAL", "EVAL", "WAIT"));
  EXPECT_THAT(receive("+OK\r\n:1\r\n$-1\r\n"), IsEmpty());
  const auto arrivals = receive(":0\r\n");
  ASSERT_EQ(arrivals.size(), 3U);
  EXPECT_EQ(arrivals[0].reply.fault, Fault::noreplicas);
  EXPECT_EQ(arrivals[1].reply.answer, Answer::granted);
  EXPECT_EQ(arrivals[2].reply.answer, Answer::denied);
  EXPECT_TRUE(session_.idle());
}

TEST_F(SessionReplies, WhatTakesNoLockWaitsForNobody) {
  ASSERT_TRUE(submit(1, check_of("a")));
  ASSERT_TRUE(submit(2, delete_of("a")));
  EXPECT_THAT(verbs(), ElementsAre("EVAL", "EVAL"));
  EXPECT_EQ(receive(":1\r\n").size(), 1U);
}

TEST_F(SessionReplies, WhatIsTakenBackTakesItsWaitAlongAndTheRestGetsOne) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(2, set_of("b")));
  const std::string bytes(session_.output());
  const std::size_t second = bytes.find("*", bytes.find("\r\na\r\n"));
  session_.mark_sent(second);
  session_.take_back();
  session_.withdraw(2);
  EXPECT_THAT(receive("+OK\r\n"), IsEmpty());
  EXPECT_EQ(receive(":1\r\n").at(0).reply.answer, Answer::granted);
  EXPECT_TRUE(session_.idle());
}

TEST_F(SessionReplies, ARemovalBehindAWaitIsNotCarriedOutBeforeThatIsOver) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(2, delete_of("b")));
  (void)sent();
  EXPECT_FALSE(session_.removal_stands_behind_wait());
  ASSERT_TRUE(submit(3, delete_of("a")));
  (void)sent();
  EXPECT_TRUE(session_.removal_stands_behind_wait());
  (void)receive("+OK\r\n:1\r\n:0\r\n");
  EXPECT_FALSE(session_.removal_stands_behind_wait());
}

TEST_F(SessionReplies, AnUnknownScriptIsSaidAgainWithAWaitOfItsOwn) {
  ASSERT_TRUE(submit(1, test::shared(ExtendIfEqual{Resource("r"), Token("a"), Duration::ms(5)})));
  ASSERT_EQ(receive(":1\r\n:1\r\n").size(), 1U);
  (void)sent();
  ASSERT_TRUE(submit(2, test::shared(ExtendIfEqual{Resource("r"), Token("a"), Duration::ms(5)})));
  EXPECT_THAT(verbs(), ElementsAre("EVALSHA", "WAIT"));
  EXPECT_THAT(receive("-NOSCRIPT No matching script\r\n:1\r\n"), IsEmpty());
  EXPECT_THAT(verbs(), ElementsAre("EVAL", "WAIT"));
  EXPECT_EQ(receive(":1\r\n:1\r\n").at(0).reply.answer, Answer::granted);
}

TEST_F(SessionReplies, AnEndInBetweenIsUnknown) {
  ASSERT_TRUE(submit(1, set_of("a")));
  EXPECT_THAT(receive("+OK\r\n"), IsEmpty());
  const auto arrivals = fail();
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.answer, Answer::unknown);
  EXPECT_THAT(session_.requests().open_acquisitions(), ElementsAre(1U));
}

TEST_F(SessionReplies, AnAnswerThatIsNoneOfWaitEndsIt) {
  ASSERT_TRUE(submit(1, set_of("a")));
  const auto arrivals = receive("+OK\r\n+OK\r\n");
  EXPECT_TRUE(session_.broken());
  EXPECT_EQ(arrivals.at(0).reply.fault, Fault::protocol);
}

}  // namespace
}  // namespace redlock::session_replies_test
