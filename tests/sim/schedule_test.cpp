// Whole schedules: the same seed is the same run, the model holds, and the checker can see.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "sim/amounts.hpp"
#include "sim/runner.hpp"
#include "sim/world.hpp"

namespace redlock::sim::schedule_test {
namespace {

// Seeds are drawn apart from those of other tests, so that each test sees schedules of its own.
constexpr std::uint64_t kSomeSeeds = watched(300);
constexpr std::uint64_t kModelSeeds = watched(2'000);
constexpr std::uint64_t kClassSeeds = watched(60);
constexpr std::uint64_t kSumSeeds = watched(200);
constexpr std::uint64_t kStepSeeds = watched(400);
constexpr std::uint64_t kLineStepSeeds = watched(150);
constexpr std::uint64_t kRareClassSeeds = 1000;
constexpr std::uint64_t kControlSeedsMax = 600;
constexpr std::uint64_t kMixedSeeds = 4000;

std::string story_of(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& violation : violations) {
    text += std::string(name_of(violation.kind)) + ": " + violation.text + "\n";
  }
  return text;
}

TEST(ScheduleTest, TheSameSeedGivesTheSameTrace) {
  LuaEngine first_engine;
  LuaEngine second_engine;
  for (std::uint64_t seed = 1; seed <= kSomeSeeds; ++seed) {
    const ScheduleResult first = run_schedule(seed, {}, first_engine);
    const ScheduleResult second = run_schedule(seed, {}, second_engine);
    ASSERT_EQ(first.hash, second.hash) << "seed " << seed;
    ASSERT_EQ(first.events, second.events) << "seed " << seed;
    ASSERT_EQ(first.fired, second.fired) << "seed " << seed;
  }
}

TEST(ScheduleTest, KeepingTheStoryDoesNotChangeTheRun) {
  LuaEngine engine;
  for (std::uint64_t seed = 1; seed <= kSomeSeeds; ++seed) {
    Story story;
    ASSERT_EQ(run_schedule(seed, {}, engine).hash, run_schedule(seed, {}, engine, &story).hash)
        << "seed " << seed;
    ASSERT_FALSE(story.notes.empty());
  }
}

TEST(ScheduleTest, DifferentSeedsGiveDifferentTraces) {
  LuaEngine engine;
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t seed = 1; seed <= kSomeSeeds; ++seed) {
    hashes.push_back(run_schedule(seed, {}, engine).hash);
  }
  std::ranges::sort(hashes);
  EXPECT_EQ(std::ranges::adjacent_find(hashes), hashes.end());
}

TEST(ScheduleTest, TheSumsDoNotDependOnTheNumberOfThreads) {
  const auto no_progress = [](std::uint64_t, std::uint64_t) {};
  const Totals one = run_batch({1, kSumSeeds, {}, 1}, no_progress);
  const Totals three = run_batch({1, kSumSeeds, {}, 3}, no_progress);
  EXPECT_EQ(one.fired, three.fired);
  EXPECT_EQ(one.events, three.events);
  EXPECT_EQ(one.outside_violations, three.outside_violations);
}

TEST(ScheduleTest, NothingInTheModelViolatesAnything) {
  LuaEngine engine;
  PlanWishes wishes;
  wishes.inside_only = true;
  std::uint64_t grants = 0;
  for (std::uint64_t seed = 1; seed <= kModelSeeds; ++seed) {
    const ScheduleResult result = run_schedule(seed, wishes, engine);
    ASSERT_TRUE(result.violations.empty()) << "seed " << seed << "\n"
                                           << story_of(result.violations);
    grants += result.grants;
  }
  EXPECT_GT(grants, kModelSeeds);
}

std::vector<FaultInfo> classes(Model model) {
  std::vector<FaultInfo> infos;
  for (const FaultInfo& info : fault_table()) {
    if (info.model == model) infos.push_back(info);
  }
  return infos;
}

std::string parameter_name(const testing::TestParamInfo<FaultInfo>& info) {
  std::string name(info.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
}

class InsideClassTest : public testing::TestWithParam<FaultInfo> {};

TEST_P(InsideClassTest, FiresAndIsBorne) {
  LuaEngine engine;
  PlanWishes wishes;
  wishes.fault_class = GetParam().fault_class;
  std::uint64_t fired = 0;
  // Some strike rarely: then until they do.
  for (std::uint64_t seed = 10'001; seed <= 10'000 + kRareClassSeeds; ++seed) {
    if (seed > 10'000 + kClassSeeds && fired > 0) break;
    const ScheduleResult result = run_schedule(seed, wishes, engine);
    ASSERT_TRUE(result.violations.empty()) << "seed " << seed << "\n"
                                           << story_of(result.violations);
    fired += result.fired[static_cast<std::size_t>(GetParam().fault_class)];
  }
  EXPECT_GT(fired, 0U);
}

INSTANTIATE_TEST_SUITE_P(Every, InsideClassTest, testing::ValuesIn(classes(Model::inside)),
                         parameter_name);

// The positive controls: a checker that sees nothing here is blind.
class OutsideClassTest : public testing::TestWithParam<FaultInfo> {};

TEST_P(OutsideClassTest, ShowsAViolation) {
  LuaEngine engine;
  PlanWishes wishes;
  wishes.fault_class = GetParam().fault_class;
  for (std::uint64_t seed = 10'001; seed <= 10'000 + kControlSeedsMax; ++seed) {
    const ScheduleResult result = run_schedule(seed, wishes, engine);
    ASSERT_EQ(result.model, Model::outside);
    ASSERT_TRUE(result.failures.empty()) << "seed " << seed << "\n" << story_of(result.failures);
    if (!result.violations.empty()) return;
  }
  FAIL() << "no violation in " << kControlSeedsMax << " schedules";
}

INSTANTIATE_TEST_SUITE_P(Every, OutsideClassTest, testing::ValuesIn(classes(Model::outside)),
                         parameter_name);

// Or what a class does would hide what the core does beside it.
TEST(ScheduleTest, ClassesFromInsideStandBesideThoseFromOutside) {
  LuaEngine engine;
  std::uint64_t mixed = 0;
  std::uint64_t judged = 0;
  for (std::uint64_t seed = 1; seed <= kMixedSeeds; ++seed) {
    const Plan plan = draw_plan(seed, {});
    const auto inside = [](const FaultPlan& fault) {
      return info_of(fault.fault_class).model == Model::inside;
    };
    if (plan.model == Model::inside || std::ranges::none_of(plan.faults, inside)) continue;
    ++mixed;
    const ScheduleResult result = run_schedule(seed, {}, engine);
    EXPECT_TRUE(result.failures.empty()) << "seed " << seed << "\n" << story_of(result.failures);
    judged += result.judged[static_cast<std::size_t>(ViolationKind::not_undone)];
  }
  EXPECT_GT(mixed, kMixedSeeds / 100);
  EXPECT_GT(judged, 0U);
}

// The same schedule, once as drawn and once with steps that do not step.
bool steps_matter(std::uint64_t seed, Plan plan, FaultClass fault_class, LuaEngine& engine) {
  Trace trace(nullptr);
  const ScheduleResult result = World(seed, plan, engine, trace).run();
  EXPECT_TRUE(result.failures.empty()) << "seed " << seed << "\n" << story_of(result.failures);
  for (FaultPlan& fault : plan.faults) {
    if (fault.fault_class == fault_class) fault.amount = 0;
  }
  Trace other(nullptr);
  return World(seed, plan, engine, other).run().hash != result.hash;
}

Plan plan_with(FaultClass fault_class, std::uint64_t seed, bool lines = false) {
  PlanWishes wishes;
  wishes.fault_class = fault_class;
  wishes.lines = lines;
  return draw_plan(seed, wishes);
}

TEST(ScheduleTest, WhereNobodyStandsInLineSettingAClientsWallClockChangesNothingAtAll) {
  LuaEngine engine;
  std::uint64_t plain = 0;
  for (std::uint64_t seed = 20'001; seed <= 20'000 + kStepSeeds; ++seed) {
    const Plan plan = plan_with(FaultClass::client_wall_step, seed);
    if (plan.has_lines()) continue;
    ++plain;
    EXPECT_FALSE(steps_matter(seed, plan, FaultClass::client_wall_step, engine)) << "seed " << seed;
  }
  EXPECT_GT(plain, kStepSeeds / 2);
}

// Tickets are read from it, and they are only the order.
TEST(ScheduleTest, WhereSomebodyDoesItIsOfAccountAndViolatesNothing) {
  LuaEngine engine;
  std::uint64_t reordered = 0;
  for (std::uint64_t seed = 20'001; seed <= 20'000 + kLineStepSeeds; ++seed) {
    const Plan plan = plan_with(FaultClass::client_wall_step, seed, true);
    if (steps_matter(seed, plan, FaultClass::client_wall_step, engine)) ++reordered;
  }
  EXPECT_GT(reordered, kLineStepSeeds / 3);
}

TEST(ScheduleTest, ClientsOfTheDocumentsFollowTheirWallClock) {
  LuaEngine engine;
  int followed = 0;
  for (std::uint64_t seed = 20'001; seed <= 20'100; ++seed) {
    const Plan plan = plan_with(FaultClass::legacy_wall_step, seed);
    if (steps_matter(seed, plan, FaultClass::legacy_wall_step, engine)) ++followed;
  }
  EXPECT_GT(followed, 50);
}

// Schedules in which a defect of the core was seen. Each must stay clean for good. What a seed
// means changes with the drawing of plans: then put the defect into a copy of the core, and take a
// seed that shows it.
enum class Shape { drawn, standard, lines, standard_lines };
struct KnownSeed {
  std::uint64_t seed;
  Shape shape;
  const char* defect;
  std::optional<FaultClass> fault_class = std::nullopt;
};

using enum Shape;
constexpr std::array kKnownSeeds{
    KnownSeed{3512, standard, "a script sent again after NOSCRIPT kept its old deadline"},
    KnownSeed{1286, drawn, "a removal overtook its SET, which waited for SELECT"},
    KnownSeed{5005571, drawn,
              "the undo of a granted lock's unanswered SET arrived behind an extend",
              FaultClass::stall},
    KnownSeed{13031, standard, "a take that was kept back followed its own removal"},
    KnownSeed{212622, standard,
              "time went on between looking and asking: an answer was called late"},
    KnownSeed{2071, drawn, "a PidLock trusted its lease as if all clocks ran alike"},
    KnownSeed{21, drawn, "the same, with a lease of an hour"},
    KnownSeed{17394, drawn, "a removal was given up because the server wanted a password",
              FaultClass::no_auth},
    KnownSeed{107710, drawn, "a removal behind nonsense was refused, which nobody read"},
    KnownSeed{3004890, drawn,
              "the simulator looked behind an exit as if the client had rested since before",
              FaultClass::clean_exit},
    KnownSeed{3036624, drawn, "the same, with a PidLock", FaultClass::clean_exit},
    KnownSeed{903897, drawn, "the simulator forgot what was won while another was left",
              FaultClass::request_end},
    KnownSeed{521810, drawn, "a connection that one call had closed was looked at for the next",
              FaultClass::reset_on_close},
    KnownSeed{500333, drawn,
              "the simulator waited on for a call that was decided while another was begun",
              FaultClass::reset_on_close},
    KnownSeed{1047359, lines,
              "the simulator took a clock that became slower for a lease that was prolonged"},
    KnownSeed{1057573, lines, "a server that was full for a moment was not stood in line at again"},
    KnownSeed{35452, standard_lines, "a ticket was not corrected where a join was under way"},
    KnownSeed{78967, standard_lines, "the same"},
    KnownSeed{8836, lines, "a subscription was heard that the network had forgotten"},
    KnownSeed{1112645, lines, "a join left on a connection that had ended"},
    KnownSeed{1118976, lines, "the same, on one that was unused for too long"},
    KnownSeed{1085318, lines, "a join to a server that was backed off from was not sent in time"},
    KnownSeed{108449, standard_lines, "the same, or an old removal came behind it"},
    KnownSeed{34878, lines, "a short wait beside a refusal ended before it had asked once"},
    KnownSeed{1053327, lines, "the checker took a late attempt for one that came behind a join"},
    KnownSeed{1101636, lines,
              "the simulator did not take a shortening that was decided in a handler"},
    KnownSeed{1147370, lines, "the checker took whoever polls for one in line"},
    KnownSeed{1125477, lines, "the checker took whoever forked for one who answers"},
    KnownSeed{1071394, lines, "the simulator held a push back beyond the fault"},
    KnownSeed{524702, standard_lines,
              "the checker counted a pause that a later refusal begins anew"},
    KnownSeed{1204475, standard_lines,
              "the checker counted on a server that let nobody listen a while ago"},
    KnownSeed{1897305, standard_lines,
              "the checker did not know that a server brings a place in line back"},
    KnownSeed{3891442, standard_lines,
              "the checker counted on answers for which the time-out leaves no time"},
    KnownSeed{668, drawn, "what was repaired was removed while its lease was shortened"},
    KnownSeed{12630, drawn, "a repair was undone while its lock lived"},
    KnownSeed{9998, lines, "the same"},
    KnownSeed{13999, lines, "the same"},
    KnownSeed{8900, drawn, "a connection that was only being made counted as used meanwhile"},
    KnownSeed{28028, drawn,
              "who had stood still closed a connection as soon as it had asked on it to listen"},
    KnownSeed{200147897, standard_lines,
              "a take was asked of the new primary that should have been answered long before"},
    KnownSeed{200195512, standard_lines,
              "a removal was lost that was refused where nobody waited for its answer any more"},
    KnownSeed{200048319, standard_lines,
              "the checker did not count a connection that is set aside as one that has ended"},
    KnownSeed{
        200298144, standard_lines,
        "the checker did not know that a replica's connection leaves its removals to the next"},
    KnownSeed{104577, lines,
              "the checker did not know a take that is under way behind a shortening"},
    KnownSeed{105824, lines,
              "the simulator gave final attempts no time for the text that goes ahead of them"},
    KnownSeed{50714055, standard_lines, "a join gave back what was handed to it on the way"},
    KnownSeed{
        60152352, standard_lines,
        "the holder and the first died, and the others looked by an end that was told before"},
    KnownSeed{80719114, standard_lines,
              "the checker did not know that an earlier lease of one's own is in the way"},
    KnownSeed{82053548, standard_lines, "the same"},
    KnownSeed{80392681, standard_lines,
              "a removal's answer was taken for that of a join, which was left out"},
    KnownSeed{81117937, standard_lines,
              "a refused removal was repeated behind a join, the answer before it lying unread"},
    KnownSeed{90038455, standard_lines,
              "the checker took a join that a stopped server read late for one from before"},
    KnownSeed{90754640, standard_lines,
              "whoever began to wait sat out the pause behind subscriptions that had been refused"},
    KnownSeed{97787124, standard_lines,
              "the checker counted a strike from when it was drawn, and not from its byte on"},
    KnownSeed{98023708, standard_lines, "the same"},
    KnownSeed{95552661, standard_lines,
              "a wait was given up on connections too old to be used alone"},
    KnownSeed{96269879, standard_lines,
              "a NOSCRIPT that was left out was to be answered by the script's text"},
};

TEST(ScheduleTest, SeedsThatOnceShowedADefectAreClean) {
  LuaEngine engine;
  for (const KnownSeed& known : kKnownSeeds) {
    PlanWishes wishes;
    const bool both = known.shape == standard_lines;
    wishes.standard_shape = both || known.shape == standard;
    wishes.lines = both || known.shape == lines;
    wishes.fault_class = known.fault_class;
    wishes.inside_only = known.shape != drawn;
    const ScheduleResult result = run_schedule(known.seed, wishes, engine);
    EXPECT_TRUE(result.violations.empty()) << "seed " << known.seed << " (" << known.defect << ")\n"
                                           << story_of(result.violations);
  }
}

}  // namespace
}  // namespace redlock::sim::schedule_test
