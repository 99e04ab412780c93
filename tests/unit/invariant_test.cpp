// What a machine requires of whoever drives it: our own mistakes end the process, and are not
// carried on with.
#include "redlock/algorithm/invariant.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/quorum_query.hpp"
#include "redlock/algorithm/renewal.hpp"
#include "redlock/algorithm/resources.hpp"
#include "redlock/algorithm/token_rotation.hpp"
#include "redlock/algorithm/vote_repair.hpp"
#include "redlock/queue/queued_acquire.hpp"
#include "redlock/wire/codec.hpp"
#include "redlock/wire/examination.hpp"
#include "support/machine.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::invariant_test {
namespace {

using test::t;

const Resource kResource("r");
const Token kToken("t");

std::shared_ptr<const QuorumKind> kind() {
  return std::make_shared<QuorumKind>(kResource, Duration::ms(1'000), 0.01);
}
AnswerTimes times() { return test::answer_times(3, Duration::ms(50)); }

TEST(InvariantDeathTest, ABrokenOneIsNamedAndAborts) {
  EXPECT_EXIT(invariant_broken("one", "a.cpp", 1), testing::KilledBySignal(SIGABRT),
              "redlock: invariant broken: one \\(a.cpp:1\\)");
}

TEST(InvariantDeathTest, AMachineIsStartedOnce) {
  test::SeededEntropy entropy;
  Acquire acquire(times(), kind(), RetryPolicy::exact(1, Duration()), entropy);
  acquire.start(t(0));
  EXPECT_DEATH(acquire.start(t(0)), "phase_ == Phase::fresh");
  QueuedAcquire line(times(), kind(), {kResource, Duration::ms(500), 200, 0},
                     std::make_shared<LineMemory>(), entropy);
  line.start(t(0));
  EXPECT_DEATH(line.start(t(0)), "phase_ == Phase::fresh");
  TokenRotation shortening(times(), kind(), kToken, Token("u"), [](Loss) { return true; });
  shortening.start(t(0));
  EXPECT_DEATH(shortening.start(t(0)), "round_");
  QuorumQuery query(times(), QuorumRule::majority(3), kind()->check(kToken), LossDetail::none);
  query.start(t(0));
  EXPECT_DEATH(query.start(t(0)), "round_");
}

TEST(InvariantDeathTest, ARenewalHearsOnlyOfExtendsThatAreUnderWay) {
  test::SeededEntropy entropy;
  Renewal renewal({Duration::ms(3'000), Duration::ms(60'000)}, t(0), t(2'900), entropy);
  EXPECT_DEATH(renewal.extended(t(4'000), t(1)), "under_way_");
  EXPECT_DEATH(renewal.failed(t(1)), "under_way_");
  EXPECT_DEATH(renewal.denied(), "under_way_");
}

TEST(InvariantDeathTest, NothingIsNeitherRepairedNorLockedNorAsked) {
  EXPECT_DEATH(VoteRepair(times(), *kind(), kToken, {}), "nodes_");
  EXPECT_DEATH(Resources(std::vector<Resource>()), "several");
  std::string out;
  EXPECT_DEATH(append_command(out, {}), "arguments");
}

TEST(InvariantDeathTest, SeveralResourcesAreNotOne) {
  const Resources several(std::vector{Resource("a"), Resource("b")});
  EXPECT_DEATH(static_cast<void>(several.only()), "single");
}

TEST(InvariantDeathTest, OneQuestionIsAskedAtATime) {
  Examination examination(parse_server("s").endpoint);
  const std::array<std::string_view, 1> question{"ROLE"};
  examination.ask(question, t(50));
  EXPECT_DEATH(examination.ask(question, t(50)), "awaits");
}

}  // namespace
}  // namespace redlock::invariant_test
