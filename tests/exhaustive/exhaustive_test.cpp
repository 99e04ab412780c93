// The quick worlds are explored in full, and the explorer's own bookkeeping is sound.
#include <gtest/gtest.h>

#include <random>

#include "exhaustive/comparison.hpp"
#include "exhaustive/explorer.hpp"
#include "exhaustive/worlds.hpp"

namespace redlock::exhaustive::exhaustive_test {
namespace {

constexpr std::uint64_t kStatesMax = 3'000'000;

std::vector<Settings> quick_worlds() {
  std::vector<Settings> worlds;
  for (const NamedWorld& world : all_worlds()) {
    if (world.size == Size::small) worlds.push_back(world.settings);
  }
  return worlds;
}

std::string told(const Result& result) {
  std::string text;
  for (const auto& [what, finding] : result.violations) {
    text += what + "\n";
    for (const std::string& line : finding.schedule) text += "  " + line + "\n";
  }
  return text;
}

class QuickWorld : public testing::TestWithParam<Settings> {};

TEST_P(QuickWorld, ShowsWhatItIsThereForAndNothingElse) {
  Explorer explorer(GetParam(), kStatesMax, nullptr);
  const Result result = explorer.run();
  EXPECT_TRUE(as_expected(GetParam(), result)) << told(result);
  EXPECT_GT(result.grants, 0U) << "nobody ever held the lock: nothing was checked";
}

INSTANTIATE_TEST_SUITE_P(All, QuickWorld, testing::ValuesIn(quick_worlds()), [](const auto& world) {
  std::string name = world.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

// The first levels of a world that is too large for here.
TEST(Explorer, FindsNothingInTheFirstStatesOfTwoClientsOnThreeServers) {
  const Settings settings{
      .name = "redlock-2", .attempts = 2, .faults = kModelFaults, .fault_budget = 1};
  Explorer explorer(settings, 200'000, nullptr);
  const Result result = explorer.run();
  EXPECT_TRUE(result.violations.empty()) << told(result);
  EXPECT_GE(result.states, 200'000U);
}

// A random walk through the world, calling `look` in every state on the way.
template <class Look>
void walk(World& world, unsigned seed, Look look) {
  std::mt19937 random(seed);
  std::vector<Move> moves;
  State state = world.root();
  for (int i = 0; i < 60; ++i) {
    look(state);
    world.list_moves(state, moves);
    if (moves.empty()) return;
    ASSERT_EQ(world.apply(state, moves[random() % moves.size()]), "");
  }
}

const Settings kAllThings{.name = "all",
                          .natives = 3,
                          .attempts = 2,
                          .backoff = true,
                          .faults = kModelFaults,
                          .fault_budget = 1};

TEST(Canonical, ReadingAndWritingAgainGivesTheSameBytes) {
  World world(kAllThings);
  Canonical canonical(world.settings(), world.machines());
  for (unsigned seed = 0; seed < 200; ++seed) {
    walk(world, seed, [&](const State& state) {
      const std::string once(canonical.encode(state));
      const std::string twice(canonical.encode(canonical.decode(once)));
      ASSERT_EQ(once, twice);
    });
  }
}

TEST(Canonical, AStateRememberedByItsBytesAllowsAsManyMoves) {
  World world(kAllThings);
  Canonical canonical(world.settings(), world.machines());
  std::vector<Move> moves;
  for (unsigned seed = 0; seed < 200; ++seed) {
    walk(world, seed, [&](const State& state) {
      world.list_moves(state, moves);
      const std::size_t count = moves.size();
      world.list_moves(canonical.decode(canonical.encode(state)), moves);
      ASSERT_EQ(moves.size(), count);
    });
  }
}

TEST(Canonical, RenamingClientsDoesNotChangeTheBytes) {
  World world(kAllThings);
  Canonical canonical(world.settings(), world.machines());
  for (unsigned seed = 0; seed < 200; ++seed) {
    walk(world, seed, [&](const State& state) {
      State renamed = state;
      std::swap(renamed.clients[0], renamed.clients[2]);
      std::swap(renamed.links[0], renamed.links[2]);
      for (Server& server : renamed.servers) {
        if (server.owner == 0 || server.owner == 2) server.owner = byte(2 - server.owner);
      }
      const std::string bytes(canonical.encode(state));
      ASSERT_EQ(canonical.encode(renamed), bytes);
    });
  }
}

TEST(MachineTable, AMachineIsRunOnceForEachInputItMeets) {
  Settings settings{.name = "table"};
  World world(settings);
  const std::uint16_t machine = world.machines().start(Root{}).target;
  const Input input{InputKind::reply, 1, 1, Heard::granted};
  const std::uint16_t next = world.machines().step(machine, input).target;
  const std::uint64_t runs = world.machines().runs();
  EXPECT_EQ(world.machines().step(machine, input).target, next);
  EXPECT_EQ(world.machines().runs(), runs);
}

TEST(MachineTable, OrderOfAnswersIsForgottenWhenItDoesNotMatter) {
  Settings settings{.name = "table"};
  World world(settings);
  MachineTable& machines = world.machines();
  const std::uint16_t start = machines.start(Root{}).target;
  const Input denied{InputKind::reply, 0, 1, Heard::denied};
  const Input granted{InputKind::reply, 1, 1, Heard::granted};
  const std::uint16_t one = machines.step(machines.step(start, denied).target, granted).target;
  const std::uint16_t two = machines.step(machines.step(start, granted).target, denied).target;
  EXPECT_EQ(one, two);
}

// A fixed share of what bin/exhaust --compare draws.
TEST(Comparison, ModelAndProductAgreeAfterEveryEventOfRandomTraces) {
  constexpr std::uint64_t kTraces = 20'000;
  Comparison comparison;
  const ComparisonResult result = comparison.run(1, kTraces);
  EXPECT_EQ(result.difference, "") << comparison.tell(result.first_difference);
  EXPECT_GT(result.events, 15 * result.traces);
  EXPECT_LT(result.cut_short, result.traces / 10);
}

// What the comparison is worth: it must meet what connections and loops are complicated for.
TEST(Comparison, TracesReachWhatIsSeldom) {
  Comparison comparison;
  const Reached reached = comparison.run(1, 5'000).reached;
  EXPECT_GT(reached.kept_back, 100U);
  EXPECT_GT(reached.unknown_scripts, 50U);
  EXPECT_GT(reached.carried, 100U);
  EXPECT_GT(reached.waiting_to_close, 100U);
  EXPECT_GT(reached.suspected, 100U);
}

TEST(Visited, TellsNewFromKnownAndRemembersTheWay) {
  Visited visited;
  for (std::uint32_t i = 0; i < 200'000; ++i) {
    const std::string text = std::to_string(i);
    ASSERT_TRUE(visited.insert(fingerprint_of(text), {i / 2, {MoveKind::tick, 0, 0, byte(i % 7)}}));
    ASSERT_FALSE(visited.insert(fingerprint_of(text), {}));
  }
  EXPECT_EQ(visited.path_to(5).size(), 3U);
  EXPECT_EQ(visited.path_to(5).back().detail, 5);
}

}  // namespace
}  // namespace redlock::exhaustive::exhaustive_test
