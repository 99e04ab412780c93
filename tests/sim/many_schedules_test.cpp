// So many schedules as it takes to notice every edit in tests/mutants, and
// nothing else: what the simulator alone is worth.
#include <gtest/gtest.h>

#include "sim/runner.hpp"

namespace redlock::sim::many_schedules_test {
namespace {

constexpr std::uint64_t kSchedules = 40'000;
// Of those who share, or want permits or sets: whatever is wrong there shows in one of a hundred.
constexpr std::uint64_t kSharingSchedules = 4'000;
constexpr std::uint64_t kPortions = 20;

// In portions, so that it is seen to go on.
class ManySchedulesTest : public testing::TestWithParam<std::uint64_t> {};

void expect_nothing_violated(std::uint64_t portion, const PlanWishes& wishes,
                             std::uint64_t schedules = kSchedules) {
  Batch batch;
  batch.count = schedules / kPortions;
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

// Only there are locks shared, promoted, or one of several permits; or on several names.
TEST_P(ManySchedulesTest, InWhichSomeReadViolateNothing) {
  PlanWishes wishes;
  wishes.inside_only = true;
  wishes.shared = true;
  expect_nothing_violated(GetParam(), wishes, kSharingSchedules);
}

TEST_P(ManySchedulesTest, InWhichAllWantPermitsViolateNothing) {
  PlanWishes wishes;
  wishes.inside_only = true;
  wishes.permits = true;
  expect_nothing_violated(GetParam(), wishes, kSharingSchedules);
}

TEST_P(ManySchedulesTest, InWhichAllWantSeveralAtOnceViolateNothing) {
  PlanWishes wishes;
  wishes.inside_only = true;
  wishes.sets = true;
  expect_nothing_violated(GetParam(), wishes, kSharingSchedules);
}

INSTANTIATE_TEST_SUITE_P(Portion, ManySchedulesTest, testing::Range(std::uint64_t{0}, kPortions));

}  // namespace
}  // namespace redlock::sim::many_schedules_test
