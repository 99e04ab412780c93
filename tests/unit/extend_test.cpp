// An extended lock's validity counts from before the first byte left.
#include "redlock/algorithm/extend.hpp"

#include <gtest/gtest.h>

#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/validity.hpp"
#include "support/machine.hpp"

namespace redlock::extend_test {
namespace {

using test::answer_times;
using test::drain;
using test::kOneNs;
using test::t;

constexpr AttemptNumber kAttempt = 1;
constexpr Duration kTtl = Duration::ms(1'000);

Extend extend_of_one() {
  return {answer_times({5'000}), std::make_shared<QuorumKind>(Resource("r"), kTtl, 0.01),
          Token("mine")};
}

Outcome outcome_after(Duration elapsed, Reply reply) {
  Extend extend = extend_of_one();
  extend.start(t(0));
  drain(extend);
  extend.on_reply(NodeIndex(0), kAttempt, std::move(reply), t(0) + elapsed);
  return *extend.outcome();
}

TEST(Extend, SendsTheTokenAndTheTtlToEveryNode) {
  Extend extend(answer_times({50, 50}), std::make_shared<QuorumKind>(Resource("r"), kTtl, 0.01),
                Token("mine"));
  extend.start(t(0));
  const auto requests = test::only<ExtendIfEqual>(drain(extend));
  ASSERT_EQ(requests.size(), 2U);
  const auto& command = std::get<ExtendIfEqual>(*requests[0].command);
  EXPECT_EQ(command.token, Token("mine"));
  EXPECT_EQ(command.ttl, kTtl);
}

TEST(Rule01ClockStartsBeforeTheFirstByte, AnExtensionIsCountedFromItsStart) {
  const Outcome outcome = outcome_after(Duration::ms(40), Reply::granted());
  EXPECT_EQ(outcome.decision, Decision::granted);
  EXPECT_EQ(outcome.validity, validity_of(kTtl, Duration::ms(40), 0.01));
  EXPECT_EQ(outcome.token, Token("mine"));
}

TEST(Extend, ThatCameTooLateIsLateAndOneNanosecondEarlierItIsGranted) {
  const Duration usable = validity_of(kTtl, Duration(), 0.01);
  EXPECT_EQ(outcome_after(usable, Reply::granted()).decision, Decision::expired_in_flight);
  EXPECT_EQ(outcome_after(usable - kOneNs, Reply::granted()).decision, Decision::granted);
}

TEST(Extend, OfALockThatIsNotOursIsDenied) {
  EXPECT_EQ(outcome_after(Duration::ms(1), Reply::denied()).decision, Decision::denied);
}

TEST(Extend, ThatReachedNobodySaysSo) {
  EXPECT_EQ(outcome_after(Duration::ms(1), Reply::unknown(Fault::closed, "")).decision,
            Decision::unreachable);
}

std::optional<Instant> deadline_of_one_that_connects_until(Instant connected_by,
                                                           LossDetail detail) {
  Extend extend(answer_times({50}), std::make_shared<QuorumKind>(Resource("r"), kTtl, 0.01),
                Token("mine"), detail);
  extend.start(t(0));
  drain(extend);
  extend.on_delay(NodeIndex(0), kAttempt, connected_by);
  return extend.next_deadline();
}

TEST(Extend, WaitsForAConnectionThatIsBeingMade) {
  EXPECT_EQ(deadline_of_one_that_connects_until(t(100), LossDetail::reason), t(150));
}

// The lock must not be lost over one server that is hard to reach.
TEST(Extend, ThatHearsEachNodeDoesNot) {
  EXPECT_EQ(deadline_of_one_that_connects_until(t(100), LossDetail::each), t(50));
}

}  // namespace
}  // namespace redlock::extend_test
