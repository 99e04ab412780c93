// The parts of a guard by their names.
#include "redlock/config/guard_demands.hpp"

#include <gtest/gtest.h>

namespace redlock::guard_demands_test {
namespace {

TEST(GuardDemandsTest, FourPartsHaveNamesAndMakeUpTheWhole) {
  Guard guard;
  EXPECT_FALSE(guard.any());
  for (const char* name : {"restart", "role", "eviction", "identity"}) {
    EXPECT_NE(guard, Guard::all());
    EXPECT_TRUE(add_guard_part(guard, name)) << name;
    EXPECT_TRUE(guard.any());
    EXPECT_NE(std::string(kGuardParts).find(name), std::string::npos);
  }
  EXPECT_EQ(guard, Guard::all());
}

TEST(GuardDemandsTest, EachNameIsItsOwnPart) {
  Guard guard;
  ASSERT_TRUE(add_guard_part(guard, "role"));
  EXPECT_EQ(guard, (Guard{false, true, false, false}));
}

TEST(GuardDemandsTest, AnotherNameIsNone) {
  Guard guard;
  for (const char* name : {"", "Role", "reboot", "role "})
    EXPECT_FALSE(add_guard_part(guard, name));
  EXPECT_FALSE(guard.any());
}

TEST(GuardDemandsTest, AServerWaitsForReplicasForSoLongThatItsAnswerIsInTime) {
  EXPECT_EQ(replica_wait_in(Duration::seconds(1)), Duration::ms(675));
  EXPECT_EQ(replica_wait_in(Duration::ms(250)), Duration::ms(112));
  EXPECT_EQ(replica_wait_in(Duration::ms(100)), Duration::ms(25));
  EXPECT_EQ(replica_wait_in(Duration::ms(1)), Duration::ms(1));
}

}  // namespace
}  // namespace redlock::guard_demands_test
