// Pauses are uniform over whole milliseconds, or exact.
#include "redlock/algorithm/retry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/seeded_entropy.hpp"

namespace redlock::retry_test {
namespace {

std::set<std::int64_t> pauses_ns(const RetryPolicy& policy, int draws) {
  test::SeededEntropy entropy;
  std::set<std::int64_t> seen;
  for (int i = 0; i < draws; ++i) seen.insert(policy.draw_pause(entropy).count_ns());
  return seen;
}

TEST(RetryPolicy, TheUsualPauseLiesBetweenHalfTheDelayAndTheDelay) {
  const auto seen = pauses_ns(RetryPolicy::jittered(3, 200), 5'000);
  EXPECT_EQ(*seen.begin(), 100'000'000);
  EXPECT_EQ(*seen.rbegin(), 200'000'000);
  EXPECT_EQ(seen.size(), 101U);
}

TEST(RetryPolicy, AnOddDelayIsHalvedDownwards) {
  const auto seen = pauses_ns(RetryPolicy::jittered(3, 5), 200);
  EXPECT_EQ(*seen.begin(), 2'000'000);
  EXPECT_EQ(*seen.rbegin(), 5'000'000);
}

TEST(RetryPolicy, NoDelayIsNoPause) {
  EXPECT_EQ(pauses_ns(RetryPolicy::jittered(3, 0), 10), std::set<std::int64_t>{0});
}

TEST(RetryPolicy, AnExactPauseIsExactToTheNanosecond) {
  const Duration pause = Duration::us(1'500) + Duration::ns(7);
  EXPECT_EQ(pauses_ns(RetryPolicy::exact(3, pause), 10), std::set<std::int64_t>{pause.count_ns()});
}

TEST(RetryPolicy, ASpreadAttemptIsUpToHalfAPauseEarlyOrLate) {
  const RetryPolicy policy = RetryPolicy::spread(3, Duration::ms(10));
  test::SeededEntropy entropy;
  std::set<std::int64_t> seen_ns;
  for (int i = 0; i < 5'000; ++i) seen_ns.insert(policy.draw_shift(entropy).count_ns());
  EXPECT_GE(*seen_ns.begin(), -5'000'000);
  EXPECT_LT(*seen_ns.begin(), -4'900'000);
  EXPECT_GT(*seen_ns.rbegin(), 4'900'000);
  EXPECT_LE(*seen_ns.rbegin(), 5'000'000);
  EXPECT_EQ(pauses_ns(policy, 10), std::set<std::int64_t>{10'000'000});
}

TEST(RetryPolicy, OnlyASpreadAttemptIsShifted) {
  test::SeededEntropy entropy;
  EXPECT_EQ(RetryPolicy::exact(3, Duration::ms(10)).draw_shift(entropy), Duration());
  EXPECT_EQ(RetryPolicy::jittered(3, 10).draw_shift(entropy), Duration());
  EXPECT_EQ(RetryPolicy::spread(3, Duration()).draw_shift(entropy), Duration());
}

TEST(RetryPolicy, AWaitHasAsManyAttemptsAsItHasRoomFor) {
  EXPECT_EQ(RetryPolicy::waiting(Duration(), 200).attempts_max, 1U);
  EXPECT_GT(RetryPolicy::waiting(Duration::ns(1), 200).attempts_max, 1'000'000'000'000U);
  EXPECT_EQ(pauses_ns(RetryPolicy::waiting(Duration::ms(1), 200), 5'000).size(), 101U);
}

TEST(RetryPolicy, FewerThanOneAttemptIsOne) {
  for (const std::int64_t attempts : {std::int64_t{1}, std::int64_t{0}, std::int64_t{-5}}) {
    EXPECT_EQ(RetryPolicy::jittered(attempts, 10).attempts_max, 1U);
    EXPECT_EQ(RetryPolicy::exact(attempts, Duration()).attempts_max, 1U);
  }
  EXPECT_EQ(RetryPolicy::jittered(2, 10).attempts_max, 2U);
  EXPECT_EQ(RetryPolicy().attempts_max, 1U);
}

}  // namespace
}  // namespace redlock::retry_test
