// A majority that is well and free must be enough, whatever happens to the others.
#include <gtest/gtest.h>

#include "sim/checker_fixture.hpp"

namespace redlock::sim::availability_test {
namespace {

class AvailabilityTest : public CheckerTest {
 protected:
  AvailabilityTest() : CheckerTest(with_troubled_server()) {}

  // Server 0 is out of memory until 100 ms.
  static Plan with_troubled_server() {
    Plan plan = make_plan();
    plan.delay_high_ns = kMs / 10;
    plan.faults = {{.fault_class = FaultClass::out_of_memory, .from_ns = 0, .until_ns = 100 * kMs}};
    return plan;
  }
  // Client 0's check is answered by this server alone.
  void answer(std::uint32_t server) {
    executed(0, server, {"EVALSHA", "d138648cd1229672749916c9ba17effa55584f25", "1", "lock", "c"},
             ":0\r\n", 0);
    Outcome outcome;
    outcome.nodes.resize(server + 1);
    outcome.nodes[server].answered = true;
    outcome.nodes[server].reply.answer = Answer::denied;
    checker_.reported(0, Verb::check, "c", outcome);
  }
  void refuse(std::uint32_t client) { checker_.reported(client, Verb::take, "", Outcome()); }
  [[nodiscard]] std::uint64_t judged() const {
    return CheckerTest::judged(ViolationKind::unavailable);
  }
};

TEST_F(AvailabilityTest, ARefusalIsSeenThoughOneServerIsInTrouble) {
  checker_.begins(0);
  refuse(0);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::unavailable});
}

TEST_F(AvailabilityTest, AGrantIsJudgedAndNoViolation) {
  checker_.begins(0);
  Outcome outcome;
  outcome.decision = Decision::granted;
  checker_.reported(0, Verb::take, "a", outcome);
  EXPECT_EQ(kinds(), Kinds{});
  EXPECT_EQ(judged(), 1U);
}

TEST_F(AvailabilityTest, WithoutAMajorityThatIsWellNobodyIsOwedAnything) {
  plan_.faults.push_back(
      {.fault_class = FaultClass::stall, .from_ns = 0, .until_ns = kMs, .server = 1});
  checker_.begins(0);
  refuse(0);
  EXPECT_EQ(judged(), 0U);
  checker_.begins(1);  // whose link it is not
  refuse(1);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::unavailable});
}

TEST_F(AvailabilityTest, AServerThatLetsNobodyStandInItsLineIsNotWellForWhoWaits) {
  plan_.faults.push_back(
      {.fault_class = FaultClass::no_line_keys, .from_ns = 0, .until_ns = kMs, .server = 1});
  plan_.clients[0].wait_ms = 100;
  checker_.begins(0);
  refuse(0);
  EXPECT_EQ(judged(), 0U);
  checker_.begins(1);  // who asks plainly
  refuse(1);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::unavailable});
}

TEST_F(AvailabilityTest, AServerThatIsDownIsNotWellHoweverMuchItForgets) {
  for (const FaultClass down :
       {FaultClass::crash_keep, FaultClass::crash_lose_all_late, FaultClass::crash_lose_all_at_once,
        FaultClass::crash_lose_second_at_once}) {
    plan_.faults = {with_troubled_server().faults[0],
                    {.fault_class = down, .from_ns = 0, .until_ns = kMs, .server = 1}};
    checker_.begins(0);
    refuse(0);
    EXPECT_EQ(kinds(), Kinds{}) << info_of(down).name;
  }
}

TEST_F(AvailabilityTest, AServerWhereAnotherKeyStandsIsNotFree) {
  set(1, 1, "b", 100);
  checker_.begins(0);
  refuse(0);
  EXPECT_EQ(judged(), 0U);
}

TEST_F(AvailabilityTest, AServerThatSomebodyElseTakesMeanwhileIsNotFree) {
  checker_.begins(0);
  set(0, 1, "a", 100);
  remove(0, 1);
  set(1, 1, "b", 100);
  refuse(0);
  EXPECT_EQ(judged(), 0U);
}

TEST_F(AvailabilityTest, WhatTheClientItselfTookIsNoExcuse) {
  checker_.begins(0);
  set(0, 1, "a", 100);
  refuse(0);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::unavailable});
}

TEST_F(AvailabilityTest, WhatIsHandedToAnEarlierLeaseOfItsOwnIsInItsWay) {
  Record record(plan_, views());
  Availability availability(record);
  const auto times = [&record] {
    return record.judged()[static_cast<std::size_t>(ViolationKind::unavailable)];
  };
  availability.call_begins(0);
  record.now_ns = kMs;
  availability.judge(0, Outcome());
  ASSERT_EQ(times(), 1U);
  availability.key_set_for_earlier_lease(1, 0);
  availability.judge(0, Outcome());
  EXPECT_EQ(times(), 1U);
}

TEST_F(AvailabilityTest, AConnectionThatLeadsNowhereIsNotWell) {
  links_.cut_off = 2;
  checker_.begins(0);
  refuse(0);
  EXPECT_EQ(judged(), 0U);
}

TEST_F(AvailabilityTest, AConnectionThatIsStruckMeanwhileIsNotWell) {
  checker_.begins(0);
  checker_.struck(0, 2);
  refuse(0);
  EXPECT_EQ(judged(), 0U);
}

// Nobody waits for a server that was silent last time where another one says no.
TEST_F(AvailabilityTest, AConnectionThatWasStruckEarlierIsAnExcuseOnlyWhereSomebodyDenies) {
  checker_.begins(0);
  checker_.struck(0, 2);
  refuse(0);
  set(0, 1, "b", 100);
  checker_.begins(0);
  refuse(0);
  EXPECT_EQ(judged(), 0U);
  remove(0, 1);
  checker_.begins(0);
  refuse(0);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::unavailable});
}

TEST_F(AvailabilityTest, WhoeverAnsweredSinceIsNotInDoubtWhereSomebodyDenies) {
  plan_.faults.clear();
  checker_.begins(0);
  checker_.struck(0, 2);
  go_to(10);
  checker_.begins(0);
  answer(2);
  go_to(20);
  set(1, 1, "b", 100);
  checker_.begins(0);
  refuse(0);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::unavailable});
}

TEST_F(AvailabilityTest, AnAnswerToACallFromBeforeTheTroubleEndsNoDoubt) {
  plan_.faults.clear();
  go_to(1);
  checker_.begins(0);
  go_to(5);
  checker_.struck(0, 2);
  answer(2);
  go_to(20);
  set(1, 1, "b", 100);
  checker_.begins(0);
  refuse(0);
  EXPECT_EQ(judged(), 0U);
}

TEST_F(AvailabilityTest, AnAnswerWhileAFaultMayStillStrikeEndsNoDoubt) {
  plan_.faults[0].server = 2;
  checker_.begins(0);
  answer(2);
  go_to(300);
  set(1, 1, "b", 100);
  checker_.begins(0);
  refuse(0);
  EXPECT_EQ(judged(), 0U);
}

TEST_F(AvailabilityTest, WhoeverStoodStillIsOwedNothing) {
  checker_.begins(0);
  checker_.returned(0, 10 * kMs, 5 * kMs, 20 * kMs);
  refuse(0);
  EXPECT_EQ(judged(), 0U);
}

// Its own pause looks like the silence of the servers that had not answered.
TEST_F(AvailabilityTest, WhoeverStoodStillIsOwedNothingByServersInDoubtWhereSomebodyDenies) {
  plan_.faults.clear();
  go_to(1);
  checker_.begins(0);
  checker_.returned(0, 10 * kMs, 5 * kMs, 20 * kMs);
  set(1, 1, "b", 100);
  go_to(20);
  checker_.begins(0);
  refuse(0);
  EXPECT_EQ(judged(), 0U);
  checker_.begins(0);
  answer(0);
  answer(2);
  checker_.begins(0);
  refuse(0);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::unavailable});
}

// What its own removal, refused by a server in trouble, left there denies as well.
TEST_F(AvailabilityTest, AServerInTroubleThatDeniesIsSomebodyWhoDenies) {
  set(0, 0, "old", 100);
  checker_.begins(0);
  checker_.struck(0, 2);
  refuse(0);
  checker_.begins(0);
  refuse(0);
  EXPECT_EQ(judged(), 0U);
}

TEST_F(AvailabilityTest, WithoutTheTimeForAConnectionAndAnAnswerNobodyIsOwedAnything) {
  plan_.delay_high_ns = 4 * kMs;
  checker_.begins(0);
  refuse(0);
  EXPECT_EQ(judged(), 0U);
}

}  // namespace
}  // namespace redlock::sim::availability_test
