// A take that is sent too late is seen.
#include "sim/checker_fixture.hpp"

namespace redlock::sim::in_time_test {
namespace {

class InTimeTest : public CheckerTest {
 protected:
  using CheckerTest::CheckerTest;
  void expect_time(std::int64_t in_time_ms, std::int64_t late_ms) {
    go_to(1);
    set(0, 0, "a", 100);
    go_to(1 + in_time_ms);
    set(0, 1, "a", 100);
    EXPECT_EQ(kinds(), Kinds{});
    go_to(1 + late_ms);
    set(0, 2, "a", 100);
    EXPECT_EQ(kinds(), Kinds{ViolationKind::sent_too_late});
  }
};

TEST_F(InTimeTest, ATakeBehindTheReturnOfItsCallIsSeen) {
  go_to(1);
  set(0, 0, "a", 100);
  go_to(5);
  checker_.returned(0, 4 * kMs, 0, 20 * kMs);
  ask(0, 1, "b");
  EXPECT_EQ(kinds(), Kinds{});
  go_to(6);
  set(0, 1, "a", 100);
  EXPECT_TRUE(seen(ViolationKind::sent_too_late));
}

TEST_F(InTimeTest, ATakeWhoseTimeIsOverIsSeen) { expect_time(40, 41); }

// Who shares its connections is more patient: a connection that is made for both has his time.
class ATakeBesideAPatientOne : public InTimeTest {
 protected:
  ATakeBesideAPatientOne() : InTimeTest(make_patient_plan()) {}
  static Plan make_patient_plan() {
    Plan plan = make_plan();
    plan.resources = 2;
    for (ClientPlan& client : plan.clients) client.beside.resize(1);
    plan.clients[0].beside[0].timeout_ms = 30;
    return plan;
  }
};

TEST_F(ATakeBesideAPatientOne, HasTheTimeOfItsConnection) { expect_time(50, 52); }

}  // namespace
}  // namespace redlock::sim::in_time_test
