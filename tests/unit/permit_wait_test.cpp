// The machine that waits for a permit, one event at a time.
#include "redlock/queue/permit_wait.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "redlock/algorithm/validity.hpp"
#include "support/allocations.hpp"
#include "support/machine.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::permit_wait_test {
namespace {

using test::drain;
using test::nodes_of;
using test::only;
using test::t;

using Nodes = std::vector<std::size_t>;
constexpr Duration kTtl = Duration::ms(1'000);
constexpr Duration kAnswerTime = Duration::ms(50);
constexpr std::int64_t kWallMs = 1'700'000'000'000;

// Of three slots; where none is free, the next ends in so many ms.
Reply slots(const std::string& free, std::int64_t index = 0, std::int64_t left_ms = 900) {
  const auto view = std::make_shared<PermitView>();
  for (std::size_t slot = 0; slot < free.size(); ++slot) view->free[slot] = free[slot] == '1';
  view->position = {Duration::ms(view->free.any() ? 0 : left_ms), index, kWallMs};
  return Reply::denied(std::shared_ptr<const PermitView>(view));
}

class WaitForAPermit : public testing::Test {
 protected:
  void begin(Duration wait = Duration::ms(5'000)) {
    const auto kind = std::make_shared<const QuorumKind>(Resource("r"), kTtl, kDriftFactorDefault);
    wait_ = std::make_unique<PermitWait>(test::answer_times(3, kAnswerTime), PermitKind{kind, 3},
                                         WaitRequest{Resource("r"), wait, 200, kWallMs}, memory_,
                                         entropy_);
    wait_->start(t(0));
    sent_ = drain(*wait_);
  }
  // To what was sent last of that kind, by all three.
  template <class Kind>
  void all(const Reply& reply, Instant now = t(1)) {
    for (const Request& request : only<Kind>(sent_)) {
      wait_->on_reply(request.node, request.attempt, reply, now);
    }
    sent_ = drain(*wait_);
  }
  // All three can tell it of its turn.
  void hear_all() {
    for (const std::size_t node : {0U, 1U, 2U}) {
      wait_->on_subscription(NodeIndex(node), {"here", Fault::none, {}}, t(2));
    }
    sent_ = drain(*wait_);
  }
  // None is free, and it stands in line.
  void stand(std::int64_t index = 0, Duration wait = Duration::ms(5'000)) {
    begin(wait);
    all<TakeSlot>(slots("000"));
    hear_all();
    line_token_ = stood().token;
    all<StandForPermit>(slots("000", index), t(3));
  }
  bool tell(std::size_t node, std::size_t slot, Instant now = t(30)) {
    Push push;
    push.kind = Push::Kind::slot;
    push.token = line_token_;
    push.slot = slot;
    const bool ours = wait_->on_push(NodeIndex(node), push, now);
    for (Request& request : drain(*wait_)) sent_.push_back(std::move(request));
    return ours;
  }
  // Told so again and again for three seconds, and each time in vain.
  int tries_of_what_is_told(const std::function<void(Instant)>& told) {
    stand();
    int tries = 0;
    Instant now = t(30);
    while (now < t(3'000) && tries < 100) {
      sent_.clear();
      told(now);
      ++tries;
      while (!only<TakeSlot>(sent_).empty()) all<TakeSlot>(slots("000"), now);
      while (only<StandForPermit>(sent_).empty() && now < t(3'000)) {
        now = std::max(now + Duration::ms(1), wait_->next_deadline().value_or(now));
        wait_->on_time(now);
        sent_ = drain(*wait_);
        while (!only<TakeSlot>(sent_).empty()) all<TakeSlot>(slots("000"), now);
      }
      for (const Request& request : only<StandForPermit>(sent_)) {
        wait_->on_reply(request.node, request.attempt, slots("000"), now);
      }
    }
    return tries;
  }
  [[nodiscard]] StandForPermit stood() const {
    return std::get<StandForPermit>(*only<StandForPermit>(sent_).at(0).command);
  }
  [[nodiscard]] TakeSlot tried() const {
    return std::get<TakeSlot>(*only<TakeSlot>(sent_).at(0).command);
  }
  [[nodiscard]] std::optional<Decision> decision() const {
    return wait_->outcome() ? std::optional(wait_->outcome()->decision) : std::nullopt;
  }

  test::SeededEntropy entropy_;
  std::shared_ptr<LineMemory> memory_ = std::make_shared<LineMemory>();
  std::unique_ptr<PermitWait> wait_;
  std::vector<Request> sent_;
  Token line_token_;
};

TEST_F(WaitForAPermit, ItTriesAnyOneFirst) {
  begin();
  EXPECT_EQ(nodes_of(only<TakeSlot>(sent_)), (Nodes{0, 1, 2}));
  all<TakeSlot>(Reply::granted());
  ASSERT_EQ(decision(), Decision::granted);
  EXPECT_TRUE(wait_->outcome()->slot.has_value());
  EXPECT_FALSE(wait_->outcome()->handed_over);
}

TEST_F(WaitForAPermit, WhereNoneIsFreeItStandsInTheLineOfAll) {
  begin();
  all<TakeSlot>(slots("000"));
  EXPECT_TRUE(wait_->listens());
  hear_all();
  EXPECT_EQ(nodes_of(only<StandForPermit>(sent_)), (Nodes{0, 1, 2}));
  EXPECT_EQ(stood().resources, Resource("r:redlock:slot"));
  EXPECT_EQ(stood().entry.ticket, kWallMs);
}

TEST_F(WaitForAPermit, ListensToNobodyBeforeItStands) {
  begin();
  hear_all();
  EXPECT_TRUE(sent_.empty());
  EXPECT_FALSE(decision());
}

TEST_F(WaitForAPermit, ASlotThatIsFreeByNowIsTriedAtOnce) {
  begin();
  all<TakeSlot>(slots("000"));
  hear_all();
  all<StandForPermit>(slots("010"), t(3));
  EXPECT_EQ(tried().resources, Resource("r:redlock:slot:1"));
}

TEST_F(WaitForAPermit, WhatIsSaidOfItsPlaceIsWaitedForAsLongAsForAnyAnswer) {
  begin();
  all<TakeSlot>(slots("000"));
  hear_all();
  wait_->on_time(t(2) + kAnswerTime - Duration::ms(1));
  all<StandForPermit>(slots("010"), t(2) + kAnswerTime - Duration::ms(1));
  EXPECT_EQ(tried().resources, Resource("r:redlock:slot:1"));
}

TEST_F(WaitForAPermit, ASlotThatIsFreeIsLeftToWhoStandsInFront) {
  stand(1);
  EXPECT_TRUE(only<TakeSlot>(sent_).empty());
  wait_->on_time(wait_->next_deadline().value());
  sent_ = drain(*wait_);
  all<StandForPermit>(slots("010", 1), t(1'200));
  EXPECT_TRUE(only<TakeSlot>(sent_).empty());
}

TEST_F(WaitForAPermit, OfTwoThatAreFreeTheSecondInLineTriesTheSecond) {
  stand(1);
  wait_->on_time(wait_->next_deadline().value());
  sent_ = drain(*wait_);
  all<StandForPermit>(slots("101", 1), t(1'200));
  EXPECT_EQ(tried().resources, Resource("r:redlock:slot:2"));
}

TEST_F(WaitForAPermit, WhatItIsToldOfIsTriedWithATokenOfItsOwnAndTheLineIsLeft) {
  stand();
  EXPECT_TRUE(tell(0, 2));
  EXPECT_EQ(tried().resources, Resource("r:redlock:slot:2"));
  EXPECT_NE(tried().token, line_token_);
  const Token token = tried().token;
  all<TakeSlot>(Reply::granted(), t(31));
  ASSERT_EQ(decision(), Decision::granted);
  EXPECT_EQ(wait_->outcome()->token, token);
  EXPECT_EQ(wait_->outcome()->slot, Resources(Resource("r:redlock:slot:2")));
  EXPECT_TRUE(wait_->outcome()->handed_over);
  EXPECT_EQ(nodes_of(only<LeavePermits>(sent_)), (Nodes{0, 1, 2}));
  EXPECT_TRUE(only<ReleaseAndHandOver>(sent_).empty());
}

TEST_F(WaitForAPermit, WhereAnotherWasFasterItStandsAgainWhereItWasTakenOutOfTheLine) {
  stand();
  tell(1, 2);
  all<TakeSlot>(slots("000"), t(31));
  EXPECT_EQ(nodes_of(only<StandForPermit>(sent_)), (Nodes{1}));
  EXPECT_EQ(stood().token, line_token_);
  EXPECT_EQ(stood().entry.ticket, kWallMs);
}

// A slot that is free on one server alone is given back there each time, and told anew.
TEST_F(WaitForAPermit, WhatItIsToldOfAgainAndAgainInVainItTriesLessAndLessOften) {
  const int tries = tries_of_what_is_told([this](Instant now) { tell(1, 2, now); });
  EXPECT_LE(tries, 16) << "1 ms, then twice as long each time, up to a second";
  EXPECT_GE(tries, 8);
}

// As it is where the holder of either has no vote on one of them; but at first it may be that slots
// are given back one close behind the other.
TEST_F(WaitForAPermit, TwoServersThatHaveAnotherSlotFreeEachAreNoMajorityForLong) {
  const int tries = tries_of_what_is_told([this](Instant now) {
    tell(0, 0, now);
    tell(1, 1, now);
  });
  EXPECT_LE(tries, static_cast<int>(kSplitTriesMax) + 16);
  EXPECT_GT(tries, 16);
}

// To whoever comes without a wait, time and again: a pause would make it come later than all of
// them.
TEST_F(WaitForAPermit, WhatAMajorityToldItOfInVainItStandsForAgainAtOnce) {
  stand();
  for (int i = 0; i < 8; ++i) {
    const Instant now = t(30 + 10 * i);
    sent_.clear();
    for (const std::size_t node : {0U, 1U, 2U}) tell(node, 2, now);
    all<TakeSlot>(slots("000"), now);
    wait_->on_time(now);
    for (const Request& request : drain(*wait_)) sent_.push_back(request);
    // What the others told it of is tried, too.
    while (!only<TakeSlot>(sent_).empty()) all<TakeSlot>(slots("000"), now);
    EXPECT_EQ(nodes_of(only<StandForPermit>(sent_)), (Nodes{0, 1, 2})) << i;
    all<StandForPermit>(slots("000"), now);
  }
}

// So it is on one that has restarted empty, until those who hold the others give them back.
TEST_F(WaitForAPermit, AServerThatHasASlotFreeAloneIsAskedNoMoreOftenThanTheOthers) {
  begin();
  all<TakeSlot>(slots("000"));
  for (const std::size_t node : {0U, 1U, 2U}) {
    wait_->on_subscription(NodeIndex(node), {"here", Fault::none, {}}, t(2));
  }
  for (const Request& request : only<StandForPermit>(drain(*wait_))) {
    const bool emptied = request.node == NodeIndex(2);
    wait_->on_reply(request.node, request.attempt, slots(emptied ? "111" : "000"), t(3));
  }
  EXPECT_TRUE(drain(*wait_).empty());
  EXPECT_EQ(wait_->next_deadline(), t(3 + 900 + 2));
  wait_->on_time(t(905));
  EXPECT_EQ(nodes_of(only<StandForPermit>(drain(*wait_))), (Nodes{0, 1}));
  wait_->on_time(t(3 + 1'000));
  EXPECT_EQ(nodes_of(only<StandForPermit>(drain(*wait_))), (Nodes{2}));
}

TEST_F(WaitForAPermit, WhatItIsToldOfBesideTheOneThatItWinsItPassesOn) {
  stand();
  tell(0, 2);
  tell(1, 0);
  all<TakeSlot>(Reply::granted(), t(31));
  ASSERT_EQ(decision(), Decision::granted);
  const auto passed = only<ReleaseAndHandOver>(sent_);
  ASSERT_EQ(nodes_of(passed), (Nodes{1}));
  EXPECT_EQ(std::get<ReleaseAndHandOver>(*passed[0].command).resources,
            Resource("r:redlock:slot:0"));
}

TEST_F(WaitForAPermit, WhatItIsToldOfWhileItTriesInVainItTriesNext) {
  stand();
  tell(0, 2);
  tell(1, 0);
  all<TakeSlot>(slots("000"), t(31));
  EXPECT_EQ(tried().resources, Resource("r:redlock:slot:0"));
}

TEST_F(WaitForAPermit, ToldOfASlotThatItDoesNotKnowItStandsAgainThereAtOnceAndTriesNone) {
  stand();
  EXPECT_TRUE(tell(0, 3));
  EXPECT_EQ(nodes_of(only<StandForPermit>(sent_)), Nodes{0});
  EXPECT_TRUE(only<TakeSlot>(sent_).empty());
}

TEST_F(WaitForAPermit, ThatReplicasLackedItIsToldAtTheEndThoughItStoodInLine) {
  stand();
  tell(0, 2);
  all<TakeSlot>(Reply::unknown(Fault::noreplicas, "too few"), t(31));
  wait_->on_time(t(5'000));
  ASSERT_EQ(decision(), Decision::unreachable);
  EXPECT_EQ(wait_->outcome()->nodes[0].reply.fault, Fault::noreplicas);
}

TEST_F(WaitForAPermit, ThatAServerIsBeingConnectedToIsNoTrouble) {
  stand();
  wait_->on_time(wait_->next_deadline().value());
  const auto asked = only<StandForPermit>(drain(*wait_));
  ASSERT_FALSE(asked.empty());
  wait_->on_delay(asked[0].node, asked[0].attempt, asked[0].answer_by + Duration::ms(100));
  wait_->on_time(asked[0].answer_by);
  wait_->on_reply(asked[0].node, asked[0].attempt, slots("000"), asked[0].answer_by);
  EXPECT_EQ(wait_->outcome(), nullptr);
  wait_->abort(asked[0].answer_by);
  EXPECT_EQ(wait_->outcome()->nodes[asked[0].node.value()].reply, Reply::denied());
}

TEST_F(WaitForAPermit, ItLooksByItselfWhenTheNextSlotEnds) {
  stand();
  const Instant looks = wait_->next_deadline().value();
  EXPECT_EQ(looks, t(3) + Duration::ms(900) + kAfterTheEnd);
  wait_->on_time(looks);
  sent_ = drain(*wait_);
  EXPECT_EQ(only<StandForPermit>(sent_).size(), 3U);
}

TEST_F(WaitForAPermit, WhoIsToldToLookLooks) {
  stand(1);
  sent_.clear();
  Push push;
  push.token = line_token_;
  push.left = Duration::ms(100);
  EXPECT_TRUE(wait_->on_push(NodeIndex(0), push, t(10)));
  wait_->on_time(t(10) + Duration::ms(100) + kAfterTheEnd);
  sent_ = drain(*wait_);
  EXPECT_EQ(nodes_of(only<StandForPermit>(sent_)), (Nodes{0}));
}

TEST_F(WaitForAPermit, WhoseWaitIsOverLeavesTheLineAndPassesOnWhatItWasTold) {
  stand(0, Duration::ms(100));
  sent_.clear();
  wait_->on_time(t(100));
  sent_ = drain(*wait_);
  EXPECT_EQ(decision(), Decision::denied);
  EXPECT_EQ(nodes_of(only<LeavePermits>(sent_)), (Nodes{0, 1, 2}));
}

TEST_F(WaitForAPermit, WhoGivesUpInTheMiddleOfATryUndoesItAndLeaves) {
  stand();
  tell(0, 2);
  sent_.clear();
  wait_->abort(t(31));
  sent_ = drain(*wait_);
  EXPECT_EQ(only<ReleaseAndHandOver>(sent_).size(), 3U);
  EXPECT_EQ(only<LeavePermits>(sent_).size(), 3U);
  EXPECT_EQ(decision(), Decision::aborted);
}

TEST_F(WaitForAPermit, WhoWaitedLatelyStandsAtOnce) {
  stand();
  wait_->abort(t(10));
  begin();
  EXPECT_TRUE(sent_.empty());
  EXPECT_TRUE(wait_->listens());
}

TEST_F(WaitForAPermit, WhereAMajorityRefusesSubscriptionsItPolls) {
  begin();
  all<TakeSlot>(slots("000"));
  for (const std::size_t node : {0U, 1U}) {
    wait_->on_subscription(NodeIndex(node), {"", Fault::acl, "no"}, t(2));
  }
  sent_ = drain(*wait_);
  EXPECT_FALSE(wait_->listens());
  EXPECT_EQ(only<TakeSlot>(sent_).size(), 3U);
  all<TakeSlot>(Reply::granted(), t(3));
  ASSERT_EQ(decision(), Decision::granted);
  EXPECT_EQ(wait_->outcome()->line.size(), 3U);
}

TEST_F(WaitForAPermit, WhereNoMajoritySaysAnythingAnyOneIsTriedAllTheSame) {
  begin();
  all<TakeSlot>(slots("000"));
  wait_->on_subscription(NodeIndex(0), {"here", Fault::none, {}}, t(2));
  sent_ = drain(*wait_);
  all<StandForPermit>(slots("000"), t(3));
  wait_->on_time(t(1) + kTooFewFor);
  sent_ = drain(*wait_);
  EXPECT_EQ(only<TakeSlot>(sent_).size(), 3U);
}

// Wherever memory runs out while it tries what it was told of.
TEST_F(WaitForAPermit, WhereMemoryIsShortWhatWasBegunIsUndoneAllTheSame) {
  for (std::size_t n = 0;; ++n) {
    stand();
    const test::Tried tried = test::try_without(n, test::Shortage::once, [&] { (void)tell(0, 2); });
    const std::size_t taken = only<TakeSlot>(sent_).size();
    sent_.clear();
    wait_->abort(t(31));
    sent_ = drain(*wait_);
    EXPECT_EQ(only<LeavePermits>(sent_).size(), 3U) << n;
    EXPECT_GE(only<ReleaseAndHandOver>(sent_).size(), taken) << n;
    memory_ = std::make_shared<LineMemory>();
    if (!tried.happened) break;
  }
}

}  // namespace
}  // namespace redlock::permit_wait_test
