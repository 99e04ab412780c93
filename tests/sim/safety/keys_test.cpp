// What a client does to a key that is not its own is seen.
#include "sim/checker_fixture.hpp"

namespace redlock::sim::keys_test {
namespace {

TEST_F(CheckerTest, RemovingAForeignLockIsSeen) {
  set(0, 0, "a", 100);
  remove(1, 0);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::foreign_removed});
}

TEST_F(CheckerTest, AKeyWithoutAnExpiryIsSeen) {
  const Entry entry{0, "lock", "a", ValueType::string, std::nullopt};
  checker_.key_changes(0, 0, nullptr, &entry);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::no_expiry});
}

TEST_F(CheckerTest, OverwritingALiveLockIsSeen) {
  set(0, 0, "a", 100);
  set(1, 0, "b", 100);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::live_overwritten});
}

}  // namespace
}  // namespace redlock::sim::keys_test
