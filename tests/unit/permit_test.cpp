// The names of slots.
#include "redlock/algorithm/permit.hpp"

#include <gtest/gtest.h>

namespace redlock::permit_test {
namespace {

TEST(NamesOfSlots, AreReadAsTheyAreWritten) {
  EXPECT_EQ(slot_number(slot_of(Resource("a:b"), 1023)), 1023U);
  for (const char* const other : {"r", "r:redlock:slot", "r:redlock:slot:", "r:redlock:slot:1024",
                                  "r:redlock:slot:01", "r:redlock:slot:1x", "r:redlock:slots:1"}) {
    EXPECT_EQ(slot_number(Resource(other)), std::nullopt) << other;
  }
  EXPECT_EQ(slot_of(Resource(""), kPermitsMax - 1).view().size(), kSlotNameBytesMax);
}

}  // namespace
}  // namespace redlock::permit_test
