// The machine that waits in line, one event at a time.
#include "redlock/algorithm/in_line.hpp"

#include <gtest/gtest.h>

#include <map>

#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/validity.hpp"
#include "support/machine.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock {
namespace {

using test::kOneNs;
using test::nodes_of;
using test::only;
using test::t;

using Nodes = std::vector<std::size_t>;

constexpr Duration kAnswerTime = Duration::ms(50);
constexpr Duration kTtl = Duration::ms(10'000);
constexpr std::int64_t kWall = 1'700'000'000'000;

class Wait : public testing::Test {
 protected:
  void begin(Duration wait, std::size_t nodes = 3, Duration ttl = kTtl) {
    ttl_ = ttl;
    line_.emplace(test::answer_times(nodes, kAnswerTime),
                  std::make_shared<QuorumKind>(Resource("r"), ttl, kDriftFactorDefault),
                  WaitRequest{Resource("r"), wait, 200, kWall}, memory_, entropy_);
    nodes_ = nodes;
    line_->start(t(0));
  }
  // In line at once.
  void stand(Duration wait, std::size_t nodes = 3, Duration ttl = kTtl) {
    memory_->note_waited(Resource("r"), t(0));
    begin(wait, nodes, ttl);
    hear_all(t(0));
  }
  void hear_all(Instant now) {
    for (std::size_t i = 0; i < nodes_; ++i)
      line_->take_hearing(NodeIndex(i), {"here", {}, {}}, now);
  }
  // What is handed out now; the latest join of each node is remembered.
  std::vector<Request> drain() {
    std::vector<Request> requests = test::drain(*line_);
    for (const Request& request : only<Join>(requests))
      joins_.insert_or_assign(request.node.value(), request);
    return requests;
  }
  const Join& join(std::size_t node) { return std::get<Join>(*joins_.at(node).command); }
  void answer(std::size_t node, Reply reply, Instant now) {
    line_->take_reply(NodeIndex(node), joins_.at(node).attempt, std::move(reply), now);
  }
  void grant(std::size_t node, Instant now) { answer(node, Reply::granted(), now); }
  void deny(std::size_t node, Instant now,
            const std::string& standing = "9000 4 " + std::to_string(kWall)) {
    answer(node, Reply::denied(standing), now);
  }
  void push(std::size_t node, Instant now) {
    const Push push{Push::Kind::granted, join(node).token, join(node).entry.echo, {}};
    EXPECT_TRUE(line_->take_push(NodeIndex(node), push, now));
  }
  // All that stand in line are told that somebody has it.
  void deny_all(Instant now) {
    drain();
    for (std::size_t i = 0; i < nodes_; ++i) deny(i, now);
  }
  Decision decision() { return line_->outcome()->decision; }
  bool granted() { return line_->outcome() != nullptr && decision() == Decision::granted; }

  std::shared_ptr<LineMemory> memory_ = std::make_shared<LineMemory>();
  test::SeededEntropy entropy_;
  std::optional<InLine> line_;
  std::map<std::size_t, Request> joins_;
  std::size_t nodes_ = 0;
  Duration ttl_;
};

TEST_F(Wait, AsksPlainlyFirstAndListensToNobody) {
  begin(Duration::ms(1'000));
  EXPECT_EQ(nodes_of(only<SetIfAbsent>(drain())), (Nodes{0, 1, 2}));
  EXPECT_FALSE(line_->listens());
  for (const std::size_t node : {0U, 1U})
    line_->take_reply(NodeIndex(node), 1, Reply::granted(), t(1));
  ASSERT_TRUE(granted());
  EXPECT_FALSE(line_->outcome()->handed_over);
  EXPECT_EQ(line_->outcome()->validity, validity_of(kTtl, Duration::ms(1), kDriftFactorDefault));
}

TEST_F(Wait, StandsInLineWhereThePlainAttemptIsDenied) {
  begin(Duration::ms(1'000));
  const Token plain = std::get<SetIfAbsent>(*drain()[0].command).token;
  line_->take_reply(NodeIndex(0), 1, Reply::granted(), t(1));
  for (const std::size_t node : {1U, 2U})
    line_->take_reply(NodeIndex(node), 1, Reply::denied(), t(1));
  EXPECT_TRUE(line_->listens());
  const auto undo = drain();
  ASSERT_EQ(nodes_of(only<Pass>(undo)), (Nodes{0}));
  EXPECT_EQ(std::get<Pass>(*undo[0].command).token, plain);
  hear_all(t(2));
  EXPECT_EQ(nodes_of(only<Join>(drain())), (Nodes{0, 1, 2}));
  EXPECT_NE(join(0).token, plain);
  EXPECT_EQ(join(0).token, join(2).token);
  EXPECT_EQ(join(0).entry.ticket, kWall);
  EXPECT_EQ(join(0).entry.channel, "here");
  EXPECT_EQ(join(0).entry.echo, joins_.at(0).attempt);
}

TEST_F(Wait, WithoutTimeLeftThePlainAttemptIsAll) {
  begin(Duration());
  drain();
  for (const std::size_t node : {0U, 1U, 2U})
    line_->take_reply(NodeIndex(node), 1, Reply::denied(), t(1));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(Wait, JoinsAtOnceWhereItWaitedLately) {
  stand(Duration::ms(1'000));
  const auto requests = drain();
  EXPECT_EQ(nodes_of(only<Join>(requests)), (Nodes{0, 1, 2}));
  EXPECT_EQ(requests.size(), 3U);
}

TEST_F(Wait, AsksPlainlyWhereTheWaitIsShorterThanAnAnswerMayTake) {
  memory_->note_waited(Resource("r"), t(0));
  begin(kAnswerTime);
  EXPECT_EQ(nodes_of(only<SetIfAbsent>(drain())), (Nodes{0, 1, 2}));
}

TEST_F(Wait, WhoWaitedIsRemembered) {
  begin(Duration::ms(1'000));
  drain();
  EXPECT_FALSE(memory_->waited_lately(Resource("r"), t(1)));
  for (const std::size_t node : {0U, 1U})
    line_->take_reply(NodeIndex(node), 1, Reply::denied(), t(1));
  EXPECT_TRUE(memory_->waited_lately(Resource("r"), t(1)));
}

TEST_F(Wait, AMajorityThatIsHandedOverIsTheLock) {
  stand(Duration::ms(5'000));
  deny_all(t(1));
  push(2, t(300));
  EXPECT_FALSE(granted());
  push(0, t(301));
  ASSERT_TRUE(granted());
  EXPECT_TRUE(line_->outcome()->handed_over);
  EXPECT_EQ(line_->outcome()->token, join(0).token);
  EXPECT_TRUE(only<Pass>(drain()).empty());
}

TEST_F(Wait, ValidityCountsFromTheJoinAndNotFromThePush) {
  stand(Duration::ms(5'000));
  deny_all(t(1));
  push(0, t(300));
  push(1, t(301));
  ASSERT_TRUE(granted());
  EXPECT_EQ(line_->outcome()->validity, validity_of(kTtl, Duration::ms(301), kDriftFactorDefault));
}

TEST_F(Wait, ValidityCountsFromTheMajorityThLatestJoin) {
  stand(Duration::ms(20'000));
  drain();
  deny(0, t(1), "2000 0 " + std::to_string(kWall));
  deny(1, t(1));
  deny(2, t(1));
  line_->take_time(t(1'001));  // the first of node 0 asks again
  drain();
  grant(0, t(1'002));
  push(1, t(1'100));
  ASSERT_TRUE(granted());
  EXPECT_EQ(line_->outcome()->validity,
            validity_of(kTtl, Duration::ms(1'100), kDriftFactorDefault));
}

TEST_F(Wait, VotesBehindOldJoinsAreAskedForOnceMore) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  push(0, t(6'000));
  push(1, t(6'000));
  EXPECT_FALSE(granted());
  EXPECT_EQ(nodes_of(only<Join>(drain())), (Nodes{0, 1}));
  grant(0, t(6'001));
  EXPECT_FALSE(granted());
  grant(1, t(6'001));
  ASSERT_TRUE(granted());
  EXPECT_EQ(line_->outcome()->validity, validity_of(kTtl, Duration::ms(1), kDriftFactorDefault));
}

TEST_F(Wait, OldVotesAreTakenAsTheyAreWhenTheWaitEnds) {
  stand(Duration::ms(6'000));
  deny_all(t(1));
  push(0, t(5'999));
  push(1, t(6'000));
  ASSERT_TRUE(granted());
}

TEST_F(Wait, AVoteIsVoidWhileItIsJoinedAgain) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  push(0, t(10));
  line_->take_time(t(10) + Duration::ms(10));  // too few: offered to whoever was earlier
  ASSERT_EQ(nodes_of(only<Join>(drain())), (Nodes{0}));
  push(1, t(21));
  EXPECT_FALSE(granted());
  grant(0, t(22));
  EXPECT_TRUE(granted());
}

TEST_F(Wait, TooFewVotesAreOfferedLaterEachTime) {
  stand(Duration::ms(60'000));
  deny_all(t(1));  // a round trip of 1 ms
  push(0, t(10));
  Instant due = t(13);
  Duration pause = Duration::ms(3);
  for (int i = 0; i < 12; ++i) {
    ASSERT_EQ(line_->next_deadline(), due) << i;
    line_->take_time(due);
    ASSERT_EQ(nodes_of(only<Join>(drain())), (Nodes{0})) << i;
    grant(0, due);
    pause = std::min(pause * 2, kOfferPauseMax);
    due = due + pause;
  }
}

TEST_F(Wait, VotesThatNobodyTakesAreGivenBackWhileOthersHaveTheLock) {
  stand(Duration::ms(60'000));
  drain();
  grant(0, t(1));  // its server has forgotten the lock
  for (const std::size_t node : {1U, 2U}) deny(node, t(1));
  for (int offers = 1; offers < kOffersMax; ++offers) {
    const Instant due = line_->next_deadline().value();
    line_->take_time(due);
    drain();
    EXPECT_TRUE(join(0).entry.takes) << offers;
    grant(0, due);
  }
  const Instant due = line_->next_deadline().value();
  line_->take_time(due);
  ASSERT_EQ(nodes_of(only<Join>(drain())), (Nodes{0}));
  EXPECT_FALSE(join(0).entry.takes);
  deny(0, due, "-2 0 " + std::to_string(kWall));
  EXPECT_EQ(line_->next_deadline(), due + kFirstAsksEvery);
}

TEST_F(Wait, VotesAreNotGivenBackWhileNobodyElseHasTheLock) {
  stand(Duration::ms(60'000));
  drain();
  grant(0, t(1));
  deny(1, t(1));
  for (int offers = 1; offers < 2 * kOffersMax; ++offers) {
    const Instant due = line_->next_deadline().value();
    line_->take_time(due);
    drain();
    EXPECT_TRUE(join(0).entry.takes) << offers;
    grant(0, due);
  }
}

TEST_F(Wait, WhatAServerHasForgottenIsLeftToWhoHasTheLock) {
  stand(Duration::ms(60'000));
  drain();
  for (std::size_t node = 0; node < 3; ++node) {
    EXPECT_TRUE(join(node).entry.takes);
    deny(node, t(1), "500 0 " + std::to_string(kWall));
  }
  line_->take_hearing(NodeIndex(0), {"", Fault::closed, "restarted"}, t(100));
  line_->take_hearing(NodeIndex(0), {"there", {}, {}}, t(200));
  ASSERT_EQ(nodes_of(only<Join>(drain())), (Nodes{0}));
  EXPECT_FALSE(join(0).entry.takes);
  deny(0, t(201), "-2 0 " + std::to_string(kWall));
  EXPECT_TRUE(drain().empty());
  // Until the others are free too.
  line_->take_time(t(503));
  EXPECT_EQ(nodes_of(only<Join>(drain())), (Nodes{0, 1, 2}));
  for (std::size_t node = 0; node < 3; ++node) EXPECT_TRUE(join(node).entry.takes);
}

TEST_F(Wait, WhatWasLeftIsTakenOnceAMajorityIsWithinReach) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  line_->take_hearing(NodeIndex(0), {"there", {}, {}}, t(2));
  drain();
  deny(0, t(3), "-2 0 " + std::to_string(kWall));
  EXPECT_TRUE(drain().empty());
  push(1, t(4));
  EXPECT_EQ(nodes_of(only<Join>(drain())), (Nodes{0}));
  EXPECT_TRUE(join(0).entry.takes);
  grant(0, t(5));
  EXPECT_TRUE(granted());
}

TEST_F(Wait, ALockWithoutAnEndIsOutOfReachForGood) {
  stand(Duration::ms(60'000));
  drain();
  for (std::size_t node = 0; node < 3; ++node) deny(node, t(1), "-1 0 " + std::to_string(kWall));
  line_->take_hearing(NodeIndex(0), {"there", {}, {}}, t(30'000));
  drain();
  EXPECT_FALSE(join(0).entry.takes);
}

TEST_F(Wait, ALateAnswerToThePlainAttemptIsNoRoundTrip) {
  begin(Duration::ms(5'000));
  drain();
  for (const std::size_t node : {0U, 1U})
    line_->take_reply(NodeIndex(node), 1, Reply::denied(), t(1));
  line_->take_reply(NodeIndex(2), 1, Reply::denied(), t(40));
  line_->take_hearing(NodeIndex(0), {"here", {}, {}}, t(41));
  drain();
  grant(0, t(42));
  line_->take_time(t(45));
  EXPECT_EQ(nodes_of(only<Join>(drain())), Nodes{0}) << "the vote is offered";
}

TEST_F(Wait, WhoLostAVoteStandsInLineThereAgain) {
  stand(Duration::ms(60'000));
  deny_all(t(1));
  push(0, t(10));
  line_->take_time(t(13));
  drain();
  deny(0, t(14));  // given to an earlier ticket
  push(1, t(20));
  EXPECT_FALSE(granted());
  push(0, t(21));
  EXPECT_TRUE(granted());
}

TEST_F(Wait, LeavesEveryLineWhenTheWaitIsOver) {
  stand(Duration::ms(500));
  deny_all(t(1));
  EXPECT_EQ(line_->next_deadline(), t(500));
  line_->take_time(t(500) - kOneNs);
  EXPECT_EQ(line_->outcome(), nullptr);
  line_->take_time(t(500));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::denied);
  const auto passes = only<Pass>(drain());
  EXPECT_EQ(nodes_of(passes), (Nodes{0, 1, 2}));
  EXPECT_EQ(std::get<Pass>(*passes[0].command).token, join(0).token);
  EXPECT_FALSE(passes[0].wants_answer);
}

TEST_F(Wait, LeavesNoLineThatItNeverJoined) {
  memory_->note_waited(Resource("r"), t(0));
  begin(Duration::ms(500));
  line_->take_hearing(NodeIndex(0), {"here", {}, {}}, t(0));
  for (const std::size_t node : {1U, 2U}) {
    line_->take_hearing(NodeIndex(node), {{}, Fault::refused, "down"}, t(0));
  }
  drain();
  deny(0, t(1));
  line_->take_time(t(500));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::unreachable);
  EXPECT_EQ(nodes_of(only<Pass>(drain())), (Nodes{0}));
}

TEST_F(Wait, GivesUpAtOnceAndLeavesEveryLine) {
  stand(Duration::ms(500));
  deny_all(t(1));
  push(1, t(2));
  line_->abort(t(3));
  EXPECT_EQ(decision(), Decision::aborted);
  EXPECT_EQ(nodes_of(only<Pass>(drain())), (Nodes{0, 1, 2}));
}

TEST_F(Wait, WhatIsAnsweredWithinAnAnswerTimeOfTheEndStillCounts) {
  memory_->note_waited(Resource("r"), t(0));
  begin(Duration::ms(5));
  hear_all(t(4));
  drain();
  line_->take_time(t(5));
  EXPECT_EQ(line_->outcome(), nullptr);
  EXPECT_EQ(line_->next_deadline(), t(54));
  grant(0, t(6));
  grant(1, t(7));
  EXPECT_TRUE(granted());
}

TEST_F(Wait, NoJoinBeginsBehindTheEnd) {
  memory_->note_waited(Resource("r"), t(0));
  begin(Duration::ms(5));
  line_->take_time(t(5));
  hear_all(t(6));
  EXPECT_TRUE(only<Join>(drain()).empty());
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::unreachable);
}

TEST_F(Wait, WhoNeverHearsOfTheServersIsToldAnAnswerTimeBehindTheEnd) {
  memory_->note_waited(Resource("r"), t(0));
  begin(Duration::ms(5));
  line_->take_time(t(5));
  EXPECT_EQ(line_->next_deadline(), t(55));
  line_->take_time(t(55));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::unreachable);
}

TEST_F(Wait, ThePlainAttemptsAnswersCountWhereTheJoinsHaveNone) {
  begin(Duration::ms(3));
  drain();
  for (const std::size_t node : {0U, 1U, 2U})
    line_->take_reply(NodeIndex(node), 1, Reply::denied(), t(1));
  hear_all(t(2));
  drain();
  line_->take_time(t(3));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(Wait, PollsWhereNoMajorityLetsItStandInLine) {
  stand(Duration::ms(1'000));
  drain();
  answer(0, Reply::unknown(Fault::acl, "NOPERM"), t(1));
  EXPECT_TRUE(line_->listens());
  line_->take_hearing(NodeIndex(2), {{}, Fault::acl, "no channels"}, t(2));
  EXPECT_FALSE(line_->listens());
  const auto requests = drain();
  EXPECT_EQ(nodes_of(only<Pass>(requests)), (Nodes{0, 1, 2}));
  ASSERT_EQ(nodes_of(only<SetIfAbsent>(requests)), (Nodes{0, 1, 2}));
  // Behind the passes.
  EXPECT_TRUE(std::holds_alternative<SetIfAbsent>(*requests.back().command));
  for (const std::size_t node : {0U, 1U}) {
    line_->take_reply(NodeIndex(node), requests.back().attempt, Reply::granted(), t(3));
  }
  ASSERT_TRUE(granted());
  ASSERT_EQ(line_->outcome()->line.size(), 3U);
  EXPECT_EQ(line_->outcome()->line[0].reply.fault, Fault::acl);
  EXPECT_EQ(line_->outcome()->line[2].reply.text, "no channels");
}

TEST_F(Wait, PollsUntilTheSameEnd) {
  stand(Duration::ms(1'000), 1);
  drain();
  answer(0, Reply::unknown(Fault::rejected, "unknown command"), t(400));
  Instant now = t(400);
  int attempts = 0;
  while (line_->outcome() == nullptr) {
    for (const Request& request : only<SetIfAbsent>(drain())) {
      ++attempts;
      line_->take_reply(request.node, request.attempt, Reply::denied(), now);
    }
    if (line_->outcome() != nullptr) break;
    now = *line_->next_deadline();
    line_->take_time(now);
  }
  EXPECT_EQ(decision(), Decision::denied);
  EXPECT_EQ(line_->outcome()->decided_at, t(1'000));
  EXPECT_GE(attempts, 4);
}

TEST_F(Wait, OneServerThatRefusesIsDoneWithout) {
  stand(Duration::ms(1'000));
  drain();
  answer(0, Reply::unknown(Fault::acl, "NOPERM"), t(1));
  deny(1, t(1));
  deny(2, t(1));
  push(1, t(5));
  push(2, t(6));
  EXPECT_TRUE(granted());
}

TEST_F(Wait, ATicketFarFromTheServersClocksIsCorrectedOnce) {
  stand(Duration::ms(60'000));
  drain();
  const std::string off = "9000 4 " + std::to_string(kWall + 5'000);
  deny(0, t(2), off);
  EXPECT_TRUE(drain().empty());
  deny(1, t(2), off);
  ASSERT_EQ(nodes_of(only<Join>(drain())), (Nodes{0, 1}));
  EXPECT_EQ(join(0).entry.ticket, kWall + 5'000);
  EXPECT_EQ(memory_->clock_offset(), Duration::ms(5'000));
  deny(0, t(3), "9000 4 " + std::to_string(kWall + 90'000));
  deny(1, t(3), "9000 4 " + std::to_string(kWall + 90'000));
  EXPECT_EQ(memory_->clock_offset(), Duration::ms(5'000));
}

TEST_F(Wait, TheOffsetIsRememberedForTheNextWait) {
  memory_->set_clock_offset(Duration::ms(-700));
  stand(Duration::ms(60'000));
  drain();
  EXPECT_EQ(join(0).entry.ticket, kWall - 700);
}

TEST_F(Wait, ATicketNearTheServersClocksStays) {
  stand(Duration::ms(60'000));
  drain();
  for (const std::size_t node : {0U, 1U, 2U}) {
    deny(node, t(0), "9000 4 " + std::to_string(kWall - kTicketOffMax.count_ms()));
  }
  EXPECT_TRUE(drain().empty());
  EXPECT_EQ(memory_->clock_offset(), Duration());
}

TEST_F(Wait, PushesForOthersAreNotItsOwn) {
  stand(Duration::ms(500));
  deny_all(t(1));
  EXPECT_FALSE(line_->take_push(NodeIndex(0), {Push::Kind::granted, Token("x"), 1, {}}, t(2)));
  line_->take_time(t(500));
  // It has left, and what it is given now is nobody's.
  EXPECT_FALSE(line_->take_push(
      NodeIndex(0), {Push::Kind::granted, join(0).token, join(0).entry.echo, {}}, t(501)));
}

TEST_F(Wait, AVoteMoreForTheLockThatItHasIsItsOwn) {
  stand(Duration::ms(500));
  deny_all(t(1));
  push(0, t(2));
  push(1, t(2));
  ASSERT_TRUE(granted());
  push(2, t(3));
}

TEST_F(Wait, AVoteIsNotTrustedBeyondItsLife) {
  stand(Duration::ms(60'000), 3, Duration::ms(100));
  deny_all(t(1));
  push(0, t(2));
  line_->take_time(t(5));
  drain();
  grant(0, t(5));
  push(1, t(150));  // behind a join of t(0): its key may be gone
  EXPECT_FALSE(granted());
}

TEST_F(Wait, AnswersSlowerThanTheLockLivesNeverGrantIt) {
  stand(Duration::ms(200), 1, Duration::ms(20));
  for (std::int64_t ms = 25; ms <= 200; ms += 25) {
    ASSERT_EQ(only<Join>(drain()).size(), 1U) << ms;
    grant(0, t(ms));
    ASSERT_FALSE(granted()) << ms;
  }
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::late);
}

}  // namespace
}  // namespace redlock
