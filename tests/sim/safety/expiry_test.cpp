// A key that lasts for too long is seen.
#include "sim/checker_fixture.hpp"

namespace redlock::sim::expiry_test {
namespace {

TEST_F(CheckerTest, AKeyThatOutlivesItsTtlAndDriftIsSeen) {
  set(0, 0, "a", 100);
  clock_.step(0, -1000 * kMs);
  go_to(105);
  EXPECT_EQ(kinds(), Kinds{});
  go_to(106);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::outlives_ttl});
}

TEST_F(CheckerTest, AKeyThatWasGivenMoreTimeThanItsClientWantedIsSeen) {
  plan_.clients[0].ttl_ms = 100;
  set(0, 0, "a", 1000);
  go_to(105);
  EXPECT_EQ(kinds(), Kinds{});
  go_to(106);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::outlives_ttl});
}

}  // namespace
}  // namespace redlock::sim::expiry_test
