// AUTH, CLIENT SETNAME and SELECT, before and along with the first command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session_fixture.hpp"

namespace redlock::session_handshake_test {
namespace {

using test::Arguments;
using test::check_of;
using test::delete_of;
using test::SessionTest;
using test::set_of;
using test::t;
using testing::HasSubstr;

class AuthenticatedSession : public SessionTest {
 protected:
  AuthenticatedSession() : SessionTest(endpoint()) {}
  static Endpoint endpoint() {
    Endpoint endpoint;
    endpoint.user = "alice";
    endpoint.password = "secret";
    endpoint.client_name = "me";
    return endpoint;
  }
};

TEST_F(AuthenticatedSession, TheHandshakeTravelsWithTheFirstCommand) {
  ASSERT_TRUE(submit(1, set_of("a")));
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0], (Arguments{"AUTH", "alice", "secret"}));
  EXPECT_EQ(requests[1], (Arguments{"CLIENT", "SETNAME", "me"}));
  EXPECT_EQ(requests[2][0], "EVAL");
  EXPECT_EQ(receive("+OK\r\n+OK\r\n+OK\r\n").size(), 1U);
}

TEST_F(AuthenticatedSession, AnotherStatusThanOkConfirmsNothing) {
  receive("+QUEUED\r\n");
  EXPECT_TRUE(session_.broken());
  EXPECT_EQ(session_.fault(), Fault::protocol);
}

TEST_F(AuthenticatedSession, ANameThatIsForbiddenIsDoneWithout) {
  ASSERT_TRUE(submit(1, set_of("a")));
  const auto arrivals = receive("+OK\r\n-NOPERM no\r\n+OK\r\n");
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.answer, Answer::granted);
}

TEST_F(AuthenticatedSession, ThePasswordIsWipedOnceItIsSent) {
  const std::string_view bytes = session_.output();
  ASSERT_NE(bytes.find("secret"), std::string_view::npos);
  session_.mark_sent(bytes.size());
  EXPECT_EQ(bytes.find("secret"), std::string_view::npos) << "what stands there now";
}

// It complains in its own protocol, if at all.
TEST_F(AuthenticatedSession, AServerThatExpectsTlsIsNamed) {
  ASSERT_TRUE(submit(1, set_of("a")));
  EXPECT_EQ(receive(std::string_view("\x15\x03\x01\0\2\2\x46", 7)).size(), 1U);
  EXPECT_EQ(session_.fault(), Fault::tls);
  EXPECT_EQ(session_.reason(), "the server speaks TLS, and this client does not");
}

// It says so in place of the first answer, whatever was asked, and closes.
TEST_F(AuthenticatedSession, AServerWithTooManyClientsIsNotTakenForOneThatForbidsTheName) {
  ASSERT_TRUE(submit(1, set_of("a")));
  const auto arrivals = receive("+OK\r\n-ERR max number of clients reached\r\n");
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.fault, Fault::maxclients);
  EXPECT_TRUE(session_.broken());
}

TEST_F(AuthenticatedSession, NorIsOneInProtectedMode) {
  ASSERT_TRUE(submit(1, set_of("a")));
  const auto arrivals = receive("+OK\r\n-DENIED Redis is running in protected mode\r\n");
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_THAT(arrivals[0].reply.reason(), HasSubstr("protected mode"));
  EXPECT_TRUE(session_.broken());
}

TEST_F(AuthenticatedSession, NorIsItSaidToRefuseThePassword) {
  ASSERT_TRUE(submit(1, set_of("a")));
  const auto arrivals = receive("-ERR max number of clients reached\r\n");
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.fault, Fault::maxclients);
  EXPECT_THAT(arrivals[0].reply.reason(), HasSubstr("the connection was refused: ERR max number"));
}

TEST_F(AuthenticatedSession, AWrongPasswordEndsTheSessionAndIsNotRepeatedInTheReason) {
  ASSERT_TRUE(submit(1, set_of("a")));
  const auto arrivals = receive("-WRONGPASS invalid username-password pair\r\n+OK\r\n");
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.fault, Fault::auth);
  EXPECT_THAT(arrivals[0].reply.reason(), HasSubstr("AUTH was refused: WRONGPASS"));
  EXPECT_THAT(arrivals[0].reply.reason(), testing::Not(HasSubstr("secret")));
  EXPECT_TRUE(session_.broken());
  EXPECT_FALSE(submit(2, set_of("b")));
}

TEST_F(AuthenticatedSession, AServerThatIsStillLoadingIsNotSaidToRefuseThePassword) {
  receive("-LOADING Redis is loading the dataset in memory\r\n");
  EXPECT_TRUE(session_.broken());
  EXPECT_EQ(session_.fault(), Fault::loading);
}

TEST_F(AuthenticatedSession, AHandshakeThatIsAnsweredByNonsenseIsAProtocolError) {
  ASSERT_TRUE(submit(1, set_of("a")));
  const auto arrivals = receive(":1\r\n");
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.fault, Fault::protocol);
}

TEST_F(AuthenticatedSession, ASetThatWasWrittenBehindARefusedPasswordCanStillBeUndone) {
  ASSERT_TRUE(submit(1, set_of("a")));
  sent();
  receive("-WRONGPASS no\r\n");
  EXPECT_EQ(session_.requests().open_acquisitions(), (std::vector<OperationId>{1}));
  session_.submit_last(delete_of("a"));
  EXPECT_TRUE(session_.requests().open_acquisitions().empty());
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].at(4), "a");
}

// The server may not know the script by its SHA1.
TEST_F(AuthenticatedSession, SaysARemovalLastThoughItsGreetingIsUnanswered) {
  ASSERT_TRUE(submit(1, delete_of("a")));
  ASSERT_TRUE(submit(2, delete_of("b")));
  ASSERT_EQ(sent().back().front(), "EVALSHA");
  ASSERT_TRUE(session_.greeting());
  fail();
  EXPECT_TRUE(session_.has_last_words());
  session_.repeat_removals();
  EXPECT_EQ(sent().back().front(), "EVAL");
}

class PasswordOnlySession : public SessionTest {
 protected:
  PasswordOnlySession() : SessionTest(endpoint()) {}
  static Endpoint endpoint() {
    Endpoint endpoint;
    endpoint.password = "secret";
    return endpoint;
  }
};

TEST_F(PasswordOnlySession, AuthHasOneArgument) {
  EXPECT_EQ(sent(), (std::vector<Arguments>{{"AUTH", "secret"}}));
}

class NamedSelectingSession : public SessionTest {
 protected:
  NamedSelectingSession() : SessionTest(endpoint()) {}
  static Endpoint endpoint() {
    Endpoint endpoint;
    endpoint.password = "secret";
    endpoint.database = 3;
    endpoint.client_name = "me";
    return endpoint;
  }
};

TEST_F(NamedSelectingSession, SelectsLast) {
  EXPECT_EQ(sent(), (std::vector<Arguments>{
                        {"AUTH", "secret"}, {"CLIENT", "SETNAME", "me"}, {"SELECT", "3"}}));
}

// The answer to SELECT, which may be that it is refused, has not come.
TEST_F(NamedSelectingSession, NoOtherAnswerIsTakenForTheSelects) {
  ASSERT_TRUE(submit(1, set_of("a")));
  sent();
  receive("+OK\r\n+OK\r\n");
  EXPECT_TRUE(sent().empty());
  receive("+OK\r\n");
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
}

TEST_F(NamedSelectingSession, ANameIsDoneWithoutOnlyWhereAnErrorForbidsIt) {
  receive("+OK\r\n:1\r\n");
  EXPECT_TRUE(session_.broken());
  EXPECT_EQ(session_.fault(), Fault::protocol);
}

class LaterNamedSession : public SessionTest {
 protected:
  LaterNamedSession() {
    Endpoint endpoint;
    endpoint.client_name = "me";
    session_.greet(endpoint, NameManner::follows);
  }
  // Until the name is said.
  void say_name() {
    EXPECT_TRUE(submit(1, set_of("a")));
    receive(test::kOk);
    session_.say_late_name();
  }
};

TEST_F(LaterNamedSession, SaysTheNameAloneOnceEverythingIsAnswered) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(2, set_of("b")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL", "EVAL"}));
  receive(test::kOk);
  receive(test::kOk);
  EXPECT_TRUE(sent().empty());
  session_.say_late_name();
  ASSERT_TRUE(submit(3, set_of("c")));
  EXPECT_EQ(sent(), (std::vector<Arguments>{{"CLIENT", "SETNAME", "me"}}));
  EXPECT_FALSE(session_.admitted());
  EXPECT_FALSE(session_.named());
  EXPECT_TRUE(receive(test::kOk).empty());
  EXPECT_TRUE(session_.named());
  EXPECT_EQ(verbs(), (std::vector<std::string>{"SET"}));
  EXPECT_EQ(receive(test::kOk).size(), 1U);
  EXPECT_FALSE(session_.owes_name()) << "said twice";
}

TEST_F(LaterNamedSession, IsDoneWithoutANameThatIsForbidden) {
  say_name();
  ASSERT_TRUE(submit(2, set_of("b")));
  EXPECT_TRUE(receive("-NOPERM no\r\n").empty());
  EXPECT_EQ(receive(test::kOk).size(), 1U);
}

TEST_F(LaterNamedSession, MayHaveBeenClosedForTheNameOnlyOnceThatIsSent) {
  EXPECT_FALSE(session_.waits_for_name());
  say_name();
  EXPECT_FALSE(session_.waits_for_name()) << "not sent yet";
  sent();
  EXPECT_TRUE(session_.waits_for_name());
  receive(test::kOk);
  EXPECT_FALSE(session_.waits_for_name());
}

TEST_F(LaterNamedSession, IsGreetedAndIdleWhileTheNameIsUnanswered) {
  say_name();
  EXPECT_FALSE(session_.idle()) << "it has something to say";
  sent();
  EXPECT_TRUE(session_.idle());
  EXPECT_FALSE(session_.greeting());
  EXPECT_GT(session_.unanswered_bytes(), 0U);
  receive(test::kOk);
  EXPECT_EQ(session_.unanswered_bytes(), 0U);
}

TEST_F(LaterNamedSession, SaysARemovalBehindTheNameAndAgainOnTheNextConnection) {
  say_name();
  sent();
  ASSERT_TRUE(submit(2, delete_of("a")));
  ASSERT_TRUE(submit(3, set_of("b")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
  EXPECT_FALSE(session_.owes_removal());
  session_.greet(Endpoint(), NameManner::left_out);
  EXPECT_TRUE(session_.owes_removal());
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL", "SET"}));
  EXPECT_EQ(receive(":1\r\n+OK\r\n").size(), 2U);
}

// By then an old client may have taken the lock.
TEST_F(LaterNamedSession, SaysAReleaseAgainForTheExactStampAlone) {
  say_name();
  sent();
  ASSERT_TRUE(
      submit(2, test::shared(StampRelease{Resource("r"), Token("1.1"), Duration(),
                                          StampUnit::milliseconds, StampProof::exact_or_plain})));
  EXPECT_EQ(sent().at(0).back(), "1");
  session_.greet(Endpoint(), NameManner::left_out);
  EXPECT_EQ(session_.unanswered_bytes(), 0U) << "on the new connection";
  EXPECT_FALSE(session_.has_last_words()) << "nothing was sent there";
  EXPECT_EQ(sent().at(0).back(), "0");
}

TEST_F(LaterNamedSession, WaitsForTheNameUntilItIsAnsweredInFull) {
  say_name();
  receive("+");
  EXPECT_TRUE(session_.waits_for_name());
  receive("OK\r\n");
  EXPECT_FALSE(session_.waits_for_name());
}

TEST_F(LaterNamedSession, SaysARemovalLastThatIsBehindWhatWaitsForTheName) {
  say_name();
  sent();
  ASSERT_TRUE(submit(2, check_of("a")));
  ASSERT_TRUE(submit(0, delete_of("a")));
  EXPECT_TRUE(sent().empty());
  EXPECT_TRUE(session_.owes_removal());
  fail();
  EXPECT_TRUE(session_.has_last_words());
  session_.repeat_removals();
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
  EXPECT_EQ(session_.requests().unsettled().size(), 1U);
}

class SelectingSession : public SessionTest {
 protected:
  SelectingSession() : SessionTest(endpoint()) {}
  static Endpoint endpoint() {
    Endpoint endpoint;
    endpoint.database = 3;
    return endpoint;
  }
};

TEST_F(SelectingSession, NoCommandIsWrittenBeforeTheDatabaseIsConfirmed) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(2, set_of("b")));
  EXPECT_EQ(sent(), (std::vector<Arguments>{{"SELECT", "3"}}));
  EXPECT_FALSE(session_.admitted());
  EXPECT_TRUE(receive(test::kOk).empty());
  EXPECT_TRUE(session_.admitted());
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL", "EVAL"}));
  EXPECT_EQ(receive("+OK\r\n+OK\r\n").size(), 2U);
}

TEST_F(SelectingSession, NothingIsUnansweredWhereACommandOnlyWaitsToBeWritten) {
  ASSERT_TRUE(submit(1, set_of("a")));
  (void)sent();
  EXPECT_GT(session_.unanswered_bytes(), 0U);
  receive(test::kOk);
  EXPECT_EQ(session_.unanswered_bytes(), 0U);
}

TEST_F(SelectingSession, ADatabaseThatDoesNotExistLeavesNothingToUndo) {
  ASSERT_TRUE(submit(1, set_of("a")));
  sent();
  const auto arrivals = receive("-ERR DB index is out of range\r\n");
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_THAT(arrivals[0].reply.reason(), HasSubstr("SELECT was refused"));
  session_.repeat_removals();
  EXPECT_TRUE(sent().empty());
  EXPECT_TRUE(session_.requests().unsettled().empty());
}

TEST_F(SelectingSession, ACommandThatIsHeldBackStillTimesOut) {
  ASSERT_TRUE(submit(1, set_of("a"), t(50)));
  EXPECT_EQ(session_.next_deadline(), t(50));
  const auto arrivals = fail();
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.fault, Fault::timeout);
}

TEST_F(SelectingSession, ATakeThatIsHeldBackForTooLongIsDropped) {
  ASSERT_TRUE(submit(1, set_of("a"), t(50)));
  sent();
  std::vector<Arrival> arrivals;
  session_.drop_expired(t(50), arrivals);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_FALSE(arrivals[0].reply.sent);
  EXPECT_FALSE(session_.idle()) << "its greeting is unanswered";
  receive(test::kOk);
  EXPECT_TRUE(sent().empty());
  EXPECT_TRUE(session_.idle());
}

TEST_F(SelectingSession, ARemovalThatWasHeldBackIsLeftForAnotherConnection) {
  ASSERT_TRUE(submit(0, delete_of("a")));
  sent();
  fail();
  session_.repeat_removals();
  EXPECT_TRUE(sent().empty());
  EXPECT_EQ(session_.requests().unsettled().size(), 1U);
}

// Nobody waits for it, so it need not be answered as soon as what somebody waits for.
TEST_F(SessionTest, ARemovalThatNobodyWaitsForKeepsItsTimeOnANewConnection) {
  ASSERT_TRUE(submit(0, delete_of("a"), t(1'000)));
  session_.begin_answers(t(100));
  EXPECT_EQ(session_.next_deadline(), t(1'000));
  session_.allow_anew(true);
  receive("-READONLY You can't write against a read only replica.\r\n");
  ASSERT_TRUE(session_.is_misled());
  std::vector<Arrival> arrivals;
  session_.begin_anew(Endpoint(), NameManner::travels, t(0), t(200), Duration::ms(50), arrivals);
  EXPECT_EQ(session_.next_deadline(), t(1'000));
  EXPECT_TRUE(arrivals.empty());
}

TEST_F(SessionTest, AServerHasServedOnceItHasCarriedSomethingOut) {
  EXPECT_FALSE(session_.collect_served());
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(2, set_of("b")));
  receive("-LOADING Redis is loading the dataset in memory\r\n");
  EXPECT_FALSE(session_.collect_served());
  receive(test::kOk);
  EXPECT_TRUE(session_.collect_served());
  EXPECT_FALSE(session_.collect_served()) << "told twice";
}

}  // namespace
}  // namespace redlock::session_handshake_test
