// A lease is shortened by a majority or lost, and of the token that goes nothing may stay.
#include "redlock/algorithm/token_rotation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/validity.hpp"
#include "support/allocations.hpp"
#include "support/machine.hpp"

namespace redlock::token_rotation_test {
namespace {

using test::drain;
using test::kOneNs;
using test::nodes_of;
using test::t;

constexpr AttemptNumber kAttempt = 1;
constexpr Duration kTtl = Duration::ms(1'000);
constexpr Duration kAnswerTime = Duration::ms(40);
const Token kHeld("old");
const Token kFresh("new");

class TokenRotationTest : public testing::Test {
 protected:
  TokenRotationTest() {
    machine_.start(t(0));
    asked_ = drain(machine_);
  }
  void answer(std::size_t node, Reply reply, Instant now = t(1)) {
    machine_.on_reply(NodeIndex(node), kAttempt, std::move(reply), now);
  }
  // The nodes that are to forget this token, of those that are handed out now.
  static std::vector<std::size_t> forgetting(const std::vector<Request>& requests,
                                             const Token& token) {
    std::vector<Request> removals;
    for (const Request& request : requests) {
      if (std::get<ReleaseAndHandOver>(*request.command).token == token)
        removals.push_back(request);
    }
    std::vector<std::size_t> nodes = nodes_of(removals);
    std::ranges::sort(nodes);
    return nodes;
  }
  [[nodiscard]] Decision decision() const { return machine_.outcome()->decision; }

  std::vector<Loss> losses_;
  bool transferred_ = false;
  TokenRotation made() {
    return {test::answer_times(3, kAnswerTime),
            std::make_shared<QuorumKind>(Resource("r"), kTtl, 0.01), kHeld, kFresh,
            [this](Loss why) {
              losses_.push_back(why);
              return !transferred_;
            }};
  }
  TokenRotation machine_ = made();
  std::vector<Request> asked_;
};

const std::vector<std::size_t> kAll{0, 1, 2};

TEST_F(TokenRotationTest, AsksEveryNodeToExchangeTheTokens) {
  EXPECT_EQ(nodes_of(asked_), kAll);
  for (const Request& request : asked_) {
    const auto& swap = std::get<RotateIfEqual>(*request.command);
    EXPECT_EQ(swap.held, kHeld);
    EXPECT_EQ(swap.fresh, kFresh);
    EXPECT_EQ(swap.ttl, kTtl);
    EXPECT_EQ(request.answer_by, t(40));
  }
}

TEST_F(TokenRotationTest, WaitsForConnectionsThatAreBeingMade) {
  for (const std::size_t node : kAll) machine_.on_delay(NodeIndex(node), kAttempt, t(100));
  EXPECT_EQ(machine_.next_deadline(), t(100) + kAnswerTime);
}

TEST_F(TokenRotationTest, WantsNothingBeforeItBegins) {
  TokenRotation machine = made();
  EXPECT_FALSE(machine.next_deadline());
  EXPECT_FALSE(machine.next_request());
}

TEST_F(TokenRotationTest, ThatAllConfirmSendsNothingMore) {
  for (std::size_t i = 0; i < 3; ++i) answer(i, Reply::granted(), t(7));
  EXPECT_EQ(decision(), Decision::granted);
  EXPECT_EQ(machine_.outcome()->token, kFresh);
  EXPECT_EQ(machine_.outcome()->decided_at, t(7));
  EXPECT_FALSE(machine_.next_deadline()) << "it has ended";
  EXPECT_EQ(machine_.outcome()->validity, validity_of(kTtl, Duration::ms(7), 0.01))
      << "counted from before the first byte left";
  EXPECT_TRUE(drain(machine_).empty());
  EXPECT_TRUE(losses_.empty());
}

TEST_F(TokenRotationTest, WaitsALittleForThoseBehindTheMajority) {
  answer(0, Reply::granted());
  answer(1, Reply::granted());
  EXPECT_EQ(machine_.outcome(), nullptr);
  EXPECT_EQ(machine_.next_deadline(), t(10));
  machine_.on_time(t(10) - kOneNs);
  EXPECT_EQ(machine_.outcome(), nullptr);
  machine_.on_time(t(10));
  EXPECT_EQ(decision(), Decision::granted);
  const auto removals = drain(machine_);
  EXPECT_EQ(forgetting(removals, kHeld), std::vector<std::size_t>{2});
  EXPECT_TRUE(forgetting(removals, kFresh).empty()) << "a late swap of its sets a good vote";
}

TEST_F(TokenRotationTest, TellsWhoeverDidNotConfirmToForgetTheOldToken) {
  answer(0, Reply::granted());
  answer(1, Reply::denied());
  answer(2, Reply::granted());
  EXPECT_EQ(decision(), Decision::granted);
  const auto removals = drain(machine_);
  EXPECT_EQ(forgetting(removals, kHeld), std::vector<std::size_t>{1});
  EXPECT_EQ(removals.size(), 1U);
}

TEST_F(TokenRotationTest, ThatIsLostLeavesNeitherTokenAnywhere) {
  answer(0, Reply::granted());
  answer(1, Reply::denied());
  EXPECT_EQ(machine_.outcome(), nullptr);
  answer(2, Reply::denied());
  EXPECT_EQ(decision(), Decision::denied);
  EXPECT_EQ(losses_, std::vector{Loss::denied});
  const auto removals = drain(machine_);
  EXPECT_EQ(forgetting(removals, kHeld), kAll);
  EXPECT_EQ(forgetting(removals, kFresh), kAll);
}

TEST_F(TokenRotationTest, RemovesTheOldTokenBeforeTheFreshOne) {
  machine_.abort(t(1));
  bool fresh = false;
  for (const Request& request : drain(machine_)) {
    fresh = fresh || std::get<ReleaseAndHandOver>(*request.command).token == kFresh;
    EXPECT_EQ(std::get<ReleaseAndHandOver>(*request.command).token, fresh ? kFresh : kHeld)
        << "a swap that comes in between would bring the fresh one back";
  }
}

TEST_F(TokenRotationTest, SaysThatItIsLostBeforeAnythingIsRemoved) {
  bool told = false;
  TokenRotation machine{test::answer_times(1, kAnswerTime),
                        std::make_shared<QuorumKind>(Resource("r"), kTtl, 0.01), kHeld, kFresh,
                        [&](Loss) {
                          told = true;
                          EXPECT_EQ(machine.outcome(), nullptr);
                          EXPECT_FALSE(machine.next_request());
                          return true;
                        }};
  machine.start(t(0));
  drain(machine);
  machine.abort(t(1));
  EXPECT_TRUE(told);
  EXPECT_EQ(drain(machine).size(), 2U);
}

TEST_F(TokenRotationTest, OfALockThatWasTransferredRemovesNothingWhereItFails) {
  transferred_ = true;
  answer(0, Reply::granted());
  machine_.abort(t(1));
  EXPECT_EQ(decision(), Decision::aborted);
  EXPECT_EQ(losses_.size(), 1U);
  EXPECT_TRUE(drain(machine_).empty());
}

TEST_F(TokenRotationTest, OfALockThatWasTransferredRemovesTheOldTokenWhereItSucceeds) {
  transferred_ = true;
  answer(0, Reply::granted());
  answer(1, Reply::denied());
  answer(2, Reply::granted());
  EXPECT_EQ(decision(), Decision::granted);
  EXPECT_EQ(forgetting(drain(machine_), kHeld), std::vector<std::size_t>{1});
}

TEST_F(TokenRotationTest, WithoutAMajorityThatCouldBeAskedIsUnreachable) {
  answer(0, Reply::granted());
  answer(1, Reply::unknown(Fault::closed, ""));
  answer(2, Reply::unknown(Fault::closed, ""));
  EXPECT_EQ(decision(), Decision::unreachable);
  EXPECT_EQ(losses_, std::vector{Loss::silence});
  EXPECT_EQ(drain(machine_).size(), 6U);
}

TEST_F(TokenRotationTest, WaitsForWhoeverMayStillMakeAMajority) {
  answer(0, Reply::granted());
  answer(1, Reply::denied());
  machine_.on_time(t(40) - kOneNs);
  EXPECT_EQ(machine_.outcome(), nullptr);
  EXPECT_EQ(machine_.next_deadline(), t(40));
  machine_.on_time(t(40));
  EXPECT_EQ(decision(), Decision::denied);
  EXPECT_EQ(losses_, std::vector{Loss::silence}) << "one denial is none of a majority";
}

TEST_F(TokenRotationTest, ThatComesTooLateIsLost) {
  const Duration usable = validity_of(kTtl, Duration(), 0.01);
  answer(0, Reply::granted());
  answer(1, Reply::granted(), t(0) + usable);
  EXPECT_EQ(decision(), Decision::expired_in_flight);
  EXPECT_EQ(losses_, std::vector{Loss::silence});
  EXPECT_EQ(drain(machine_).size(), 6U);
}

TEST_F(TokenRotationTest, WhoseMajorityCameInTimeIsGrantedThoughNobodyLookedForLong) {
  answer(0, Reply::granted());
  answer(1, Reply::granted());
  EXPECT_EQ(machine_.outcome(), nullptr);
  machine_.on_time(t(0) + kTtl);
  EXPECT_EQ(decision(), Decision::granted);
  EXPECT_TRUE(losses_.empty());
}

TEST_F(TokenRotationTest, WaitsForThoseBehindTheMajorityNoLongerThanAPartOfAShortTtl) {
  TokenRotation machine{test::answer_times(3, Duration::seconds(5)),
                        std::make_shared<QuorumKind>(Resource("r"), kTtl, 0.01), kHeld, kFresh,
                        [](Loss) { return true; }};
  machine.start(t(0));
  drain(machine);
  for (const std::size_t i : {0U, 1U}) {
    machine.on_reply(NodeIndex(i), AttemptNumber(1), Reply::granted(), t(1));
  }
  ASSERT_TRUE(machine.next_deadline());
  EXPECT_LT(*machine.next_deadline(), t(0) + kTtl);
  machine.on_time(*machine.next_deadline());
  ASSERT_NE(machine.outcome(), nullptr);
  EXPECT_EQ(machine.outcome()->decision, Decision::granted);
  EXPECT_GT(machine.outcome()->validity, Duration());
}

TEST_F(TokenRotationTest, ThatIsGivenUpIsLostOnceOnly) {
  machine_.abort(t(1));
  EXPECT_EQ(decision(), Decision::aborted);
  EXPECT_EQ(drain(machine_).size(), 6U);
  answer(0, Reply::granted());
  machine_.on_time(t(50));
  machine_.abort(t(51));
  EXPECT_TRUE(drain(machine_).empty());
  EXPECT_EQ(losses_.size(), 1U);
}

TEST_F(TokenRotationTest, RemovesEachTokenOnceFromEveryServerWhereMemoryFailedBetween) {
  bool happened = true;
  for (std::size_t n = 0; happened; ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    TokenRotation machine = made();
    machine.start(t(0));
    drain(machine);
    happened = test::try_without(n, test::Shortage::once, [&] { machine.abort(t(1)); }).happened;
    machine.abort(t(1));
    EXPECT_EQ(drain(machine).size(), 6U);
  }
}

// What three nodes can say, in every order: granted is what two of them granted, and whatever may
// still stand somewhere, and should not, is removed there.
TEST(EveryShortening, EndsWithOneTokenOnAMajorityOrWithNone) {
  enum Says { yes, no, maybe, nothing };
  constexpr std::array kOrders{std::array{0, 1, 2}, std::array{0, 2, 1}, std::array{1, 0, 2},
                               std::array{1, 2, 0}, std::array{2, 0, 1}, std::array{2, 1, 0}};
  for (int all = 0; all < 4 * 4 * 4; ++all) {
    const std::array says{Says(all % 4), Says(all / 4 % 4), Says(all / 16)};
    for (const auto& order : kOrders) {
      int lost = 0;
      TokenRotation machine{test::answer_times(3, kAnswerTime),
                            std::make_shared<QuorumKind>(Resource("r"), kTtl, 0.01), kHeld, kFresh,
                            [&](Loss) { return ++lost > 0; }};
      machine.start(t(0));
      drain(machine);
      for (const int i : order) {
        const auto node = NodeIndex(static_cast<std::size_t>(i));
        const Says said = says[static_cast<std::size_t>(i)];
        if (said == nothing) continue;
        machine.on_reply(node, kAttempt,
                         said == yes  ? Reply::granted()
                         : said == no ? Reply::denied()
                                      : Reply::unknown(Fault::closed, ""),
                         t(1));
      }
      if (machine.outcome() == nullptr) machine.on_time(t(40));
      ASSERT_NE(machine.outcome(), nullptr);
      const bool granted = machine.outcome()->decision == Decision::granted;
      EXPECT_EQ(granted, std::ranges::count(says, yes) >= 2);
      EXPECT_EQ(lost, granted ? 0 : 1);
      std::array<int, 3> held{};
      std::array<int, 3> fresh{};
      for (const Request& request : drain(machine)) {
        const bool old = std::get<ReleaseAndHandOver>(*request.command).token == kHeld;
        ++(old ? held : fresh)[request.node.value()];
      }
      for (std::size_t i = 0; i < 3; ++i) {
        const bool confirmed = machine.outcome()->nodes[i].reply.answer == Answer::granted &&
                               machine.outcome()->nodes[i].answered;
        EXPECT_EQ(held[i], granted && confirmed ? 0 : 1);
        EXPECT_EQ(fresh[i], granted ? 0 : 1);
      }
    }
  }
}

}  // namespace
}  // namespace redlock::token_rotation_test
