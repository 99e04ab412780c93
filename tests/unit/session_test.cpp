// One connection's conversation: order is everything, and doubt ends it for good.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/seeded_entropy.hpp"
#include "support/session_fixture.hpp"

namespace redlock::session_test {
namespace {

using test::check_of;
using test::delete_of;
using test::SessionTest;
using test::set_of;
using test::shared;
using test::t;
using testing::HasSubstr;

TEST_F(SessionTest, TheNthReplyBelongsToTheNthRequestInEverySlicing) {
  std::string replies;
  for (OperationId id = 1; id <= 30; ++id) {
    ASSERT_TRUE(submit(id, set_of(std::to_string(id))));
    replies += id % 3 == 0 ? test::kOk : test::kNil;
  }
  sent();
  std::vector<Arrival> arrivals;
  for (const char byte : replies) session_.on_bytes(std::string_view(&byte, 1), arrivals);
  ASSERT_EQ(arrivals.size(), 30U);
  for (OperationId id = 1; id <= 30; ++id) {
    EXPECT_EQ(arrivals[id - 1].origin.operation, id);
    EXPECT_EQ(arrivals[id - 1].reply.answer, id % 3 == 0 ? Answer::granted : Answer::denied);
  }
  EXPECT_TRUE(session_.idle());
}

TEST_F(SessionTest, AnOriginComesBackAsItWasGiven) {
  ASSERT_TRUE(session_.submit({7, NodeIndex(3), 9}, set_of("a"), t(1)));
  const auto arrivals = receive(test::kOk);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].origin.operation, 7U);
  EXPECT_EQ(arrivals[0].origin.node, NodeIndex(3));
  EXPECT_EQ(arrivals[0].origin.attempt, 9U);
}

TEST_F(SessionTest, NobodyHearsTheAnswerToACleanup) {
  ASSERT_TRUE(submit(0, delete_of("a")));
  ASSERT_TRUE(submit(5, set_of("b")));
  EXPECT_TRUE(receive(":1\r\n").empty());
  EXPECT_EQ(receive(test::kOk).size(), 1U);
}

TEST_F(SessionTest, PartsThatWereSentAreNotSentAgain) {
  ASSERT_TRUE(submit(1, set_of("a")));
  const std::string all(session_.output());
  session_.mark_sent(10);
  EXPECT_EQ(session_.output(), all.substr(10));
  ASSERT_TRUE(submit(2, set_of("b")));
  EXPECT_TRUE(session_.output().starts_with(all.substr(10)));
  session_.mark_sent(session_.output().size());
  EXPECT_EQ(session_.output(), "");
}

TEST_F(SessionTest, NamesTheMomentOfTheMostImpatient) {
  EXPECT_EQ(session_.next_deadline(), std::nullopt);
  ASSERT_TRUE(submit(1, set_of("a"), t(70)));
  ASSERT_TRUE(submit(2, set_of("b"), t(20)));
  EXPECT_EQ(session_.next_deadline(), t(20));
  receive(std::string(test::kNil) + std::string(test::kNil));
  EXPECT_EQ(session_.next_deadline(), std::nullopt);
}

TEST_F(SessionTest, AwaitsAtMostItsBoundOfRepliesHalfOfThemForRemovals) {
  for (std::size_t i = 0; i < kAwaitedMax / 2; ++i) ASSERT_TRUE(submit(1, set_of("a")));
  EXPECT_FALSE(submit(1, set_of("a")));
  EXPECT_FALSE(submit(1, check_of("a")));
  for (std::size_t i = 0; i < kAwaitedMax / 2; ++i) ASSERT_TRUE(submit(0, delete_of("a")));
  EXPECT_FALSE(submit(0, delete_of("a")));
  receive(test::kNil);
  EXPECT_FALSE(submit(1, set_of("a")));
  EXPECT_TRUE(submit(0, delete_of("a")));
}

TEST_F(SessionTest, CountsTheBytesThatWereSentAndNotAnswered) {
  ASSERT_TRUE(submit(1, set_of("a")));
  const std::size_t size = session_.output().size();
  EXPECT_GT(size, 0U);
  EXPECT_EQ(session_.unanswered_bytes(), 0U);
  sent();
  EXPECT_EQ(session_.unanswered_bytes(), size);
  ASSERT_TRUE(submit(1, set_of("b")));
  sent();
  receive(test::kOk);
  EXPECT_GE(session_.unanswered_bytes(), size);
  receive(test::kOk);
  EXPECT_EQ(session_.unanswered_bytes(), 0U);
}

TEST_F(SessionTest, HoldsAtMostItsBoundOfUnsentBytes) {
  const std::string big(60'000, 'x');
  std::size_t taken = 0;
  while (submit(1, shared(SetIfAbsent{Resource(big), Token("a"), Duration::ms(5)}))) ++taken;
  // The command that reaches the bound is the last one taken.
  EXPECT_GE((taken + 1) * 60'000, kQueuedBytesMax);
  EXPECT_LE((taken - 1) * 60'000, kQueuedBytesMax);
  transmit();
  EXPECT_TRUE(submit(1, set_of("a")));
}

TEST_F(SessionTest, TakesOneMoreAsLongAsAByteIsLeftOfThatBound) {
  for (std::size_t left = kQueuedBytesMax - 1; left > 0;) {
    const std::size_t size = std::min<std::size_t>(left, 60'000);
    ASSERT_GT(size, 1U);
    const std::string key(size - 1, 'x');
    ASSERT_TRUE(submit(1, shared(SetIfAbsent{Resource(key), Token("a"), Duration::ms(5)})));
    left -= size;
  }
  EXPECT_TRUE(submit(1, set_of("a")));
  EXPECT_FALSE(submit(1, set_of("a")));
}

// So that what the socket does not take can still be dropped, or stands behind nothing stale.
TEST_F(SessionTest, WhatWasNotBegunIsTakenBackAndWhatWasBegunIsFinished) {
  ASSERT_TRUE(submit(1, set_of("first")));
  ASSERT_TRUE(submit(2, set_of("second")));
  ASSERT_TRUE(submit(3, set_of("third")));
  const std::string all(session_.output());
  session_.mark_sent(3);
  session_.take_back();
  session_.withdraw(1);
  session_.withdraw(2);
  std::string bytes = all.substr(0, 3) + std::string(session_.output());
  session_.mark_sent(session_.output().size());
  const auto requests = test::take_requests(bytes);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0][4], "first");
  EXPECT_EQ(requests[1][4], "third");
  const auto arrivals = receive("+OK\r\n$-1\r\n");
  ASSERT_EQ(arrivals.size(), 2U);
  EXPECT_EQ(arrivals[1].origin.operation, 3U);
}

TEST_F(SessionTest, WhereNothingWasSentAllIsTakenBack) {
  ASSERT_TRUE(submit(1, set_of("first")));
  ASSERT_FALSE(session_.output().empty());
  session_.take_back();
  session_.withdraw(1);
  EXPECT_FALSE(session_.has_output());
  EXPECT_TRUE(session_.idle());
}

TEST_F(SessionTest, TellsWhoWaitsForItsAnswers) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(0, delete_of("b")));
  ASSERT_TRUE(submit(7, set_of("c")));
  EXPECT_EQ(session_.requests().askers(), (std::vector<OperationId>{1, 7}));
}

TEST_F(SessionTest, WhatWasMadeReadyAndNotSentIsToldAsNotSentWhereItFails) {
  ASSERT_TRUE(submit(1, set_of("sent")));
  transmit();
  ASSERT_TRUE(submit(2, set_of("ready")));
  ASSERT_FALSE(session_.output().empty());
  const auto arrivals = fail();
  ASSERT_EQ(arrivals.size(), 2U);
  EXPECT_TRUE(arrivals[0].reply.sent);
  EXPECT_FALSE(arrivals[1].reply.sent);
  EXPECT_FALSE(session_.has_output());
}

TEST_F(SessionTest, MakesNoMoreReadyThanOneSendMayTake) {
  const std::string big(60'000, 'x');
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(submit(1, shared(SetIfAbsent{Resource(big), Token("a"), Duration::ms(5)})));
  }
  EXPECT_LE(session_.output().size(), kLookAheadBytes + 61'000);
}

TEST_F(SessionTest, AnExpiredCheckIsDroppedAndARemovalIsNot) {
  ASSERT_TRUE(submit(1, check_of("a"), t(50)));
  ASSERT_TRUE(submit(2, delete_of("b"), t(50)));
  std::vector<Arrival> arrivals;
  session_.drop_expired(t(50) - Duration::ns(1), arrivals);
  EXPECT_TRUE(arrivals.empty());
  session_.drop_expired(t(50), arrivals);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].origin.operation, 1U);
  EXPECT_FALSE(may_have_been_done(arrivals[0].reply));
  EXPECT_EQ(sent().size(), 1U);
}

TEST_F(SessionTest, ADroppedTakeNeedsNoUndoAndAReleaseOfTheSameLockStays) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(0, delete_of("a")));
  ASSERT_TRUE(submit(2, delete_of("a")));
  ASSERT_TRUE(submit(0, delete_of("b")));
  session_.withdraw(1);
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].at(4), "a");
  EXPECT_EQ(requests[1].at(4), "b");
}

class Rule04ASessionInDoubtIsBroken : public SessionTest {};

TEST_F(Rule04ASessionInDoubtIsBroken, AReplyThatNobodyAskedForBreaksTheSession) {
  EXPECT_TRUE(receive("+OK\r\n").empty());
  EXPECT_TRUE(session_.broken());
  EXPECT_EQ(session_.fault(), Fault::protocol);
  EXPECT_FALSE(submit(1, set_of("a")));
}

TEST_F(Rule04ASessionInDoubtIsBroken, ASurplusReplyIsNotTakenForTheNextRequest) {
  ASSERT_TRUE(submit(1, set_of("a")));
  EXPECT_EQ(receive("+OK\r\n+OK\r\n").size(), 1U);
  EXPECT_TRUE(session_.broken());
}

TEST_F(Rule04ASessionInDoubtIsBroken, AReplyThatDoesNotFitAnswersEverybodyWithUnknown) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(0, delete_of("z")));
  ASSERT_TRUE(submit(2, set_of("b")));
  const auto arrivals = receive(":1\r\n+OK\r\n+OK\r\n");
  ASSERT_EQ(arrivals.size(), 2U);
  for (const Arrival& arrival : arrivals) {
    EXPECT_EQ(arrival.reply.answer, Answer::unknown);
    EXPECT_EQ(arrival.reply.fault, Fault::protocol);
  }
  EXPECT_EQ(arrivals[0].origin.operation, 1U);
  EXPECT_EQ(arrivals[1].origin.operation, 2U);
}

TEST_F(Rule04ASessionInDoubtIsBroken, NothingIsReadOnceItIsBroken) {
  ASSERT_TRUE(submit(1, set_of("a")));
  EXPECT_EQ(fail().size(), 1U);
  EXPECT_TRUE(receive("+OK\r\n").empty());
  EXPECT_TRUE(fail(Fault::closed).empty());
  EXPECT_EQ(session_.fault(), Fault::timeout);
}

TEST_F(Rule04ASessionInDoubtIsBroken, BytesThatAreNoRespBreakTheSession) {
  ASSERT_TRUE(submit(1, set_of("a")));
  const auto arrivals = receive("HTTP/1.1 400 Bad Request\r\n\r\n<html>");
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.fault, Fault::protocol);
  EXPECT_THAT(arrivals[0].reply.reason(), HasSubstr("no valid reply"));
}

TEST(Rule10AssertOnlyOurOwnMistakes, NoServerWhateverItAnswersReachesAnAssertion) {
  const std::string_view kReplies[] = {"+OK\r\n",     "$-1\r\n",          ":1\r\n",  ":0\r\n",
                                       "-ERR x\r\n",  "-NOSCRIPT x\r\n",  ":7\r\n",  "*0\r\n",
                                       "$1\r\nx\r\n", "-WRONGTYPE x\r\n", "*-1\r\n", "<x>\r\n"};
  test::SeededEntropy random(11);
  for (int run = 0; run < 3'000; ++run) {
    RequestEncoder encoder;
    Endpoint endpoint;
    endpoint.database = static_cast<std::uint32_t>(random.between(0, 1));
    Session session(endpoint, encoder);
    std::size_t asked = 0;
    std::vector<Arrival> arrivals;
    for (int step = 0; step < 20; ++step) {
      const SharedCommand commands[] = {set_of("a"), delete_of("a"), check_of("a")};
      if (random.between(0, 1) == 0) {
        if (session.submit({1, NodeIndex(0), 1}, commands[random.between(0, 2)], t(9))) ++asked;
      } else {
        session.mark_sent(session.output().size() / (1 + random.between(0, 1)));
        session.take_back();
        session.on_bytes(kReplies[random.between(0, 11)], arrivals);
      }
    }
    session.fail(Fault::closed, "", arrivals);
    session.repeat_removals();
    ASSERT_EQ(arrivals.size(), asked) << "run " << run << ": each request is answered once";
  }
}

}  // namespace
}  // namespace redlock::session_test
