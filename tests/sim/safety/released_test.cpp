// A release that has removed too little is seen.
#include "sim/checker_fixture.hpp"

namespace redlock::sim::released_test {
namespace {

TEST_F(CheckerTest, AReleaseThatWasConfirmedAndHasRemovedNoMajorityIsSeen) {
  set_everywhere(0, "a", 100);
  remove(0, 0);
  remove(0, 1);
  Outcome outcome;
  outcome.decision = Decision::granted;
  checker_.reported(0, Verb::release, "a", outcome);
  EXPECT_EQ(kinds(), Kinds{});
  set(0, 0, "a", 100);
  checker_.reported(0, Verb::release, "a", outcome);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::left_behind});
}

}  // namespace
}  // namespace redlock::sim::released_test
