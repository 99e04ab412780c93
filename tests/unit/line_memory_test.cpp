// What one wait in line leaves for the next ones.
#include "redlock/queue/line_memory.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/machine.hpp"

namespace redlock::line_memory_test {
namespace {

using test::kOneNs;
using test::t;

Resources numbered(std::size_t i) { return Resource("r" + std::to_string(i)); }

TEST(LineMemoryTest, AWaitIsRememberedForItsResourceAloneAndForThirtySeconds) {
  LineMemory memory;
  EXPECT_FALSE(memory.waited_lately(numbered(1), t(0)));
  memory.note_waited(numbered(1), t(0));
  EXPECT_TRUE(memory.waited_lately(numbered(1), t(0) + kWaitedFor - kOneNs));
  EXPECT_FALSE(memory.waited_lately(numbered(1), t(0) + kWaitedFor));
  EXPECT_FALSE(memory.waited_lately(numbered(2), t(0)));
}

TEST(LineMemoryTest, TheLatestWaitForAResourceCounts) {
  LineMemory memory;
  memory.note_waited(numbered(1), t(0));
  memory.note_waited(numbered(1), t(20'000));
  EXPECT_TRUE(memory.waited_lately(numbered(1), t(45'000)));
}

TEST(LineMemoryTest, BeyondSoManyResourcesTheEarliestIsForgotten) {
  LineMemory memory;
  for (std::size_t i = 0; i < kWaitedMax; ++i) memory.note_waited(numbered(i), t(0));
  memory.note_waited(numbered(0), t(1));
  memory.note_waited(numbered(kWaitedMax), t(2));
  EXPECT_TRUE(memory.waited_lately(numbered(0), t(2))) << "it was waited for again";
  EXPECT_FALSE(memory.waited_lately(numbered(1), t(2)));
  EXPECT_TRUE(memory.waited_lately(numbered(2), t(2)));
}

TEST(LineMemoryTest, AResourceTakesOnePlaceHoweverOftenItIsWaitedFor) {
  LineMemory memory;
  memory.note_waited(numbered(1), t(0));
  for (std::size_t i = 0; i < 2 * kWaitedMax; ++i) memory.note_waited(numbered(2), t(1));
  EXPECT_TRUE(memory.waited_lately(numbered(1), t(2)));
}

TEST(LineMemoryTest, ALocalClockIsTakenForRightUntilServersSayOtherwise) {
  LineMemory memory;
  EXPECT_EQ(memory.clock_offset(), Duration());
  memory.set_clock_offset(Duration::ms(-250));
  EXPECT_EQ(memory.clock_offset(), Duration::ms(-250));
}

}  // namespace
}  // namespace redlock::line_memory_test
