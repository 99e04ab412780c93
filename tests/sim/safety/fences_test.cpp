// A fence that does not rise is seen, and the memory that it needs is all that excuses it.
#include "sim/safety/fences.hpp"

#include "sim/checker_fixture.hpp"

namespace redlock::sim::fences_test {
namespace {

class FencesTest : public CheckerTest {
 protected:
  explicit FencesTest(Plan plan = make_plan()) : CheckerTest(std::move(plan)) {}

  void record(const Entry* before, const std::string& fence, std::optional<std::int64_t> until) {
    const Entry after{0, "lock:redlock:fence", fence, ValueType::string, until};
    checker_.key_changes(0, 1, before, &after);
  }
};

TEST_F(FencesTest, OneThatIsSmallerThanAnEarlierOneIsSeen) {
  checker_.fenced(0, 7);
  checker_.fenced(1, 6);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::fence_not_rising});
  EXPECT_EQ(judged(ViolationKind::fence_not_rising), 2U);
}

TEST_F(FencesTest, SoIsOneThatWasGivenOutBefore) {
  checker_.fenced(0, 7);
  checker_.fenced(0, 7);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::fence_not_rising});
}

TEST_F(FencesTest, OneThatIsLargerByOneIsEnough) {
  checker_.fenced(0, 7);
  checker_.fenced(1, 8);
  EXPECT_TRUE(kinds().empty());
}

TEST_F(FencesTest, AGrantWithoutTheFenceThatWasAskedForIsSeen) {
  checker_.fenced(0, 0);
  EXPECT_TRUE(seen(ViolationKind::fence_not_rising));
}

TEST_F(FencesTest, AServerThatRecordsASmallerOneIsSeen) {
  const Entry before{0, "lock:redlock:fence", "10", ValueType::string, 5};
  record(&before, "9", 5);
  EXPECT_TRUE(seen(ViolationKind::fence_not_rising));
}

TEST_F(FencesTest, AServerThatRecordsALargerOneIsNot) {
  const Entry before{0, "lock:redlock:fence", "9", ValueType::string, 5};
  record(&before, "10", 5);
  record(nullptr, "1", 5);
  EXPECT_TRUE(kinds().empty());
}

TEST_F(FencesTest, OneThatAServerNeverForgetsIsSeen) {
  record(nullptr, "9", std::nullopt);
  EXPECT_TRUE(seen(ViolationKind::no_expiry));
}

class SeveralFencesTest : public FencesTest {
 protected:
  SeveralFencesTest() : FencesTest(plan()) {}
  static Plan plan() {
    Plan plan = make_plan();
    plan.resources = 2;
    for (ClientPlan& client : plan.clients) client.beside.resize(1);
    return plan;
  }
};

TEST_F(SeveralFencesTest, EachResourceHasFencesOfItsOwn) {
  checker_.fenced({0, 0}, 7);
  checker_.fenced({0, 1}, 6);
  EXPECT_TRUE(kinds().empty());
}

class ForgottenFencesTest : public FencesTest {
 protected:
  ForgottenFencesTest() : FencesTest(plan()) {}
  static Plan plan() {
    Plan plan = make_plan();
    plan.faults.push_back({.fault_class = FaultClass::crash_lose_all_late});
    return plan;
  }
};

TEST_F(ForgottenFencesTest, WhereServersForgetNothingIsJudged) {
  checker_.fenced(0, 7);
  checker_.fenced(1, 6);
  EXPECT_TRUE(kinds().empty());
  EXPECT_EQ(judged(ViolationKind::fence_not_rising), 0U);
}

TEST(LosesDataTest, ACrashThatKeepsAllOrAClockThatIsWrongIsNoExcuse) {
  EXPECT_TRUE(loses_data(FaultClass::eviction));
  EXPECT_FALSE(loses_data(FaultClass::crash_keep));
  EXPECT_FALSE(loses_data(FaultClass::client_wall_step));
  EXPECT_FALSE(loses_data(FaultClass::power_cut));
}

}  // namespace
}  // namespace redlock::sim::fences_test
