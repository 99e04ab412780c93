// Who may be inside together, and who may not.
#include "sim/safety/inside.hpp"

#include "sim/checker_fixture.hpp"

namespace redlock::sim::inside_test {
namespace {

class InsideTest : public CheckerTest {
 protected:
  explicit InsideTest(std::uint32_t permits = 0) : CheckerTest(plan(permits)) {}
  void reads(std::uint32_t client, std::int64_t until_ms) {
    checker_.inside(client, false, until_ms * kMs);
  }
  void writes(std::uint32_t client, std::int64_t until_ms) {
    checker_.inside(client, true, until_ms * kMs);
  }

 private:
  static Plan plan(std::uint32_t permits) {
    Plan plan = make_plan();
    plan.clients.resize(3);
    plan.shared = permits == 0;
    plan.permits = permits;
    return plan;
  }
};

TEST_F(InsideTest, ReadersAreTogether) {
  reads(0, 50);
  reads(1, 50);
  EXPECT_TRUE(kinds().empty());
  EXPECT_EQ(judged(ViolationKind::two_holders), 1U);
}

TEST_F(InsideTest, AWriterBesideAReaderIsSeen) {
  reads(0, 50);
  writes(1, 50);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::two_holders});
}

TEST_F(InsideTest, AReaderBesideAWriterIsSeen) {
  writes(0, 50);
  reads(1, 50);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::two_holders});
}

TEST_F(InsideTest, AReaderThatIsPromotedBesideAnotherIsSeen) {
  reads(0, 50);
  reads(1, 50);
  writes(1, 50);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::two_holders});
}

TEST_F(InsideTest, NobodyIsBesideOneWhoseTimeIsOver) {
  writes(0, 50);
  go_to(50);
  writes(1, 90);
  EXPECT_TRUE(kinds().empty());
}

TEST_F(InsideTest, NorBesideOneWhoHasLeft) {
  writes(0, 50);
  checker_.given_up(0);
  writes(1, 90);
  EXPECT_TRUE(kinds().empty());
}

class PermitsInsideTest : public InsideTest {
 protected:
  PermitsInsideTest() : InsideTest(2) {}
};

TEST_F(PermitsInsideTest, SoManyAsThereArePermitsAreTogether) {
  reads(0, 50);
  reads(1, 50);
  EXPECT_TRUE(kinds().empty());
}

TEST_F(PermitsInsideTest, OneMoreIsSeen) {
  reads(0, 50);
  reads(1, 50);
  reads(2, 50);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::two_holders});
}

class SetsInsideTest : public CheckerTest {
 protected:
  SetsInsideTest() : CheckerTest(plan()) {}
  void takes(std::uint32_t client) { checker_.inside(client, true, 50 * kMs); }

 private:
  static Plan plan() {
    Plan plan = make_plan();
    plan.clients.resize(3);
    plan.sets = true;
    plan.clients[0].names = 0b011;
    plan.clients[1].names = 0b110;
    plan.clients[2].names = 0b100;
    return plan;
  }
};

TEST_F(SetsInsideTest, SetsWithNothingInCommonAreHeldTogether) {
  takes(0);
  takes(2);
  EXPECT_TRUE(kinds().empty());
  EXPECT_EQ(judged(ViolationKind::two_holders), 1U);
}

TEST_F(SetsInsideTest, SetsWithANameInCommonAreSeen) {
  takes(0);
  takes(1);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::two_holders});
}

}  // namespace
}  // namespace redlock::sim::inside_test
