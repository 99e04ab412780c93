// Whoever may not listen to a server waits in the lines of the others, and is owed nothing by that
// one; but only as long as he has no reason to ask it.
#include <gtest/gtest.h>

#include "sim/checker_fixture.hpp"

namespace redlock::sim::unheard_test {
namespace {

constexpr std::string_view kNoPermission =
    "-NOPERM this user has no permissions to run the 'subscribe' command\r\n";

// Client 0 has stood in line before, and waits again where client 1 has server 1: it needs both
// others.
class UnheardTest : public CheckerTest {
 protected:
  UnheardTest() : CheckerTest(with_waiters()) {}

  static Plan with_waiters() {
    Plan plan = make_waiting_plan();
    plan.delay_high_ns = kMs / 10;
    return plan;
  }
  void stand_in_line(const std::string& token, std::uint32_t servers) {
    for (std::uint32_t server = 0; server < servers; ++server) join(0, server, token, kNil);
  }
  void wait_before() {
    checker_.begins(0, true);
    stand_in_line("a", 2);
    checker_.returned(0, kMs, 0, kMs);
    go_to(now_ms_ + 1);
  }
  void answer_to_subscribe(std::string_view answer, std::uint32_t client = 0) {
    checker_.asked_to_be_heard(client, 2, answer);
  }
  [[nodiscard]] bool waits_and_is_owed(std::uint32_t stands_at = 2) {
    set(1, 1, "b", 60'000);
    go_to(now_ms_ + 1);
    checker_.begins(0, true);
    stand_in_line("c", stands_at);
    go_to(now_ms_ + 200);
    checker_.reported(0, Verb::take, "", Outcome());
    return seen(ViolationKind::unavailable);
  }
};

TEST_F(UnheardTest, AServerThatDoesNotLetItListenIsNotAskedAndOwesNothing) {
  wait_before();
  answer_to_subscribe(kNoPermission);
  EXPECT_FALSE(waits_and_is_owed());
}

TEST_F(UnheardTest, OneThatLetsItListenOwesAVote) {
  wait_before();
  answer_to_subscribe("*3\r\n$9\r\nsubscribe\r\n");
  EXPECT_TRUE(waits_and_is_owed());
}

TEST_F(UnheardTest, OneThatLetsItListenAgainOwesAVote) {
  wait_before();
  answer_to_subscribe(kNoPermission);
  answer_to_subscribe("*3\r\n$9\r\nsubscribe\r\n");
  EXPECT_TRUE(waits_and_is_owed());
}

TEST_F(UnheardTest, OneThatRefusesForAMomentIsAskedAgainSoon) {
  wait_before();
  answer_to_subscribe("-LOADING Redis is loading the dataset in memory\r\n");
  EXPECT_TRUE(waits_and_is_owed());
}

TEST_F(UnheardTest, OneThatRefusedLongAgoIsAskedAgain) {
  wait_before();
  answer_to_subscribe(kNoPermission);
  go_to(now_ms_ + 10'500);
  EXPECT_TRUE(waits_and_is_owed());
}

TEST_F(UnheardTest, OneThatRefusedSomebodyElseOwesAVote) {
  wait_before();
  answer_to_subscribe(kNoPermission, 1);
  EXPECT_TRUE(waits_and_is_owed());
}

// It polls.
TEST_F(UnheardTest, WhoeverStandsInLineAtTooFewAsksAll) {
  wait_before();
  answer_to_subscribe(kNoPermission);
  EXPECT_TRUE(waits_and_is_owed(1));
}

TEST_F(UnheardTest, WhoeverWaitsForTheFirstTimeAsksAllBefore) {
  answer_to_subscribe(kNoPermission);
  EXPECT_TRUE(waits_and_is_owed());
}

TEST_F(UnheardTest, WhoeverWaitsForNoLongerThanAnAnswerAsksAllBefore) {
  plan_.clients[0].wait_ms = plan_.timeout_ms;
  wait_before();
  answer_to_subscribe(kNoPermission);
  EXPECT_TRUE(waits_and_is_owed());
}

}  // namespace
}  // namespace redlock::sim::unheard_test
