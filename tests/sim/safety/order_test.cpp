// Whoever is served out of turn in quiet is seen.
#include "sim/checker_fixture.hpp"

namespace redlock::sim::order_test {
namespace {

// Client 0 stands in every line before client 1 does.
class OrderTest : public CheckerTest {
 protected:
  explicit OrderTest(Plan plan = make_waiting_plan()) : CheckerTest(std::move(plan)) {}

  void stand(std::uint32_t client, const std::string& token, std::string_view ticket) {
    go_to(now_ms_ + 1);
    checker_.begins(client, true);
    for (const std::uint32_t server : {0U, 1U, 2U}) join(client, server, token, kNil, 0, ticket);
  }
  void stand_one_behind_the_other() {
    stand(0, "a", "7");
    stand(1, "b", "8");
  }
};

TEST_F(OrderTest, WhoeverIsServedBeforeAnEarlierTicketIsSeen) {
  stand_one_behind_the_other();
  checker_.granted(1, "b", 0);
  EXPECT_TRUE(seen(ViolationKind::out_of_order));
}

TEST_F(OrderTest, WhoeverIsServedInTurnIsNot) {
  stand_one_behind_the_other();
  checker_.granted(0, "a", 0);
  EXPECT_FALSE(seen(ViolationKind::out_of_order));
  EXPECT_EQ(judged(ViolationKind::out_of_order), 1U);
}

TEST_F(OrderTest, AnEarlierTicketThatStandsInTheLinesLaterNeedNotBeServedBefore) {
  stand(1, "b", "8");
  stand(0, "a", "7");
  checker_.granted(1, "b", 0);
  EXPECT_FALSE(seen(ViolationKind::out_of_order));
}

}  // namespace
}  // namespace redlock::sim::order_test
