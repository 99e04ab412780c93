// What ends a wait that would be in vain, and what is waited for.
#include "redlock/algorithm/permanent_trouble.hpp"

#include <gtest/gtest.h>

#include "support/wait_fixture.hpp"

namespace redlock::permanent_trouble_test {
namespace {

using test::drain;
using test::kOneNs;
using test::t;
using test::Wait;

Reply trouble(Fault fault, const std::string& text = "no") { return Reply::unknown(fault, text); }

NodeReport report(Fault fault, const std::string& text = "no") {
  return {true, trouble(fault, text)};
}

bool bars(PermanentTrouble& known, const std::vector<NodeReport>& latest, Instant now) {
  return known.bars(QuorumRule::majority(latest.size()), latest, now);
}
bool bars(PermanentTrouble&& fresh, const std::vector<NodeReport>& latest, Instant now) {
  return bars(fresh, latest, now);
}

TEST(PermanentTroubleOf, AMajorityIsBarredByOneMoreThanCanBeHedged) {
  PermanentTrouble known;
  EXPECT_FALSE(bars(known, {report(Fault::auth), {}, {}}, t(0)));
  EXPECT_FALSE(bars(known, {report(Fault::auth), report(Fault::refused), {}}, t(0)));
  EXPECT_TRUE(bars(known, {report(Fault::auth), report(Fault::tls), {}}, t(0)));
  EXPECT_TRUE(bars(PermanentTrouble(), {report(Fault::acl)}, t(0)));
  EXPECT_TRUE(bars(PermanentTrouble(), {report(Fault::scripts)}, t(0)));
  EXPECT_TRUE(bars(PermanentTrouble(), {report(Fault::protocol)}, t(0)));
}

TEST(PermanentTroubleOf, OutagesAreWaitedFor) {
  for (const Fault fault :
       {Fault::resolve, Fault::refused, Fault::connect, Fault::timeout, Fault::closed,
        Fault::loading, Fault::oom, Fault::busy, Fault::misconf, Fault::noreplicas,
        Fault::maxclients, Fault::bound, Fault::unanswered}) {
    PermanentTrouble known;
    EXPECT_FALSE(bars(known, {report(fault)}, t(0))) << to_string(fault);
    EXPECT_FALSE(bars(known, {report(fault)}, t(0) + kFailOverMax * 10)) << to_string(fault);
  }
  PermanentTrouble known;
  NodeReport down = report(Fault::cluster);
  down.reply.passes = true;
  EXPECT_FALSE(bars(known, {down}, t(0)));
  EXPECT_FALSE(bars(known, {down}, t(0) + kFailOverMax));
}

TEST(PermanentTroubleOf, WhatAFailOverMayEndIsPermanentOnceItHasStayed) {
  for (const Fault fault : {Fault::readonly, Fault::rejected, Fault::cluster}) {
    PermanentTrouble known;
    EXPECT_FALSE(bars(known, {report(fault)}, t(7)));
    EXPECT_FALSE(bars(known, {report(fault)}, t(7) + kFailOverMax - kOneNs));
    EXPECT_TRUE(bars(known, {report(fault)}, t(7) + kFailOverMax)) << to_string(fault);
  }
}

TEST(PermanentTroubleOf, ItCountsAnewBehindAnAnswer) {
  PermanentTrouble known;
  const NodeReport readonly = report(Fault::readonly);
  const NodeReport denied{true, Reply::denied()};
  EXPECT_FALSE(bars(known, {readonly, readonly, denied}, t(0)));
  // That one is still silent says nothing.
  EXPECT_FALSE(bars(known, {readonly, {}, denied}, t(1'000)));
  EXPECT_TRUE(bars(known, {readonly, readonly, denied}, t(0) + kFailOverMax));
  EXPECT_FALSE(bars(known, {readonly, denied, denied}, t(0) + kFailOverMax));
  EXPECT_FALSE(bars(known, {readonly, readonly, denied}, t(0) + kFailOverMax));
}

class AttemptsOfThree : public Wait {
 protected:
  void begin_attempts(const RetryPolicy& retry) {
    acquire_.emplace(test::answer_times(3, test::kAnswerTime),
                     std::make_shared<QuorumKind>(Resource("r"), test::kWaitersTtl, 0.01), retry,
                     entropy_);
    acquire_->start(t(0));
    test::drain(*acquire_);
  }
  void reply(std::size_t node, Reply reply, Instant now) {
    acquire_->on_reply(NodeIndex(node), 1, std::move(reply), now);
    test::drain(*acquire_);
  }
  std::optional<Acquire> acquire_;
};

TEST_F(AttemptsOfThree, AWaitEndsWhereItIsInVain) {
  begin_attempts(RetryPolicy::waiting(Duration::max(), 200));
  reply(0, trouble(Fault::auth), t(1));
  reply(1, trouble(Fault::auth), t(1));
  ASSERT_NE(acquire_->outcome(), nullptr);
  EXPECT_EQ(acquire_->outcome()->decision, Decision::unreachable);
}

TEST_F(AttemptsOfThree, AWaitEndsByAnAnswerThatComesInThePauseBehindItsAttempt) {
  begin_attempts(RetryPolicy::waiting(Duration::max(), 200));
  reply(0, Reply::denied(), t(1));
  reply(1, trouble(Fault::auth), t(1));
  ASSERT_EQ(acquire_->outcome(), nullptr);
  EXPECT_TRUE(acquire_->outage().empty());
  reply(2, trouble(Fault::acl), t(2));
  ASSERT_NE(acquire_->outcome(), nullptr);
  EXPECT_EQ(acquire_->outcome()->decision, Decision::unreachable);
}

TEST_F(AttemptsOfThree, ACountOfAttemptsIsMadeInVainToo) {
  begin_attempts(RetryPolicy::jittered(2, 200));
  reply(0, trouble(Fault::auth), t(1));
  reply(1, trouble(Fault::auth), t(1));
  EXPECT_EQ(acquire_->outcome(), nullptr);
}

TEST_F(AttemptsOfThree, AnOutageIsSeenUntilAMajorityAnswers) {
  begin_attempts(RetryPolicy::waiting(Duration::max(), 200));
  reply(0, trouble(Fault::refused), t(1));
  EXPECT_TRUE(acquire_->outage().empty());
  reply(1, trouble(Fault::refused), t(1));
  ASSERT_EQ(acquire_->outage().size(), 3U);
  EXPECT_EQ(acquire_->outage()[1].reply.fault, Fault::refused);
  acquire_->on_time(*acquire_->next_deadline());
  test::drain(*acquire_);
  EXPECT_EQ(acquire_->outage().size(), 3U);
  const Instant now = t(400);
  acquire_->on_reply(NodeIndex(0), 2, Reply::denied(), now);
  acquire_->on_reply(NodeIndex(1), 2, Reply::denied(), now);
  EXPECT_TRUE(acquire_->outage().empty());
}

TEST_F(Wait, TheFirstAttemptEndsItWhereItIsInVain) {
  begin(Duration::max());
  drain();
  line_->on_reply(NodeIndex(0), 1, trouble(Fault::auth), t(1));
  line_->on_reply(NodeIndex(2), 1, trouble(Fault::protocol), t(1));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::unreachable);
}

TEST_F(Wait, WhatIsHeardInLineIsConfirmedByAnAttempt) {
  stand(Duration::max());
  deny_all(t(1));
  line_->on_subscription(NodeIndex(0), {{}, Fault::auth, "WRONGPASS"}, t(2));
  EXPECT_TRUE(line_->listens());
  EXPECT_TRUE(line_->outage().empty());
  line_->on_subscription(NodeIndex(1), {{}, Fault::auth, "WRONGPASS"}, t(3));
  EXPECT_FALSE(line_->listens());
  EXPECT_EQ(line_->outcome(), nullptr);
  const AttemptNumber attempt = drain().back().attempt;
  line_->on_reply(NodeIndex(0), attempt, trouble(Fault::auth), t(4));
  line_->on_reply(NodeIndex(1), attempt, trouble(Fault::auth), t(4));
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::unreachable);
}

TEST_F(Wait, AnOutageIsWaitedForInLineAndSeen) {
  stand(Duration::max());
  deny_all(t(1));
  line_->on_subscription(NodeIndex(0), {{}, Fault::refused, "refused"}, t(2));
  line_->on_subscription(NodeIndex(1), {{}, Fault::refused, "refused"}, t(3));
  EXPECT_TRUE(line_->listens());
  EXPECT_EQ(line_->outage().size(), 3U);
}

TEST_F(Wait, AReplicaIsWaitedForInLineAsLongAsAFailOverMayLast) {
  stand(Duration::max(), 1);
  drain();
  answer(0, trouble(Fault::readonly), t(1));
  Instant now = t(1);
  while (line_->listens()) {
    now = *line_->next_deadline();
    line_->on_time(now);
    for (const Request& request : drain()) {
      if (request.wants_answer)
        line_->on_reply(request.node, request.attempt, trouble(Fault::readonly), now);
    }
  }
  EXPECT_GE(now, t(1) + kFailOverMax);
  EXPECT_LE(now, t(1) + kFailOverMax + kTroublePauseMax);
  ASSERT_NE(line_->outcome(), nullptr);
  EXPECT_EQ(decision(), Decision::unreachable);
}

}  // namespace
}  // namespace redlock::permanent_trouble_test
