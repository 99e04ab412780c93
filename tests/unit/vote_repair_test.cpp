// Votes that were lost are repaired again, where they were lost and nowhere else.
#include "redlock/algorithm/vote_repair.hpp"

#include <gtest/gtest.h>

#include <set>

#include "redlock/algorithm/quorum_kind.hpp"
#include "support/machine.hpp"

namespace redlock::vote_repair_test {
namespace {

using test::drain;
using test::kOneNs;
using test::t;

constexpr Duration kAnswerTime = Duration::ms(50);
const Token kToken("tok");

class VoteRepairTest : public testing::Test {
 protected:
  // Of three nodes, 0 and 2 have lost their votes.
  VoteRepair repair_{test::answer_times(3, kAnswerTime),
                     QuorumKind(Resource("r"), Duration::ms(1'000), 0),
                     kToken,
                     {NodeIndex(0), NodeIndex(2)}};

  static std::set<std::size_t> nodes_of(const std::vector<Request>& requests) {
    std::set<std::size_t> nodes;
    for (const Request& request : requests) nodes.insert(request.node.value());
    return nodes;
  }
};

TEST_F(VoteRepairTest, AsksThoseThatLostTheirVotesAndNobodyElse) {
  repair_.start(t(0));
  const auto requests = drain(repair_);
  EXPECT_EQ(nodes_of(requests), (std::set<std::size_t>{0, 2}));
  for (const Request& request : requests) {
    EXPECT_TRUE(std::holds_alternative<SetIfAbsent>(*request.command));
    EXPECT_EQ(request.answer_by, t(50));
    EXPECT_TRUE(request.wants_answer);
  }
}

TEST_F(VoteRepairTest, IsDoneWhenAllHaveAnswered) {
  repair_.start(t(0));
  drain(repair_);
  repair_.on_reply(NodeIndex(0), 1, Reply::denied(), t(1));
  EXPECT_EQ(repair_.outcome(), nullptr);
  repair_.on_reply(NodeIndex(0), 1, Reply::granted(), t(2));
  repair_.on_reply(NodeIndex(1), 1, Reply::granted(), t(2));
  repair_.on_reply(NodeIndex(2), 2, Reply::granted(), t(2));
  EXPECT_EQ(repair_.outcome(), nullptr)
      << "a node counts once, and one that was not asked or in another attempt not at all";
  repair_.on_reply(NodeIndex(2), 1, Reply::granted(), t(3));
  ASSERT_NE(repair_.outcome(), nullptr);
  EXPECT_EQ(repair_.outcome()->decision, Decision::granted);
  EXPECT_EQ(repair_.outcome()->decided_at, t(3));
  EXPECT_EQ(repair_.outcome()->nodes.size(), 3U);
  EXPECT_TRUE(drain(repair_).empty()) << "what was repaired stays";
  repair_.on_time(t(60));
  EXPECT_EQ(repair_.outcome()->decided_at, t(3));
}

TEST_F(VoteRepairTest, WithoutAnyVoteRepairedItIsDenied) {
  repair_.start(t(0));
  drain(repair_);
  for (const std::size_t i : {0U, 2U}) repair_.on_reply(NodeIndex(i), 1, Reply::denied(), t(1));
  EXPECT_EQ(repair_.outcome()->decision, Decision::denied);
}

TEST_F(VoteRepairTest, NothingIsUndoneForItsLockLives) {
  repair_.start(t(0));
  drain(repair_);
  repair_.on_reply(NodeIndex(2), 1, Reply::unknown(Fault::closed, "gone"), t(1));
  EXPECT_EQ(repair_.next_deadline(), t(50));
  repair_.on_time(t(50) - kOneNs);
  EXPECT_EQ(repair_.outcome(), nullptr);
  repair_.on_time(t(50));
  ASSERT_NE(repair_.outcome(), nullptr);
  EXPECT_TRUE(drain(repair_).empty()) << "its owner may have counted it";
}

TEST_F(VoteRepairTest, WhatMayStandYetIsCalledRepaired) {
  repair_.start(t(0));
  drain(repair_);
  repair_.on_reply(NodeIndex(0), 1, Reply::not_sent(Fault::timeout, "in doubt"), t(1));
  repair_.on_reply(NodeIndex(2), 1, Reply::unknown(Fault::closed, "gone"), t(1));
  ASSERT_NE(repair_.outcome(), nullptr);
  EXPECT_EQ(repair_.outcome()->decision, Decision::granted);
}

TEST_F(VoteRepairTest, WhatIsUnansweredIsCalledRepairedToo) {
  repair_.start(t(0));
  drain(repair_);
  repair_.on_reply(NodeIndex(0), 1, Reply::denied(), t(1));
  repair_.on_time(t(50));
  ASSERT_NE(repair_.outcome(), nullptr);
  EXPECT_EQ(repair_.outcome()->decision, Decision::granted);
}

TEST_F(VoteRepairTest, WhatWasNeverSentIsNotRepaired) {
  repair_.start(t(0));
  drain(repair_);
  for (const std::size_t i : {0U, 2U}) {
    repair_.on_reply(NodeIndex(i), 1, Reply::not_sent(Fault::timeout, "in doubt"), t(1));
  }
  ASSERT_NE(repair_.outcome(), nullptr);
  EXPECT_EQ(repair_.outcome()->decision, Decision::denied);
}

TEST_F(VoteRepairTest, GivenUpItAsksNobodyAnyMoreAndUndoesNothing) {
  repair_.start(t(0));
  repair_.abort(t(1));
  EXPECT_EQ(repair_.outcome()->decision, Decision::aborted);
  EXPECT_TRUE(drain(repair_).empty());
}

}  // namespace
}  // namespace redlock::vote_repair_test
