// Schedules of shared locks, of permits and of sets: who may not be inside together is not, and
// servers that let too many in are found out.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "sim/amounts.hpp"
#include "sim/world.hpp"

namespace redlock::sim::sharing_test {
namespace {

constexpr std::uint64_t kFirstSeed = 80'001;
constexpr std::uint64_t kSeeds = watched(120);
constexpr std::uint64_t kPlans = 400;

enum class What { shared, permits, sets };

PlanWishes wishes_of(What what) {
  PlanWishes wishes;
  wishes.inside_only = true;
  wishes.shared = what == What::shared;
  wishes.permits = what == What::permits;
  wishes.sets = what == What::sets;
  return wishes;
}

// Of a script it runs another text, as if the servers were told that.
class OtherText final : public memory::ScriptEngine {
 public:
  OtherText(std::string part, std::string instead)
      : part_(std::move(part)), instead_(std::move(instead)) {}
  std::string_view sha1_of(std::string_view text) override { return lua_.sha1_of(text); }
  bool load(const std::string& sha1, std::string_view text, std::string& error) override {
    std::string changed(text);
    if (const std::size_t at = changed.find(part_); at != std::string::npos) {
      changed.replace(at, part_.size(), instead_);
    }
    return lua_.load(sha1, changed, error);
  }
  void run(const std::string& sha1, std::span<const std::string_view> keys,
           std::span<const std::string_view> arguments, memory::ScriptHost& host,
           std::string& out) override {
    lua_.run(sha1, keys, arguments, host, out);
  }

 private:
  LuaEngine lua_;
  const std::string part_;
  const std::string instead_;
};

struct Sum {
  std::uint64_t grants = 0;
  std::uint64_t violated = 0;
  Several several;
  std::string first;
};

Sum run(What what, memory::ScriptEngine& engine, std::uint64_t seeds) {
  Sum sum;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + seeds; ++seed) {
    const ScheduleResult result = run_schedule(seed, wishes_of(what), engine);
    sum.grants += result.grants;
    sum.several.promoted += result.several.promoted;
    sum.several.demoted += result.several.demoted;
    sum.several.inside_together += result.several.inside_together;
    if (result.violations.empty()) continue;
    ++sum.violated;
    if (sum.first.empty())
      sum.first = "seed " + std::to_string(seed) + ": " + result.violations.front().text;
  }
  return sum;
}

TEST(SharingInSchedulesTest, WhoeverIsAloneIsAlone) {
  LuaEngine engine;
  const Sum sum = run(What::shared, engine, kSeeds);
  ASSERT_EQ(sum.violated, 0U) << sum.first;
  EXPECT_GT(sum.grants, kSeeds);
  EXPECT_GT(sum.several.inside_together, kSeeds);
  EXPECT_GT(sum.several.promoted, kSeeds / 4);
  EXPECT_GT(sum.several.demoted, kSeeds / 4);
}

TEST(SharingInSchedulesTest, NoMorePermitsAreOutThanThereAre) {
  LuaEngine engine;
  const Sum sum = run(What::permits, engine, kSeeds / 4);
  ASSERT_EQ(sum.violated, 0U) << sum.first;
  EXPECT_GT(sum.grants, kSeeds / 4);
  EXPECT_GT(sum.several.inside_together, kSeeds / 8);
}

TEST(SharingInSchedulesTest, NoTwoHoldSetsThatHaveANameInCommon) {
  LuaEngine engine;
  const Sum sum = run(What::sets, engine, kSeeds / 2);
  ASSERT_EQ(sum.violated, 0U) << sum.first;
  EXPECT_GT(sum.grants, kSeeds / 2);
}

// Whose servers do not look at what a writer has set.
TEST(SharingInSchedulesTest, AReaderThatIsLetInBesideAWriterIsFound) {
  OtherText engine("held and held ~= shared or wanted_alone()", "wanted_alone()");
  EXPECT_GT(run(What::shared, engine, kSeeds / 4).violated, 0U);
}

// Whose servers promote a reader whatever others there are.
TEST(SharingInSchedulesTest, AReaderThatIsPromotedBesideOthersIsFound) {
  OtherText engine("> 1 then return redis.status_reply('BUSY 1')",
                   "> 99 then return redis.status_reply('BUSY 1')");
  EXPECT_GT(run(What::shared, engine, kSeeds / 2).violated, 0U);
}

// Whose servers give a slot away that is taken.
TEST(SharingInSchedulesTest, APermitThatIsGivenTwiceIsFound) {
  OtherText engine("'SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return",
                   "'SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) then return");
  EXPECT_GT(run(What::permits, engine, kSeeds / 4).violated, 0U);
}

// Whose servers look at the first name of a set only.
TEST(SharingInSchedulesTest, ASetOfWhichAPartIsTakenIsFound) {
  OtherText engine("if redis.call('PTTL', key) ~= -2",
                   "if place == 1 and redis.call('PTTL', key) ~= -2");
  EXPECT_GT(run(What::sets, engine, kSeeds / 4).violated, 0U);
}

TEST(SharingInSchedulesTest, SetsMeetAndSomeAreApart) {
  std::uint64_t met = 0;
  std::uint64_t apart = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kPlans; ++seed) {
    const Plan plan = draw_plan(seed, wishes_of(What::sets));
    ASSERT_TRUE(plan.sets) << "seed " << seed;
    ++((plan.names_of({0, 0}) & plan.names_of({1, 0})) != 0 ? met : apart);
  }
  EXPECT_GT(met, kPlans / 2);
  EXPECT_GT(apart, kPlans / 10);
}

TEST(SharingInSchedulesTest, SomeReadAndSomeWaitAndSomebodyIsRefusedAPermit) {
  std::uint64_t readers = 0;
  std::uint64_t lines = 0;
  std::uint64_t clients = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kPlans; ++seed) {
    const Plan plan = draw_plan(seed, wishes_of(What::shared));
    ASSERT_TRUE(plan.shared) << "seed " << seed;
    for (const ClientPlan& client : plan.clients) readers += client.reads ? 1 : 0;
    clients += plan.clients.size();
    lines += plan.has_lines() ? 1 : 0;
    const Plan other = draw_plan(seed, wishes_of(What::permits));
    ASSERT_GT(other.permits, 0U) << "seed " << seed;
    ASSERT_LT(other.permits, other.clients.size()) << "seed " << seed;
  }
  EXPECT_GT(readers, clients / 3);
  EXPECT_LT(readers, clients * 2 / 3);
  EXPECT_GT(lines, kPlans / 3);
  EXPECT_LT(lines, kPlans * 2 / 3);
}

TEST(SharingInSchedulesTest, NobodySharesWhereItIsNotWishedFor) {
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kPlans; ++seed) {
    ASSERT_FALSE(draw_plan(seed, {}).admits_several()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace redlock::sim::sharing_test
