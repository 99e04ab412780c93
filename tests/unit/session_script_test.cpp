// How a session sends scripts: as text until the server has run them, and again where it has
// forgotten them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session_fixture.hpp"

namespace redlock::session_script_test {
namespace {

using test::check_of;
using test::delete_of;
using test::SessionTest;
using test::set_of;
using test::shared;
using test::t;

using AScriptInASession = SessionTest;

TEST_F(AScriptInASession, WhatWasDecidedMeanwhileIsNotRepeatedAfterNoscript) {
  ASSERT_TRUE(submit(1, check_of("a")));
  receive(":1\r\n");
  ASSERT_TRUE(submit(2, check_of("b")));
  sent();
  session_.withdraw(2);
  receive("-NOSCRIPT No matching script.\r\n");
  EXPECT_TRUE(sent().empty());
  EXPECT_FALSE(session_.broken());
}

TEST_F(AScriptInASession, WhatExpiredMeanwhileIsNotRepeatedEither) {
  ASSERT_TRUE(submit(1, check_of("a")));
  receive(":1\r\n");
  ASSERT_TRUE(submit(2, check_of("b"), t(50)));
  sent();
  receive("-NOSCRIPT No matching script.\r\n");
  std::vector<Arrival> arrivals;
  session_.drop_expired(t(50), arrivals);
  EXPECT_TRUE(sent().empty());
  EXPECT_EQ(arrivals.size(), 1U);
}

// Its answer is of no interest, so nobody would react to a NOSCRIPT.
TEST_F(AScriptInASession, ACleanupGoesAsTextThoughTheServerKnowsTheScript) {
  ASSERT_TRUE(submit(1, delete_of("a")));
  receive(":1\r\n");
  sent();
  ASSERT_TRUE(submit(0, delete_of("b")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
}

TEST_F(AScriptInASession, OfManyReleasesTheFirstGoesAsText) {
  for (const char* token : {"a", "b", "c"}) ASSERT_TRUE(submit(1, delete_of(token)));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL", "EVALSHA", "EVALSHA"}));
  // A script that is refused is none that the server knows from then on.
  receive("-LOADING Redis is loading the dataset in memory\r\n");
  ASSERT_TRUE(submit(2, delete_of("d")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
  receive("-NOSCRIPT No matching script.\r\n");
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
}

TEST_F(AScriptInASession, AScriptGoesAsTextUntilTheServerHasRunItOnce) {
  ASSERT_TRUE(submit(1, check_of("a")));
  ASSERT_TRUE(submit(1, check_of("b")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL", "EVAL"}));
  receive(":1\r\n:0\r\n");
  ASSERT_TRUE(submit(1, check_of("c")));
  ASSERT_TRUE(submit(1, delete_of("c")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVALSHA", "EVAL"}));
}

TEST_F(AScriptInASession, AScriptThatTheServerForgotOrRefusedGoesAsTextNextTime) {
  ASSERT_TRUE(submit(1, check_of("a")));
  sent();
  receive("-OOM command not allowed\r\n");
  ASSERT_TRUE(submit(1, check_of("b")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
  receive(":1\r\n");
  ASSERT_TRUE(submit(1, check_of("c")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVALSHA"}));
  receive("-NOSCRIPT No matching script.\r\n");
  ASSERT_TRUE(submit(1, check_of("d")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL", "EVAL"}));
}

constexpr const char* kNoEval =
    "-NOPERM this user has no permissions to run the 'eval' command\r\n";
constexpr const char* kNoEvalsha =
    "-NOPERM this user has no permissions to run the 'evalsha' command\r\n";

// A server that runs no scripts would never take the lock back.
TEST_F(AScriptInASession, ATakeIsAScriptUntilTheServerHasCarriedOneOut) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(2, set_of("b")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL", "EVAL"}));
  receive(std::string(test::kOk) + std::string(test::kNil));
  ASSERT_TRUE(submit(3, set_of("c")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"SET"}));
}

TEST_F(AScriptInASession, ATakeThatIsRefusedAsAScriptWasNotDone) {
  ASSERT_TRUE(submit(1, set_of("a")));
  sent();
  const auto arrivals = receive(kNoEval);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.fault, Fault::scripts);
  EXPECT_FALSE(may_have_been_done(arrivals[0].reply));
  EXPECT_NE(arrivals[0].reply.reason().find("+eval +evalsha"), std::string::npos);
  ASSERT_TRUE(submit(2, set_of("b")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
}

TEST_F(AScriptInASession, BehindARefusalTakesAreScriptsAgain) {
  ASSERT_TRUE(submit(1, set_of("a")));
  receive(test::kOk);
  sent();
  ASSERT_TRUE(submit(2, set_of("b")));
  ASSERT_TRUE(submit(3, delete_of("a")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"SET", "EVAL"}));
  receive(std::string(test::kOk) + kNoEval);
  ASSERT_TRUE(submit(4, set_of("c")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
  // It is mended: nothing stays of the refusal.
  receive(test::kOk);
  ASSERT_TRUE(submit(5, set_of("d")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"SET"}));
}

TEST_F(AScriptInASession, ARemovalThatIsRefusedAsAScriptIsOwed) {
  ASSERT_TRUE(submit(0, delete_of("a")));
  receive(kNoEval);
  EXPECT_EQ(session_.refused().size(), 1U);
}

TEST_F(AScriptInASession, WhereEvalshaAloneIsRefusedItGoesAsText) {
  ASSERT_TRUE(submit(1, check_of("a")));
  receive(":1\r\n");
  ASSERT_TRUE(submit(2, check_of("b")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL", "EVALSHA"}));
  EXPECT_TRUE(receive(kNoEvalsha).empty());
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
  const auto arrivals = receive(":1\r\n");
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.answer, Answer::granted);
}

TEST_F(AScriptInASession, AReleaseThatMetNoscriptIsRepeatedThoughAnotherRemovalStandsBehindIt) {
  ASSERT_TRUE(submit(1, delete_of("a")));
  receive(":1\r\n");
  ASSERT_TRUE(submit(2, delete_of("b")));
  ASSERT_TRUE(submit(0, delete_of("b")));
  sent();
  EXPECT_TRUE(receive("-NOSCRIPT No matching script.\r\n").empty());
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
}

// Another removal may have gone out behind it, and an old client may have taken the lock since.
TEST_F(AScriptInASession, AReleaseThatNobodyWaitsForIsRepeatedForTheExactStampAlone) {
  const auto release = [](const std::string& stamp) {
    return shared(StampRelease{Resource("r"), Token(stamp), Duration(), StampUnit::milliseconds,
                               StampProof::exact_or_plain});
  };
  ASSERT_TRUE(submit(1, release("1.1")));
  receive(":1\r\n");
  for (const OperationId still_waiting : {2U, 3U})
    ASSERT_TRUE(submit(still_waiting, release("2.2")));
  sent();
  session_.withdraw(3);
  receive("-NOSCRIPT No matching script.\r\n-NOSCRIPT No matching script.\r\n");
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].back(), "1");
  EXPECT_EQ(requests[1].back(), "0");
}

TEST_F(AScriptInASession, AnUnknownScriptIsSentAsTextOnceAndAnsweredOnce) {
  ASSERT_TRUE(submit(1, check_of("a")));
  receive(":1\r\n");
  ASSERT_TRUE(submit(2, check_of("b")));
  ASSERT_TRUE(submit(3, set_of("c")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL", "EVALSHA", "EVAL"}));
  auto arrivals = receive("-NOSCRIPT No matching script.\r\n");
  EXPECT_TRUE(arrivals.empty());
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
  // The repetition stands behind what had been sent before it.
  arrivals = receive(std::string(test::kOk) + ":1\r\n");
  ASSERT_EQ(arrivals.size(), 2U);
  EXPECT_EQ(arrivals[0].origin.operation, 3U);
  EXPECT_EQ(arrivals[1].origin.operation, 2U);
  EXPECT_EQ(arrivals[1].reply.answer, Answer::granted);
}

TEST_F(AScriptInASession, AnUnknownScriptIsSentAsTextThoughAnotherCallFoundItMeanwhile) {
  ASSERT_TRUE(submit(1, check_of("a")));
  receive(":1\r\n");
  ASSERT_TRUE(submit(2, check_of("b")));
  ASSERT_TRUE(submit(3, check_of("c")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL", "EVALSHA", "EVALSHA"}));
  receive("-NOSCRIPT No matching script.\r\n:1\r\n");
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
}

TEST_F(AScriptInASession, ARepetitionDoesNotCostTheConnectionWhatWasDueLongAgo) {
  ASSERT_TRUE(submit(1, check_of("a")));
  receive(":1\r\n");
  ASSERT_TRUE(session_.submit({2, NodeIndex(0), 1}, check_of("b"), t(50)));
  EXPECT_EQ(session_.next_deadline(), t(50));
  receive("-NOSCRIPT No matching script.\r\n");
  EXPECT_EQ(session_.next_deadline(), Instant::never());
}

// Where a server leaves an answer out, the next one stands in its place.
TEST_F(AScriptInASession, AnUnknownScriptIsNoAnswerToATextNorToAnythingElse) {
  for (const SharedCommand& command : {check_of("a"), set_of("a")}) {
    Session session(Endpoint{}, encoder_);
    ASSERT_TRUE(session.submit({1, NodeIndex(0), 1}, command, t(1)));
    session.mark_sent(session.output().size());
    std::vector<Arrival> arrivals;
    session.on_bytes("-NOSCRIPT No matching script.\r\n", arrivals);
    ASSERT_EQ(arrivals.size(), 1U);
    EXPECT_EQ(arrivals[0].reply.fault, Fault::protocol);
    EXPECT_TRUE(session.broken());
  }
}

class TakeByItsSha1 : public AScriptInASession {
 protected:
  // Operation 2 takes with the token 22, by a script that the server has run before.
  void take_by_sha1() {
    const auto take_of = [](const std::string& fraction) {
      return shared(StampAcquire{Resource("r"), Token(fraction), Duration::ms(900)});
    };
    ASSERT_TRUE(submit(1, take_of("11")));
    receive(test::bulk("123.11"));
    sent();
    ASSERT_TRUE(submit(2, take_of("22")));
  }
};

TEST_F(TakeByItsSha1, IsRepeatedThoughARemovalOfAnothersTokenStandsBehindIt) {
  ASSERT_NO_FATAL_FAILURE(take_by_sha1());
  ASSERT_TRUE(submit(0, shared(StampUndo{Resource("r"), Token("33")})));
  sent();
  EXPECT_TRUE(receive("-NOSCRIPT No matching script.\r\n").empty());
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
}

TEST_F(TakeByItsSha1, IsNotRepeatedWhereItsUndoIsOnItsWay) {
  ASSERT_NO_FATAL_FAILURE(take_by_sha1());
  ASSERT_TRUE(submit(0, shared(StampUndo{Resource("r"), Token("22")})));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVALSHA", "EVAL"}));
  const auto arrivals = receive("-NOSCRIPT No matching script.\r\n");
  EXPECT_TRUE(verbs().empty()) << "it would be taken behind its own undo, and nobody would know";
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_NE(arrivals[0].reply.answer, Answer::granted);
}

}  // namespace
}  // namespace redlock::session_script_test
