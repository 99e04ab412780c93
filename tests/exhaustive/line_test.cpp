// The quick worlds of one line are explored in full, and what is broken on purpose is found in
// them.
#include <gtest/gtest.h>

#include <algorithm>

#include "exhaustive/line_explorer.hpp"
#include "exhaustive/line_worlds.hpp"

namespace redlock::exhaustive {
namespace {

constexpr std::uint64_t kStatesMax = 1'000'000;

std::vector<NamedLine> quick_lines() {
  std::vector<NamedLine> worlds = line_worlds();
  std::erase_if(worlds, [](const NamedLine& world) { return world.size == Size::full; });
  return worlds;
}

class QuickLine : public testing::TestWithParam<NamedLine> {};

TEST_P(QuickLine, ShowsWhatItIsThereForAndNothingElse) {
  const LineResult result = explore(GetParam().settings, kStatesMax);
  std::string schedule;
  for (const std::string& line : result.schedule) schedule += "  " + line + "\n";
  EXPECT_EQ(result.violation, GetParam().expectation) << schedule;
  EXPECT_TRUE(result.complete || !result.violation.empty());
  EXPECT_TRUE(result.any_vote) << "nobody ever had a vote: nothing was checked";
}

INSTANTIATE_TEST_SUITE_P(All, QuickLine, testing::ValuesIn(quick_lines()), [](const auto& world) {
  std::string name = world.param.settings.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace redlock::exhaustive
