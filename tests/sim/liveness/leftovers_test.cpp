// A key that was given up is overdue when its client has come back, and only then.
#include <gtest/gtest.h>

#include "redlock/wire/scripts.hpp"
#include "sim/checker_fixture.hpp"

namespace redlock::sim::leftovers_test {
namespace {

class LeftoversTest : public CheckerTest {
 protected:
  // The text by which a lock is removed, under the name that servers give it.
  void removed(std::uint32_t server, const std::string& token, std::string_view answer,
               std::uint32_t connection = 0) {
    const std::string pass(scripts::pass.sha1);
    executed(0, server, {"EVALSHA", pass, "1", "lock", token}, answer, connection);
  }
  void told(Verb verb, std::string_view token, Decision decision) {
    Outcome outcome;
    outcome.decision = decision;
    checker_.reported(0, verb, token, outcome);
  }
  // The lock stands on servers 0 and 1. Server 0 grants a join behind its release, which travelled
  // on connection 2 and was confirmed.
  void join_behind_a_release(std::uint32_t connection) {
    set(0, 0, "a", 5000);
    set(0, 1, "a", 5000);
    removed(0, "a", ":1\r\n", 2);
    join(0, 0, "a", kGranted, connection);
    told(Verb::release, "a", Decision::granted);
  }
  // The lock "a" of server 0 is shortened by connection 2, and with that becomes "b"; a take of "a"
  // arrives behind that, and behind the release of "b".
  void take_behind_a_swap(std::uint32_t connection) {
    plan_.clients[0].ttl_ms = 5000;
    go_to(1);
    set(0, 0, "a", 5000, 1);
    told(Verb::take, "a", Decision::granted);
    const std::string swap(scripts::swap_if_equal.sha1);
    executed(0, 0, {"EVALSHA", swap, "1", "lock", "a", "b", "5000"}, ":1\r\n", 2);
    told(Verb::release, "a", Decision::granted);
    go_to(10);
    set(0, 0, "a", 5000, connection);
    go_to(20);
    ask(0, 0, "c", 2);
  }
  const std::string removal_of_a_ = removal_of('a');
  // Client 0 had its token "a" set on server 0 by connection 1, and lost the attempt.
  void fail_an_attempt() {
    plan_.clients[0].ttl_ms = 5000;
    go_to(1);
    set(0, 0, "a", 5000, 1);
    go_to(10);
  }
  // Client 0 joins with "b": on server 1 at 1 ms, and at 10 ms on server 0, which grants it. Of
  // what that one reads after it stood still nobody knows when it was written.
  void stand_in_line_late(bool stood_still = false) {
    plan_.clients[0].ttl_ms = 5000;
    go_to(1);
    join(0, 1, "b", kGranted, 2);
    go_to(10);
    put(0, 0, "b", 5000);
    const Arguments words = words_of_join("b");
    checker_.command_executed({0, 0, 2, stood_still ? 0 : 10 * kMs}, deed_of(words), kGranted);
    go_to(20);
  }
  // On server 0, by connection 1.
  void arrives_late(const std::string& token, std::int64_t written_ms) {
    const Arguments take{"SET", "lock", token};
    checker_.command_executed({0, 0, 1, written_ms * kMs}, deed_of(take), kNil);
  }
  // Its removal was refused, and another one later; then it is served twice by server 0.
  void come_back_behind_another_refusal(std::uint32_t server) {
    fail_an_attempt();
    removed(0, "a", "-LOADING\r\n");
    ask(0, 0, "b");
    go_to(300);
    removed(server, "y", "-LOADING\r\n");
    ask(0, 0, "c");
    ask(0, 0, "d");
  }
  // Its removal was refused: it is due behind a pause, and once its client was served.
  void expect_overdue_once_served() {
    ask(0, 0, "b");
    go_to(200);
    ask(0, 0, "c");
    go_to(400);
    ask(0, 0, "d");
    EXPECT_EQ(kinds(), Kinds{});
    go_to(401);
    ask(0, 0, "e");
    EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
  }
};

TEST_F(LeftoversTest, AFailedAttemptIsOverdueBehindTheNextTake) {
  fail_an_attempt();
  ask(0, 0, "b");
  EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
  EXPECT_EQ(judged(ViolationKind::not_undone), 1U);
}

TEST_F(LeftoversTest, NobodyComingBackIsNoViolation) {
  fail_an_attempt();
  ask(1, 0, "b");  // somebody else
  ask(0, 1, "b");  // another server
  ask(0, 0, "a");  // the same attempt
  executed(0, 0, {"SET", "another", "b"}, kNil, 0);
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(LeftoversTest, AKeyThatWasRemovedInTimeIsNoViolation) {
  fail_an_attempt();
  remove(0, 0);
  removed(0, "a", ":1\r\n");
  ask(0, 0, "b");
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(LeftoversTest, ATakeThatWasWrittenBeforeIsNoViolation) {
  go_to(1);
  const Arguments take{"SET", "lock", "b"};
  set(0, 0, "a", 5000, 1);
  checker_.command_executed({0, 0, 2, 1}, deed_of(take), kNil);
  EXPECT_EQ(kinds(), Kinds{});
}

// A plain take waits for its connection while its client joins elsewhere, and is overtaken by the
// join that goes to its own server on another connection.
// Where its connection was made anew, behind a replica's refusal.
TEST_F(LeftoversTest, ATakeOfAnEarlierAttemptThatIsSaidOnceMoreIsNoViolation) {
  go_to(1);
  ask(0, 0, "a");
  go_to(2);
  set(0, 1, "b", 100);
  go_to(3);
  ask(0, 1, "a", 1);
  EXPECT_FALSE(seen(ViolationKind::not_undone));
  ask(0, 1, "c", 1);
  EXPECT_TRUE(seen(ViolationKind::not_undone));
}

TEST_F(LeftoversTest, ATakeThatWasWrittenBeforeTheJoinOfItsServerIsNoViolation) {
  stand_in_line_late();
  arrives_late("a", 5);
  EXPECT_EQ(kinds(), Kinds{});
  EXPECT_EQ(judged(ViolationKind::not_undone), 0U);
}

TEST_F(LeftoversTest, ATakeThatWasWrittenBehindTheFirstJoinOfItsServerIs) {
  stand_in_line_late();
  join(0, 0, "b", kGranted, 2);  // one more is no excuse
  arrives_late("c", 11);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
}

TEST_F(LeftoversTest, ATakeThatWasWrittenBeforeAJoinOfUnknownTimeWasReadIsNoViolation) {
  stand_in_line_late(true);
  arrives_late("a", 5);
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(LeftoversTest, ATakeThatWasWrittenBehindWhatWasReadOfAJoinOfUnknownTimeIs) {
  stand_in_line_late(true);
  arrives_late("c", 11);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
}

TEST_F(LeftoversTest, AHeldLockIsNotOverdueAndAReleasedOneIs) {
  fail_an_attempt();
  told(Verb::take, "a", Decision::granted);
  ask(0, 0, "b");
  EXPECT_EQ(kinds(), Kinds{});
  told(Verb::release, "a", Decision::unreachable);
  go_to(20);
  ask(0, 0, "c");
  EXPECT_EQ(kinds(), Kinds{ViolationKind::left_behind});
}

TEST_F(LeftoversTest, ATakeThatArrivedBehindItsRemovalOnAnotherConnectionIsExcused) {
  removed(0, "a", ":0\r\n", 2);
  fail_an_attempt();
  ask(0, 0, "b");
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(LeftoversTest, ATakeBehindItsRemovalOnTheSameConnectionIsNot) {
  removed(0, "a", ":0\r\n", 1);
  fail_an_attempt();
  ask(0, 0, "b");
  EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
}

TEST_F(LeftoversTest, AJoinThatArrivesBehindAConfirmedReleaseOnAnotherConnectionIsExcused) {
  join_behind_a_release(1);
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(LeftoversTest, AJoinBehindAConfirmedReleaseOnTheSameConnectionIsNot) {
  join_behind_a_release(2);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::left_behind});
}

TEST_F(LeftoversTest, ATakeThatArrivesBehindTheShorteningOfItsLockOnAnotherConnectionIsExcused) {
  take_behind_a_swap(1);
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(LeftoversTest, ATakeBehindTheShorteningOfItsLockOnTheSameConnectionIsNot) {
  take_behind_a_swap(2);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::left_behind});
}

TEST_F(LeftoversTest, ARemovalThatMayStillArriveIsWaitedFor) {
  fail_an_attempt();
  links_.busy = 1;
  ask(0, 0, "b", 2);
  EXPECT_EQ(kinds(), Kinds{});
  links_.busy = TestLinks::kNone;
  go_to(20);
  ask(0, 0, "c", 2);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
}

TEST_F(LeftoversTest, OneEndedConnectionWithItsRemovalIsNoExcuseAndTwoAre) {
  fail_an_attempt();
  links_.ended_links = {{.written = removal_of_a_}};
  ask(0, 0, "b", 2);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
  links_.ended_links = {{.written = removal_of_a_}, {.written = removal_of_a_}};
  go_to(20);
  ask(0, 0, "c", 2);
  EXPECT_EQ(kinds().size(), 1U);
}

TEST_F(LeftoversTest, EndedConnectionsWithoutItsRemovalAreNoExcuse) {
  fail_an_attempt();
  const std::string removal_of_b = removal_of('b');
  links_.ended_links = {{.written = removal_of_b}, {.written = "*1\r\n$4\r\nPING\r\n"}, {}};
  ask(0, 0, "b", 2);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
}

TEST_F(LeftoversTest, ARemovalThatWasAnsweredWasNotLostWithItsConnection) {
  fail_an_attempt();
  links_.ended_links = {{.written = removal_of_a_, .answered = 1}, {.written = removal_of_a_}};
  ask(0, 0, "b", 2);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
}

TEST_F(LeftoversTest, AConnectionThatEndedWithTheRequestIsAnExcuseAlone) {
  fail_an_attempt();
  links_.ended_links = {{.written = removal_of_a_, .by_the_end = true}};
  ask(0, 0, "b", 2);
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(LeftoversTest, ACrowdIsAnExcuseOnlyOnTheServerThatIsSilentForIt) {
  plan_.crowd = Crowd{.client = 0, .server = 0};
  plan_.clients[0].ttl_ms = 5000;
  go_to(1);
  set(0, 0, "a", 5000, 1);
  set(0, 1, "a", 5000, 1);
  checker_.crowd_begins(0);
  go_to(10);
  ask(0, 0, "b", 2);
  EXPECT_EQ(kinds(), Kinds{});
  ask(0, 1, "b", 2);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
}

TEST_F(LeftoversTest, ARemovalBehindARefusedPasswordIsARefusedOne) {
  fail_an_attempt();
  links_.ended_links = {{.written = removal_of_a_, .unaccepted_ns = 2 * kMs}};
  expect_overdue_once_served();
}

// The answer that shows that it is served may have ended with the connection.
TEST_F(LeftoversTest, WhoWasServedOnAConnectionBeforeThisOneMayNotKnowOfIt) {
  fail_an_attempt();
  removed(0, "a", "-LOADING\r\n", 1);
  ask(0, 0, "b", 1);
  go_to(400);
  ask(0, 0, "c", 1);
  go_to(401);
  ask(0, 0, "d", 2);
  EXPECT_EQ(kinds(), Kinds{});
  go_to(402);
  ask(0, 0, "e", 2);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
}

TEST_F(LeftoversTest, ARemovalThatIsRefusedLaterIsAPauseMoreForThoseBeforeIt) {
  come_back_behind_another_refusal(0);
  go_to(560);
  ask(0, 0, "e");
  EXPECT_EQ(kinds(), Kinds{});
  ask(0, 0, "f");
  EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
}

TEST_F(LeftoversTest, OneThatIsRefusedElsewhereIsNot) {
  come_back_behind_another_refusal(1);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
}

TEST_F(LeftoversTest, ARefusedRemovalIsOverdueOnceItsClientHasLongBeenServed) {
  fail_an_attempt();
  removed(0, "a", "-LOADING\r\n");
  expect_overdue_once_served();
}

}  // namespace
}  // namespace redlock::sim::leftovers_test
