// One round's bookkeeping: who was asked, who answered, who is overdue.
#include "redlock/algorithm/round.hpp"

#include <gtest/gtest.h>

#include "support/machine.hpp"

namespace redlock::round_test {
namespace {

using test::answer_times;
using test::kOneNs;
using test::t;

constexpr AttemptNumber kAttempt = 4;

Round a_round(std::initializer_list<std::int64_t> times_ms) {
  return {answer_times(times_ms), QuorumRule::majority(times_ms.size()),
          std::make_shared<const Command>(CheckEqual{Resource("r"), Token("t")}), kAttempt, t(0)};
}

Round a_round_all_asked(std::initializer_list<std::int64_t> times_ms) {
  Round round = a_round(times_ms);
  while (round.next_request()) {
  }
  return round;
}

TEST(Round, AsksEveryNodeOnceWithItsOwnDeadline) {
  Round round = a_round({50, 20});
  const auto first = round.next_request();
  const auto second = round.next_request();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->node, NodeIndex(0));
  EXPECT_EQ(first->answer_by, t(50));
  EXPECT_EQ(second->node, NodeIndex(1));
  EXPECT_EQ(second->answer_by, t(20));
  EXPECT_EQ(first->command, second->command);
  EXPECT_EQ(first->attempt, kAttempt);
  EXPECT_TRUE(first->wants_answer);
  EXPECT_FALSE(round.next_request());
}

TEST(Round, ANodeIsOverdueAtItsDeadlineAndNotOneNanosecondBefore) {
  Round round = a_round_all_asked({50, 20});
  round.on_time(t(20) - kOneNs);
  EXPECT_FALSE(round.reports()[1].answered);
  round.on_time(t(20));
  EXPECT_TRUE(round.reports()[1].answered);
  EXPECT_EQ(round.reports()[1].reply.fault, Fault::timeout);
  EXPECT_FALSE(round.reports()[0].answered);
}

TEST(Round, NamesTheEarliestDeadlineOfThoseStillSilent) {
  Round round = a_round_all_asked({50, 20, 30});
  EXPECT_EQ(round.next_deadline(), t(20));
  round.on_time(t(20));
  EXPECT_EQ(round.next_deadline(), t(30));
  ASSERT_TRUE(round.on_reply(NodeIndex(2), kAttempt, Reply::denied()));
  EXPECT_EQ(round.next_deadline(), t(50));
  ASSERT_TRUE(round.on_reply(NodeIndex(0), kAttempt, Reply::denied()));
  EXPECT_EQ(round.next_deadline(), std::nullopt);
  EXPECT_TRUE(round.complete());
}

TEST(Round, ANodesTimeBeginsWhenItIsConnectedTo) {
  Round round = a_round_all_asked({50, 20});
  round.on_delay(NodeIndex(1), kAttempt, t(100));
  round.on_time(t(120) - kOneNs);
  EXPECT_TRUE(round.reports()[0].answered);
  EXPECT_FALSE(round.reports()[1].answered);
  round.on_time(t(120));
  EXPECT_TRUE(round.reports()[1].answered);
}

// All attempts wait for connecting once, so the time for that may be over before this one began.
TEST(Round, ADelayTakesNothingOfANodesTime) {
  Round round = a_round_all_asked({50});
  round.on_delay(NodeIndex(0), kAttempt, t(0) - kOneNs);
  EXPECT_EQ(round.next_deadline(), t(50));
}

TEST(Round, ADelayInAnotherAttemptOrOfANodeThatWasNotAskedIsIgnored) {
  Round round = a_round({50, 50});
  ASSERT_TRUE(round.next_request());
  round.on_delay(NodeIndex(0), kAttempt - 1, t(100));
  round.on_delay(NodeIndex(1), kAttempt, t(100));
  round.on_time(t(50));
  EXPECT_TRUE(round.complete());
}

TEST(Round, ADoubledReplyIsIgnored) {
  Round round = a_round_all_asked({50, 50, 50});
  EXPECT_TRUE(round.on_reply(NodeIndex(1), kAttempt, Reply::denied()));
  EXPECT_FALSE(round.on_reply(NodeIndex(1), kAttempt, Reply::granted()));
  EXPECT_EQ(round.reports()[1].reply.answer, Answer::denied);
}

TEST(Round, AReplyToAnotherAttemptIsIgnored) {
  Round round = a_round_all_asked({50});
  EXPECT_FALSE(round.on_reply(NodeIndex(0), kAttempt - 1, Reply::granted()));
  EXPECT_FALSE(round.on_reply(NodeIndex(0), kAttempt + 1, Reply::granted()));
  EXPECT_EQ(round.grants(), Verdict::pending);
}

TEST(Round, AReplyOfANodeThatWasNotAskedIsIgnored) {
  Round round = a_round({50, 50});
  ASSERT_TRUE(round.next_request());
  EXPECT_FALSE(round.on_reply(NodeIndex(1), kAttempt, Reply::granted()));
  EXPECT_FALSE(round.on_reply(NodeIndex(7), kAttempt, Reply::granted()));
}

TEST(Round, AReplyAfterTheDeadlineIsIgnored) {
  Round round = a_round_all_asked({50});
  round.on_time(t(50));
  EXPECT_FALSE(round.on_reply(NodeIndex(0), kAttempt, Reply::granted()));
  EXPECT_EQ(round.grants(), Verdict::lost);
}

TEST(Rule05AnErrorIsAVoteAgainst, InARoundItNeitherGrantsNorCountsAsReached) {
  Round round = a_round_all_asked({50, 50, 50});
  round.on_reply(NodeIndex(0), kAttempt, Reply::granted());
  round.on_reply(NodeIndex(1), kAttempt, Reply::unknown(Fault::rejected, "OOM"));
  round.on_reply(NodeIndex(2), kAttempt, Reply::unknown(Fault::closed, ""));
  EXPECT_EQ(round.grants(), Verdict::lost);
  EXPECT_EQ(round.reach(), Verdict::lost);
}

TEST(Round, ADenialCountsAsReached) {
  Round round = a_round_all_asked({50, 50, 50});
  round.on_reply(NodeIndex(0), kAttempt, Reply::denied());
  round.on_reply(NodeIndex(1), kAttempt, Reply::denied());
  EXPECT_EQ(round.grants(), Verdict::lost);
  EXPECT_EQ(round.reach(), Verdict::won);
}

TEST(Round, OnlyANodeThatWasNeverAskedOrDeniedOrWasNotReachedHoldsNothing) {
  Round round = a_round({50, 50, 50, 50, 50});
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(round.next_request());
  round.on_reply(NodeIndex(0), kAttempt, Reply::granted());
  round.on_reply(NodeIndex(1), kAttempt, Reply::denied());
  round.on_reply(NodeIndex(2), kAttempt, Reply::unknown(Fault::connect, ""));
  EXPECT_TRUE(round.may_hold(NodeIndex(0)));
  EXPECT_FALSE(round.may_hold(NodeIndex(1)));
  EXPECT_FALSE(round.may_hold(NodeIndex(2)));
  EXPECT_TRUE(round.may_hold(NodeIndex(3)));   // asked, silent
  EXPECT_FALSE(round.may_hold(NodeIndex(4)));  // never asked
}

TEST(Round, ANodeThatTimedOutMayHold) {
  Round round = a_round_all_asked({50});
  round.on_time(t(50));
  EXPECT_TRUE(round.may_hold(NodeIndex(0)));
}

TEST(Round, RemembersWhatAGrantCameWithAndAForeignValue) {
  Round round = a_round_all_asked({50, 50});
  EXPECT_FALSE(round.foreign());
  round.on_reply(NodeIndex(0), kAttempt, Reply::granted(Token("123.45")));
  round.on_reply(NodeIndex(1), kAttempt, Reply::unknown(Fault::foreign, "a list"));
  EXPECT_EQ(std::get<Token>(round.granted_payload()), Token("123.45"));
  EXPECT_TRUE(round.foreign());
  EXPECT_EQ(round.reports()[1].reply.reason(), "a list");
}

TEST(Round, TheSameAnswersInAnotherOrderLeadToOneSnapshot) {
  Round one = a_round_all_asked({50, 20, 30});
  Round other = a_round_all_asked({50, 20, 30});
  ASSERT_TRUE(one.on_reply(NodeIndex(0), kAttempt, Reply::granted()));
  EXPECT_NE(one.snapshot(), other.snapshot());
  ASSERT_TRUE(one.on_reply(NodeIndex(2), kAttempt, Reply::denied()));
  ASSERT_TRUE(other.on_reply(NodeIndex(2), kAttempt, Reply::denied()));
  ASSERT_TRUE(other.on_reply(NodeIndex(0), kAttempt, Reply::granted()));
  EXPECT_EQ(one.snapshot(), other.snapshot());
}

}  // namespace
}  // namespace redlock::round_test
