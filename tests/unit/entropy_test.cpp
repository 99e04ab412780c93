// Tokens, fractions and numbers come out of random bytes without bias.
#include "redlock/algorithm/entropy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "support/seeded_entropy.hpp"

namespace redlock::entropy_test {
namespace {

using test::ScriptedEntropy;
using test::SeededEntropy;

TEST(RandomToken, SpellsSixteenRandomBytesInHex) {
  std::vector<unsigned> bytes{0x9e, 0x00, 0x0f, 0xf0, 0xff, 0x12, 0xab};
  bytes.resize(16, 0x5c);
  ScriptedEntropy entropy(bytes);
  EXPECT_EQ(random_token(entropy).view(), "9e000ff0ff12ab5c5c5c5c5c5c5c5c5c");
  EXPECT_EQ(entropy.used(), 16U);
}

TEST(RandomToken, CarriesAtLeast128Bits) {
  SeededEntropy entropy;
  static_cast<void>(random_token(entropy));
  EXPECT_GE(entropy.byte_count() * 8, 128U);
}

TEST(RandomToken, EveryOneIsDifferent) {
  SeededEntropy entropy;
  std::set<Token> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random_token(entropy));
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(RandomFraction, IsTwentyDecimalDigits) {
  SeededEntropy entropy;
  for (int i = 0; i < 100; ++i) {
    const Token fraction = random_fraction(entropy);
    EXPECT_EQ(fraction.view().size(), 20U);
    EXPECT_TRUE(std::ranges::all_of(fraction.view(), [](char c) { return c >= '0' && c <= '9'; }));
  }
}

TEST(RandomFraction, BytesThatWouldFavourLowDigitsAreDropped) {
  std::vector<unsigned> bytes{250, 251, 252, 255};
  for (unsigned i = 0; i < 20; ++i) bytes.push_back(240 + i % 10);
  ScriptedEntropy entropy(bytes);
  EXPECT_EQ(random_fraction(entropy).view(), "01234567890123456789");
}

TEST(RandomFraction, AsksForMoreWhenTooManyBytesWereDropped) {
  std::vector<unsigned> bytes(24, 255);
  bytes.resize(48, 7);
  ScriptedEntropy entropy(bytes);
  EXPECT_EQ(random_fraction(entropy).view(), "77777777777777777777");
}

TEST(RandomFraction, UsesEveryDigitEquallyOften) {
  SeededEntropy entropy;
  std::map<char, int> counts;
  for (int i = 0; i < 5000; ++i) {
    const Token fraction = random_fraction(entropy);
    for (const char digit : fraction.view()) ++counts[digit];
  }
  ASSERT_EQ(counts.size(), 10U);
  // 100,000 draws: the standard deviation of a digit's count is 95.
  for (const auto& [digit, count] : counts) EXPECT_NEAR(count, 10'000, 600) << digit;
}

TEST(RandomBetween, AnEmptySpanNeedsNoRandomness) {
  SeededEntropy entropy;
  EXPECT_EQ(random_between(entropy, 9, 9), 9U);
  EXPECT_EQ(entropy.fill_count(), 0U);
}

TEST(RandomBetween, ReachesBothEndsAndNothingBeyond) {
  SeededEntropy entropy;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random_between(entropy, 100, 107));
  EXPECT_EQ(*seen.begin(), 100U);
  EXPECT_EQ(*seen.rbegin(), 107U);
  EXPECT_EQ(seen.size(), 8U);
}

TEST(RandomBetween, RedrawsWhatWouldFavourTheLowEnd) {
  // 2^64 − 1 lies above the last whole multiple of 3, so the second draw counts.
  std::vector<unsigned> bytes(8, 0xff);
  bytes.insert(bytes.end(), {1, 0, 0, 0, 0, 0, 0, 0});
  ScriptedEntropy entropy(bytes);
  EXPECT_EQ(random_between(entropy, 10, 12), 11U);
}

TEST(RandomBetween, TheWholeRangeIsARangeToo) {
  ScriptedEntropy entropy(std::vector<unsigned>(8, 0xff));
  constexpr std::uint64_t kTop = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(random_between(entropy, 0, kTop), kTop);
}

TEST(RandomBetweenDeathTest, AReversedSpanIsOurMistake) {
  SeededEntropy entropy;
  EXPECT_DEATH(static_cast<void>(random_between(entropy, 2, 1)), "low <= high");
}

}  // namespace
}  // namespace redlock::entropy_test
