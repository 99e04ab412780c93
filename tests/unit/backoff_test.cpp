// How long a server that failed is left alone.
#include <gtest/gtest.h>

#include <algorithm>

#include "redlock/net/connection.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::backoff_test {
namespace {

constexpr int kDraws = 1'000;

void expect_drawn_up_to(Duration longest, std::uint32_t failures) {
  SCOPED_TRACE(failures);
  test::SeededEntropy entropy;
  Duration least = Duration::max();
  Duration most;
  for (int i = 0; i < kDraws; ++i) {
    const Duration pause = draw_backoff(failures, entropy);
    least = std::min(least, pause);
    most = std::max(most, pause);
  }
  EXPECT_EQ(least * 2, longest);
  EXPECT_EQ(most, longest);
}

TEST(Backoff, IsDrawnFromHalfOfWhatDoublesWithEachFailureToTheWhole) {
  expect_drawn_up_to(kBackoffFirst, 1);
  expect_drawn_up_to(kBackoffFirst * 2, 2);
  expect_drawn_up_to(kBackoffFirst * 4, 3);
  expect_drawn_up_to(kBackoffFirst * 16, 5);
}

TEST(Backoff, IsNoLongerThanItsBoundHoweverOftenAServerFailed) {
  for (const std::uint32_t failures : {6U, 11U, 12U, 60U, 70U, 4'000'000'000U}) {
    expect_drawn_up_to(kBackoffMax, failures);
  }
}

}  // namespace
}  // namespace redlock::backoff_test
