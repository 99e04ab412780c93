// An answer that nobody gave is seen.
#include "sim/checker_fixture.hpp"

namespace redlock::sim::answers_test {
namespace {

TEST_F(CheckerTest, AnAnswerTakenForAnothersIsSeen) {
  set(0, 0, "a", 100);
  Outcome outcome;
  outcome.nodes.resize(3);
  outcome.nodes[0] = {true, Reply::granted()};
  checker_.reported(0, Verb::take, "a", outcome);
  EXPECT_EQ(kinds(), Kinds{});
  outcome.nodes[1] = {true, Reply::granted()};
  checker_.reported(0, Verb::take, "a", outcome);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::wrong_reply});
}

}  // namespace
}  // namespace redlock::sim::answers_test
