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

TEST_P(ManySchedulesTest, InsideTheModelViolateNothing) {
  Batch batch;
  batch.count = kSchedules / kPortions;
  batch.first_seed = 1 + GetParam() * batch.count;
  const Totals totals = run_batch(batch, [](std::uint64_t, std::uint64_t) {});
  EXPECT_EQ(totals.failed, 0U) << "seed " << totals.failures.front().seed << ": "
                               << totals.failures.front().violation.text;
}

INSTANTIATE_TEST_SUITE_P(Portion, ManySchedulesTest, testing::Range(std::uint64_t{0}, kPortions));

}  // namespace
}  // namespace redlock::sim
