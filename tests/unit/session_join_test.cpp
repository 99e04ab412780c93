// A join's life in a session: it may have been sent before, and its wait may go on for long.
#include <gtest/gtest.h>

#include "support/session_fixture.hpp"

namespace redlock::session_join_test {
namespace {

using test::Arguments;
using test::delete_of;
using test::SessionTest;
using test::set_of;
using test::shared;
using test::t;

SharedCommand join_of(const std::string& token, std::uint64_t echo = 1) {
  return shared(
      Enqueue{Resource("r"), Token(token), Duration::ms(5), LineEntry{1, "redlock:0", echo}});
}

using AJoinInASession = SessionTest;

TEST_F(AJoinInASession, SaysWhatItWishesInTheScriptsLetters) {
  std::string letters;
  for (const ClaimPolicy policy :
       {ClaimPolicy::observe, ClaimPolicy::claim, ClaimPolicy::yield, ClaimPolicy::retain}) {
    const LineEntry entry{1, "redlock:0", 1, policy};
    ASSERT_TRUE(submit(1, shared(Enqueue{Resource("r"), Token("a"), Duration::ms(5), entry})));
    letters += sent().back().back();
  }
  EXPECT_EQ(letters, "0123");
}

TEST_F(AJoinInASession, LeavesSomethingToUndoThoughThisOneWasNotSent) {
  ASSERT_TRUE(submit(1, join_of("a")));
  ASSERT_TRUE(submit(0, delete_of("a")));
  session_.withdraw(1);
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].size(), 5U) << "the pass alone";
}

TEST_F(AJoinInASession, ThatIsOverdueUnsentIsToldAndItsPassStays) {
  ASSERT_TRUE(submit(1, join_of("a"), t(50)));
  ASSERT_TRUE(submit(0, delete_of("a")));
  std::vector<Arrival> arrivals;
  session_.drop_expired(t(50), arrivals);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_FALSE(arrivals[0].reply.sent);
  EXPECT_EQ(sent().size(), 1U);
}

TEST_F(AJoinInASession, DoesNotKeepItsConnectionUntilTheWaitIsOver) {
  ASSERT_TRUE(submit(1, join_of("a")));
  ASSERT_TRUE(submit(2, set_of("b")));
  sent();
  fail();
  EXPECT_EQ(session_.requests().open_acquisitions(), (std::vector<OperationId>{2}));
}

TEST_F(AJoinInASession, IsDeniedWithAStanding) {
  ASSERT_TRUE(submit(1, join_of("a")));
  const auto arrivals = receive(test::bulk("1500 2 1700000000000"));
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.answer, Answer::denied);
  const auto* const position = arrivals[0].reply.said<QueuePosition>();
  ASSERT_NE(position, nullptr);
  EXPECT_EQ(*position, (QueuePosition{Duration::ms(1'500), 2, 1'700'000'000'000}));
  EXPECT_TRUE(session_.idle()) << "who stands in line takes up no room here";
}

// A removal's answer, where the server leaves out that of the join before it.
TEST_F(AJoinInASession, TakesNoOthersAnswerForItsOwn) {
  for (const std::string& others :
       {test::integer(1), std::string(test::kOk), test::bulk("GRANTED")}) {
    Session session(Endpoint{}, encoder_);
    ASSERT_TRUE(session.submit({1, NodeIndex(0), 1}, join_of("a"), t(50)));
    session.mark_sent(session.output().size());
    std::vector<Arrival> arrivals;
    session.on_bytes(others, arrivals);
    ASSERT_EQ(arrivals.size(), 1U);
    EXPECT_EQ(arrivals[0].reply.answer, Answer::unknown) << others;
    EXPECT_EQ(arrivals[0].reply.fault, Fault::protocol) << others;
  }
}

TEST_F(AJoinInASession, ThatAServerDoesNotKnowByItsSha1IsRepeatedInItsOrder) {
  ASSERT_TRUE(submit(1, join_of("a")));
  receive(std::string(test::kGranted));
  sent();
  ASSERT_TRUE(submit(1, join_of("a", 2)));
  ASSERT_TRUE(submit(1, join_of("a", 3)));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVALSHA", "EVALSHA"}));
  const std::string unknown = test::error("NOSCRIPT No matching script.");
  receive(unknown + unknown);
  const auto again = sent();
  ASSERT_EQ(again.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(again[i].front(), "EVAL");
    EXPECT_EQ(again[i].at(again[i].size() - 2), std::to_string(i + 2));  // the echo
  }
}

TEST_F(AJoinInASession, ThatAServerDoesNotKnowByItsSha1IsNotRepeatedBehindItsPass) {
  ASSERT_TRUE(submit(1, join_of("a")));
  receive(std::string(test::kGranted));
  sent();
  ASSERT_TRUE(submit(1, join_of("a", 2)));
  ASSERT_TRUE(submit(0, delete_of("a")));
  sent();
  receive(test::error("NOSCRIPT No matching script."));
  EXPECT_TRUE(sent().empty());
}

}  // namespace
}  // namespace redlock::session_join_test
