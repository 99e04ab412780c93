// Attempts for as long as a caller waits: one budget for attempts and pauses.
#include <gtest/gtest.h>

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/quorum_kind.hpp"
#include "support/machine.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::acquire_wait_test {
namespace {

using test::drain;
using test::kOneNs;
using test::t;

constexpr Duration kAnswerTime = Duration::ms(50);

class Waiting : public testing::Test {
 protected:
  void begin(Duration wait) {
    acquire_.emplace(test::answer_times(1, kAnswerTime),
                     std::make_shared<QuorumKind>(Resource("r"), Duration::ms(1'000), 0.01),
                     RetryPolicy::waiting(wait, 200), entropy_);
    acquire_->start(t(0));
  }
  // The attempt under way is denied; how many requests the next wake-up brings.
  Instant deny(Instant now) {
    for (const Request& request : drain(*acquire_)) {
      if (request.wants_answer) {
        ++attempts_;
        acquire_->on_reply(request.node, request.attempt, Reply::denied(), now);
      }
    }
    drain(*acquire_);
    return acquire_->next_deadline().value_or(Instant::never());
  }
  // Denied whenever it asks, each time a millisecond later; when it was decided.
  Instant deny_all() {
    Instant now = t(0);
    while (acquire_->outcome() == nullptr) {
      const Instant next = deny(now + Duration::ms(1));
      if (acquire_->outcome() != nullptr) break;
      now = next;
      acquire_->on_time(now);
    }
    return acquire_->outcome()->decided_at;
  }

  test::SeededEntropy entropy_;
  std::optional<Acquire> acquire_;
  int attempts_ = 0;
};

TEST_F(Waiting, NoWaitIsOneAttempt) {
  begin(Duration());
  EXPECT_EQ(deny_all(), t(1));
  EXPECT_EQ(attempts_, 1);
}

TEST_F(Waiting, TheLastAttemptBeginsWhenTheWaitEnds) {
  begin(Duration::ms(1'000));
  EXPECT_EQ(deny_all(), t(1'001));
  EXPECT_GE(attempts_, 6);
  EXPECT_LE(attempts_, 11);
}

TEST_F(Waiting, APauseIsCutAtTheEndOfTheWait) {
  begin(Duration::ms(50));
  EXPECT_EQ(deny(t(1)), t(50));
  acquire_->on_time(t(50) - kOneNs);
  EXPECT_TRUE(drain(*acquire_).empty());
  acquire_->on_time(t(50));
  EXPECT_EQ(drain(*acquire_).size(), 1U);
}

TEST_F(Waiting, AnAttemptThatIsLostBehindTheEndIsTheLast) {
  begin(Duration::ms(40));
  drain(*acquire_);
  acquire_->on_time(t(50));
  ASSERT_NE(acquire_->outcome(), nullptr);
  EXPECT_EQ(acquire_->outcome()->decision, Decision::unreachable);
}

TEST_F(Waiting, WithoutEndItGoesOn) {
  begin(Duration::max());
  Instant now = t(0);
  for (int i = 0; i < 1'000; ++i) {
    const Instant next = deny(now);
    ASSERT_EQ(acquire_->outcome(), nullptr);
    ASSERT_LE(next - now, Duration::ms(200));
    now = next;
    acquire_->on_time(now);
  }
}

}  // namespace
}  // namespace redlock::acquire_wait_test
