// The quick worlds of one line, of a lease that is kept alive, of fences, of permits, of shared
// locks and of several at once are explored in full, and what is broken on purpose is found in
// them.
#include <gtest/gtest.h>

#include <algorithm>

#include "exhaustive/breadth_first.hpp"
#include "exhaustive/fence_worlds.hpp"
#include "exhaustive/holding_worlds.hpp"
#include "exhaustive/line_worlds.hpp"
#include "exhaustive/permit_worlds.hpp"
#include "exhaustive/renewal_worlds.hpp"

namespace redlock::exhaustive::small_worlds_test {
namespace {

constexpr std::uint64_t kStatesMax = 1'000'000;

template <class Named>
std::vector<Named> quick_of(std::vector<Named> worlds) {
  std::erase_if(worlds, [](const Named& world) { return world.size == Size::full; });
  return worlds;
}

constexpr auto kName = [](const auto& world) {
  std::string name = world.param.settings.name;
  std::ranges::replace(name, '-', '_');
  return name;
};

template <class World, class Settings>
void expect_what_it_is_there_for(const Named<Settings>& world) {
  const SearchResult result = BreadthFirst<World, Settings>(world.settings).run(kStatesMax);
  std::string schedule;
  for (const std::string& line : result.schedule) schedule += "  " + line + "\n";
  EXPECT_EQ(result.violation, world.expectation) << schedule;
  EXPECT_TRUE(result.complete || !result.violation.empty());
  EXPECT_TRUE(result.happened || !result.violation.empty()) << "nothing was checked";
}

class QuickLine : public testing::TestWithParam<NamedLine> {};
class QuickRenewal : public testing::TestWithParam<NamedRenewal> {};
class QuickFence : public testing::TestWithParam<NamedFence> {};
class QuickPermits : public testing::TestWithParam<NamedPermits> {};
class QuickHolding : public testing::TestWithParam<NamedHolding> {};

TEST_P(QuickLine, ShowsWhatItIsThereForAndNothingElse) {
  expect_what_it_is_there_for<LineWorld>(GetParam());
}

TEST_P(QuickRenewal, ShowsWhatItIsThereForAndNothingElse) {
  expect_what_it_is_there_for<RenewalWorld>(GetParam());
}

TEST_P(QuickFence, ShowsWhatItIsThereForAndNothingElse) {
  expect_what_it_is_there_for<FenceWorld>(GetParam());
}

TEST_P(QuickPermits, ShowsWhatItIsThereForAndNothingElse) {
  expect_what_it_is_there_for<PermitWorld>(GetParam());
}

TEST_P(QuickHolding, ShowsWhatItIsThereForAndNothingElse) {
  expect_what_it_is_there_for<HoldingWorld>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, QuickLine, testing::ValuesIn(quick_of(line_worlds())), kName);
INSTANTIATE_TEST_SUITE_P(All, QuickRenewal, testing::ValuesIn(quick_of(renewal_worlds())), kName);
INSTANTIATE_TEST_SUITE_P(All, QuickFence, testing::ValuesIn(quick_of(fence_worlds())), kName);
INSTANTIATE_TEST_SUITE_P(All, QuickPermits, testing::ValuesIn(quick_of(permit_worlds())), kName);
INSTANTIATE_TEST_SUITE_P(All, QuickHolding, testing::ValuesIn(quick_of(holding_worlds())), kName);

}  // namespace
}  // namespace redlock::exhaustive::small_worlds_test
