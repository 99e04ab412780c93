// The machine that waits for several resources at once, one event at a time.
#include "redlock/queue/several_wait.hpp"

#include <gtest/gtest.h>

#include "redlock/algorithm/validity.hpp"
#include "support/allocations.hpp"
#include "support/machine.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::several_wait_test {
namespace {

using test::drain;
using test::nodes_of;
using test::only;
using test::t;

using Nodes = std::vector<std::size_t>;
constexpr Duration kTtl = Duration::ms(1'000);
constexpr Duration kAnswerTime = Duration::ms(50);
constexpr std::int64_t kWallMs = 1'700'000'000'000;
const Reply kFirstIsBusy = Reply::denied(BusyResource{0});
const Reply kSecondIsBusy = Reply::denied(BusyResource{1});

class WaitForBoth : public testing::Test {
 protected:
  void begin(Duration wait) {
    const Resources both(std::vector<Resource>{Resource("b"), Resource("a")});
    wait_ = std::make_unique<SeveralWait>(
        test::answer_times(3, kAnswerTime),
        std::make_shared<QuorumKind>(both, kTtl, kDriftFactorDefault),
        WaitRequest{both, wait, 200, kWallMs}, std::make_shared<LineMemory>(), entropy_);
    wait_->start(t(0));
    sent_ = drain(*wait_);
  }
  // To what was sent last, by all three.
  void all(const Reply& reply, Instant now = t(1)) {
    const AttemptNumber attempt = sent_.empty() ? 0 : sent_.back().attempt;
    for (const std::size_t node : {0U, 1U, 2U}) {
      wait_->on_reply(NodeIndex(node), attempt, reply, now);
    }
    sent_ = drain(*wait_);
  }
  // Stands in the line of the busy one: the attempt of its own is denied, and it is heard.
  void stand(const Reply& busy, Duration wait = Duration::ms(5'000)) {
    begin(wait);
    all(busy);
    all(Reply::denied());
    for (const std::size_t node : {0U, 1U, 2U}) {
      wait_->on_subscription(NodeIndex(node), {"here", Fault::none, {}}, t(2));
    }
    sent_ = drain(*wait_);
  }
  // Its turn comes: two servers hand it over.
  void hand_over(Instant now = t(30)) {
    for (const std::size_t node : {0U, 1U}) {
      EXPECT_TRUE(wait_->on_push(NodeIndex(node), granted(node), now));
    }
    sent_ = drain(*wait_);
  }
  // By one of them, in answer to its join.
  [[nodiscard]] Push granted(std::size_t node) const {
    const auto join = std::get<Enqueue>(*only<Enqueue>(sent_).at(node).command);
    return {Push::Kind::granted, join.token, join.entry.echo, {}};
  }
  [[nodiscard]] Enqueue joined() const {
    return std::get<Enqueue>(*only<Enqueue>(sent_).at(0).command);
  }
  [[nodiscard]] SetAllIfAbsent tried() const {
    return std::get<SetAllIfAbsent>(*only<SetAllIfAbsent>(sent_).at(0).command);
  }
  [[nodiscard]] std::optional<Decision> decision() const {
    return wait_->outcome() ? std::optional(wait_->outcome()->decision) : std::nullopt;
  }

  test::SeededEntropy entropy_;
  std::unique_ptr<SeveralWait> wait_;
  std::vector<Request> sent_;
};

TEST_F(WaitForBoth, TriesAllAtOnceFirst) {
  begin(Duration::ms(5'000));
  EXPECT_EQ(nodes_of(only<SetAllIfAbsent>(sent_)), (Nodes{0, 1, 2}));
  all(Reply::granted());
  ASSERT_EQ(decision(), Decision::granted);
  EXPECT_FALSE(wait_->outcome()->handed_over);
}

TEST_F(WaitForBoth, StandsInTheLineOfTheOneThatMostFoundBusy) {
  stand(kSecondIsBusy);
  EXPECT_TRUE(wait_->listens());
  EXPECT_EQ(nodes_of(only<Enqueue>(sent_)), (Nodes{0, 1, 2}));
  EXPECT_EQ(joined().resources, Resource("b"));
}

TEST_F(WaitForBoth, ItsTicketCountsFromTheBeginning) {
  begin(Duration::ms(5'000));
  all(kFirstIsBusy, t(40));
  all(Reply::denied(), t(41));
  for (const std::size_t node : {0U, 1U, 2U}) {
    wait_->on_subscription(NodeIndex(node), {"here", Fault::none, {}}, t(42));
  }
  sent_ = drain(*wait_);
  EXPECT_EQ(joined().entry.ticket, kWallMs);
}

TEST_F(WaitForBoth, WhenItsTurnComesItTriesAllWithTheTokenThatItWasHanded) {
  stand(kFirstIsBusy);
  const Token handed = joined().token;
  hand_over();
  EXPECT_EQ(nodes_of(only<SetAllIfAbsent>(sent_)), (Nodes{0, 1, 2}));
  EXPECT_EQ(tried().token, handed);
  all(Reply::granted(), t(31));
  ASSERT_EQ(decision(), Decision::granted);
  EXPECT_EQ(wait_->outcome()->token, handed);
  EXPECT_TRUE(wait_->outcome()->handed_over);
  EXPECT_EQ(wait_->outcome()->validity, validity_of(kTtl, Duration::ms(1), kDriftFactorDefault));
}

TEST_F(WaitForBoth,
       WhereAnotherIsBusyThenItPassesOnWhatItWasHandedAndPausesBeforeItStandsInThatLine) {
  stand(kFirstIsBusy);
  const Token handed = joined().token;
  hand_over();
  all(kSecondIsBusy, t(31));
  // Behind them is what undoes the attempt that the third has not answered.
  auto passed = only<ReleaseAndHandOver>(sent_);
  ASSERT_GE(passed.size(), 3U);
  passed.erase(passed.begin() + 3, passed.end());
  ASSERT_EQ(nodes_of(passed), (Nodes{0, 1, 2}));
  const auto& release = std::get<ReleaseAndHandOver>(*passed.at(0).command);
  EXPECT_EQ(release.resources, Resource("a"));
  EXPECT_EQ(release.token, handed);
  EXPECT_TRUE(release.hands_over);
  EXPECT_FALSE(passed.at(0).wants_answer);
  EXPECT_TRUE(only<SetIfAbsent>(sent_).empty());
  const Instant resumed = wait_->next_deadline().value();
  EXPECT_LE(resumed, t(31) + kSeveralPauseMin);
  wait_->on_time(resumed);
  const auto plain = only<SetIfAbsent>(drain(*wait_));
  ASSERT_EQ(nodes_of(plain), (Nodes{0, 1, 2}));
  EXPECT_EQ(std::get<SetIfAbsent>(*plain.at(0).command).resources, Resource("b"));
}

TEST_F(WaitForBoth, ThePausesGrowWithTheRoundTripUpToThoseOfAWaitThatPolls) {
  stand(kFirstIsBusy);
  hand_over(t(30));
  all(kSecondIsBusy, t(70));
  EXPECT_LE(wait_->next_deadline().value(), t(70) + Duration::ms(80));
  wait_->on_time(wait_->next_deadline().value() - test::kOneNs);
  EXPECT_TRUE(drain(*wait_).empty());
}

TEST_F(WaitForBoth, APauseEndsWithTheWait) {
  stand(kFirstIsBusy, Duration::ms(100));
  hand_over(t(90));
  all(kSecondIsBusy, t(99));
  wait_->on_time(t(100));
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(WaitForBoth, AnAnswerToAnEarlierStepIsNoneToTheNext) {
  begin(Duration::ms(5'000));
  const AttemptNumber first = sent_.at(0).attempt;
  all(kFirstIsBusy);
  for (const std::size_t node : {0U, 1U, 2U}) {
    wait_->on_reply(NodeIndex(node), first, Reply::granted(), t(2));
  }
  EXPECT_FALSE(decision());
}

TEST_F(WaitForBoth, TheEndOfTheWaitLeavesTheLineAndHoldsNothing) {
  stand(kFirstIsBusy);
  for (const Request& join : only<Enqueue>(sent_)) {
    wait_->on_reply(join.node, join.attempt,
                    Reply::denied(QueuePosition{Duration::ms(900), 0, kWallMs}), t(3));
  }
  wait_->on_time(t(5'001));
  EXPECT_EQ(decision(), Decision::denied);
  EXPECT_EQ(nodes_of(only<ReleaseAndHandOver>(drain(*wait_))), (Nodes{0, 1, 2}));
}

TEST_F(WaitForBoth, AnAttemptThatEndsBehindTheWaitIsTheLast) {
  begin(Duration::ms(5));
  all(kFirstIsBusy, t(6));
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(WaitForBoth, GivenUpWhileItTriesWithWhatItWasHandedPassesThatOn) {
  stand(kFirstIsBusy);
  const Token handed = joined().token;
  hand_over();
  wait_->abort(t(31));
  EXPECT_EQ(decision(), Decision::aborted);
  std::size_t of_one = 0;
  for (const Request& request : only<ReleaseAndHandOver>(drain(*wait_))) {
    const auto& release = std::get<ReleaseAndHandOver>(*request.command);
    EXPECT_EQ(release.token, handed);
    of_one += release.resources.single() ? 1 : 0;
  }
  EXPECT_EQ(of_one, 3U);
}

TEST_F(WaitForBoth, GivenUpWhereNoMemoryLetItTryAllPassesOnWhatItWasHanded) {
  for (std::size_t n = 0;; ++n) {
    stand(kFirstIsBusy);
    const Token handed = joined().token;
    wait_->on_push(NodeIndex(0), granted(0), t(30));
    const Push last = granted(1);
    const test::Tried tried = test::try_without(n, test::Shortage::once,
                                                [&] { wait_->on_push(NodeIndex(1), last, t(30)); });
    if (!tried.happened) {
      EXPECT_GT(n, 0U);
      break;
    }
    if (!tried.threw) continue;
    wait_->abort(t(31));
    Nodes passed;
    for (const Request& request : only<ReleaseAndHandOver>(drain(*wait_))) {
      const auto& release = std::get<ReleaseAndHandOver>(*request.command);
      if (release.token == handed) passed.push_back(request.node.value());
    }
    EXPECT_EQ(passed, (Nodes{0, 1, 2})) << n;
  }
}

TEST_F(WaitForBoth, WhatTheLastOfTheLineHandsOverLateIsItsOwn) {
  stand(kFirstIsBusy);
  const Enqueue join = joined();
  hand_over();
  const Push late{Push::Kind::granted, join.token, join.entry.echo, {}};
  EXPECT_TRUE(wait_->on_push(NodeIndex(2), late, t(31)));
  all(Reply::granted(), t(32));
  EXPECT_TRUE(wait_->on_push(NodeIndex(2), late, t(33)));
  EXPECT_FALSE(wait_->on_push(NodeIndex(2), {Push::Kind::granted, Token("x"), 1, {}}, t(33)));
}

// As a cluster does whose slots they are not together in, or an ACL that has only one of them.
TEST_F(WaitForBoth, EndsWhereServersRefuseTheSetForGood) {
  begin(Duration::ms(5'000));
  all(Reply::unknown(Fault::acl, "NOPERM"));
  EXPECT_EQ(decision(), Decision::unreachable);
}

}  // namespace
}  // namespace redlock::several_wait_test
