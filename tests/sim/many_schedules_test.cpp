// So many schedules as it takes to notice every edit in tests/mutants, and
// nothing else: what the simulator alone is worth.
#include <gtest/gtest.h>

#include "sim/runner.hpp"

namespace redlock::sim {
namespace {

constexpr std::uint64_t kSchedules = 40'000;
constexpr std::uint64_t kPortions = 20;

// In portions, so that it is seen to go on.
class ManySchedulesTest : public testing::TestWithParam<std::uint64_t> {};

void expect_nothing_violated(std::uint64_t portion, const PlanWishes& wishes) {
  Batch batch;
  batch.count = kSchedules / kPortions;
  batch.first_seed = 1 + portion * batch.count;
  batch.wishes = wishes;
  const Totals totals = run_batch(batch, [](std::uint64_t, std::uint64_t) {});
  if (totals.failed == 0) return;
  ADD_FAILURE() << "seed " << totals.failures.front().seed << ": "
                << totals.failures.front().violation.text;
}

TEST_P(ManySchedulesTest, InsideTheModelViolateNothing) { expect_nothing_violated(GetParam(), {}); }

// Nobody asks for fences in the others.
TEST_P(ManySchedulesTest, InWhichSomebodyAsksForFencesViolateNothing) {
  PlanWishes wishes;
  wishes.inside_only = true;
  wishes.fences = true;
  expect_nothing_violated(GetParam(), wishes);
}

INSTANTIATE_TEST_SUITE_P(Portion, ManySchedulesTest, testing::Range(std::uint64_t{0}, kPortions));

}  // namespace
}  // namespace redlock::sim
