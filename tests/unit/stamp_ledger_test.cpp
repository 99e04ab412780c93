// What the ledger keeps, replaces, strikes and forgets.
#include "redlock/locks/stamp_ledger.hpp"

#include <gtest/gtest.h>

namespace redlock::stamp_ledger_test {
namespace {

const Resource kKey("lock_pid:7");

Instant at_ms(std::int64_t ms) { return Instant() + Duration::ms(ms); }

// Taken at a moment, for 10 ms, and known to the server for 15.
StampLedger::Entry entry(const std::string& stamp, std::int64_t taken_ms) {
  return {Token(stamp), at_ms(taken_ms), at_ms(taken_ms + 10), at_ms(taken_ms + 15)};
}

Resource numbered(int number) { return Resource("lock_pid:" + std::to_string(number)); }

TEST(StampLedger, KeepsOneEntryPerServerAndKey) {
  StampLedger ledger;
  EXPECT_TRUE(ledger.write("a", kKey, entry("1.1", 0), at_ms(0)));
  EXPECT_TRUE(ledger.write("b", kKey, entry("2.2", 0), at_ms(0)));
  EXPECT_TRUE(ledger.write("a", kKey, entry("3.3", 1), at_ms(1)));
  EXPECT_EQ(ledger.find("a", kKey)->stamp, Token("3.3"));
  EXPECT_EQ(ledger.find("b", kKey)->stamp, Token("2.2"));
  EXPECT_EQ(ledger.size(), 2U);
  ledger.clear();
  EXPECT_EQ(ledger.find("b", kKey), nullptr);
}

TEST(StampLedger, KeepsWhatWasTakenLastInWhateverOrderItIsWritten) {
  StampLedger ledger;
  ASSERT_TRUE(ledger.write("a", kKey, entry("newer", 2), at_ms(3)));
  EXPECT_FALSE(ledger.write("a", kKey, entry("older", 1), at_ms(3)));
  EXPECT_EQ(ledger.find("a", kKey)->stamp, Token("newer"));
}

TEST(StampLedger, OfTwoTakenInOneInstantKeepsTheOneThatIsWrittenLast) {
  StampLedger ledger;
  ASSERT_TRUE(ledger.write("a", kKey, entry("first", 1), at_ms(1)));
  EXPECT_TRUE(ledger.write("a", kKey, entry("second", 1), at_ms(1)));
  EXPECT_EQ(ledger.find("a", kKey)->stamp, Token("second"));
}

TEST(StampLedger, StrikesOnlyWhatIsMeant) {
  StampLedger ledger;
  ledger.write("a", kKey, entry("first", 0), at_ms(0));
  const StampLedger::Serial first = ledger.find("a", kKey)->serial;
  ledger.write("a", kKey, entry("second", 1), at_ms(1));
  const StampLedger::Serial second = ledger.find("a", kKey)->serial;
  EXPECT_NE(first, second);
  ledger.strike("a", kKey, first);
  ASSERT_NE(ledger.find("a", kKey), nullptr);
  ledger.strike("b", kKey, second);
  ASSERT_NE(ledger.find("a", kKey), nullptr);
  ledger.strike("a", kKey, second);
  EXPECT_EQ(ledger.find("a", kKey), nullptr);
  EXPECT_NE(second, 0U);
}

TEST(StampLedger, ANameIsNeverGivenTwiceNotEvenAfterClearing) {
  StampLedger ledger;
  ledger.write("a", kKey, entry("first", 0), at_ms(0));
  const StampLedger::Serial first = ledger.find("a", kKey)->serial;
  ledger.clear();
  ledger.write("a", kKey, entry("second", 0), at_ms(0));
  EXPECT_NE(ledger.find("a", kKey)->serial, first);
}

TEST(StampLedger, WhatWasThereBeforeItWasClearedTakesNothingAlong) {
  StampLedger ledger;
  for (int i = 0; i < 8; ++i) ledger.write("a", numbered(i), entry("first", 0), at_ms(0));
  ledger.clear();
  for (int i = 0; i < 8; ++i) ledger.write("a", numbered(i), entry("second", 10), at_ms(10));
  ledger.write("a", Resource("one more"), entry("other", 20), at_ms(20));
  EXPECT_EQ(ledger.size(), 9U);
}

TEST(StampLedger, KeepsAnEntryUntilNoServerCanKnowIt) {
  StampLedger ledger;
  ledger.write("a", kKey, entry("1.1", 0), at_ms(0));
  ledger.write("a", numbered(1), entry("2.2", 14), at_ms(14));
  EXPECT_NE(ledger.find("a", kKey), nullptr) << "its lease is over, but the key may stand";
  ledger.write("a", numbered(2), entry("3.3", 15), at_ms(15));
  EXPECT_EQ(ledger.find("a", kKey), nullptr);
  EXPECT_NE(ledger.find("a", numbered(1)), nullptr);
}

TEST(StampLedger, DropsAFewAWriteSoThatNoWriteIsLong) {
  StampLedger ledger;
  constexpr int kCount = 100;
  for (int i = 0; i < kCount; ++i) ledger.write("a", numbered(i), entry("1.1", 0), at_ms(0));
  ledger.write("a", Resource("one more"), entry("2.2", 1'000), at_ms(1'000));
  EXPECT_EQ(ledger.size(), std::size_t{kCount} + 1 - kLedgerDropsPerWrite);
}

TEST(StampLedger, WhatWasReplacedOrStruckDoesNotTakeItsSuccessorAlong) {
  StampLedger ledger;
  ledger.write("a", kKey, entry("first", 0), at_ms(0));
  ledger.write("a", kKey, entry("second", 9), at_ms(9));
  ledger.write("a", numbered(1), entry("other", 20), at_ms(20));
  EXPECT_EQ(ledger.find("a", kKey)->stamp, Token("second"));
  ledger.strike("a", kKey, ledger.find("a", kKey)->serial);
  ledger.write("a", kKey, entry("third", 21), at_ms(21));
  ledger.write("a", numbered(2), entry("other", 30), at_ms(30));
  EXPECT_EQ(ledger.find("a", kKey)->stamp, Token("third"));
}

}  // namespace
}  // namespace redlock::stamp_ledger_test
