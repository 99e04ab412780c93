// After a timeout or a cut nothing that was sent or answered before leaks into what comes after.
#include <gtest/gtest.h>

#include "io/support/fault_proxy.hpp"
#include "io/support/fleet.hpp"

namespace redlock::poison_test {
namespace {

using test::eventually;
using test::FaultProxy;
using test::Fleet;
using test::ProxyPlan;

class Rule04AfterDoubtTheConnectionIsFinished : public Fleet {
 protected:
  Rule04AfterDoubtTheConnectionIsFinished()
      : proxy_(server(0).port()),
        locks_(runtime_.pool(), {parse_server(proxy_.address())}, once()) {}

  FaultProxy proxy_;
  Runtime runtime_;
  LockManager locks_;
};

TEST_F(Rule04AfterDoubtTheConnectionIsFinished, AnAnswerThatComesTooLateIsNotTheNextOnes) {
  server(0).ask({"SET", "second", "somebody else's"});
  proxy_.set_plan({.hold_to_client = 0});
  LockManager impatient(runtime_.pool(), {parse_server(proxy_.address())}, once(Duration::ms(30)));
  EXPECT_EQ(lock(runtime_, impatient, "first").decision, Decision::unreachable);
  proxy_.set_plan({});
  proxy_.let_pass();
  // "first" would have been granted; taken for the answer to this one, that would be a lock.
  EXPECT_EQ(lock(runtime_, locks_, "second").decision, Decision::denied);
  EXPECT_EQ(proxy_.connection_count(), 2U);
  EXPECT_TRUE(eventually([] { return server(0).say({"GET", "first"}) == "nil"; }));
}

TEST_F(Rule04AfterDoubtTheConnectionIsFinished, AnswersThatCameInPiecesAreReadAsOne) {
  proxy_.set_plan({.slice = 1});
  for (int turn = 0; turn < 5; ++turn) {
    const Outcome taken = lock(runtime_, locks_);
    ASSERT_EQ(taken.decision, Decision::granted);
    ASSERT_EQ(unlock(runtime_, locks_, taken.token).decision, Decision::granted);
  }
  EXPECT_EQ(proxy_.connection_count(), 1U);
}

TEST_F(Rule04AfterDoubtTheConnectionIsFinished, ACutAtAnyByteOfTheQuestionLocksNothing) {
  const Outcome whole = lock(runtime_, locks_, "r0");
  ASSERT_EQ(whole.decision, Decision::granted);
  // SET r0 <32 hex digits> NX PX 60000
  for (std::size_t at = 1; at <= 86; at += 5) {
    runtime_.pool().close_all();
    proxy_.set_plan({.cut_to_server = at});
    const std::string resource = "q" + std::to_string(at);
    const Outcome outcome = lock(runtime_, locks_, resource);
    ASSERT_EQ(outcome.decision, Decision::unreachable) << at;
    ASSERT_EQ(outcome.nodes[0].reply.fault, Fault::closed) << at;
    proxy_.set_plan({});
    ASSERT_EQ(lock(runtime_, locks_, "other" + resource).decision, Decision::granted) << at;
    // Whether it was carried out or not: the removal went first on the new connection.
    ASSERT_EQ(server(0).say({"GET", resource}), "nil") << at;
  }
}

TEST_F(Rule04AfterDoubtTheConnectionIsFinished,
       ACutAtAnyByteOfTheAnswerIsUndoneByTheNextConnection) {
  for (std::size_t at = 1; at <= 4; ++at) {
    runtime_.pool().close_all();
    proxy_.set_plan({.cut_to_client = at});
    const std::string resource = "a" + std::to_string(at);
    const Outcome outcome = lock(runtime_, locks_, resource);
    ASSERT_EQ(outcome.decision, Decision::unreachable) << at;
    proxy_.set_plan({});
    ASSERT_EQ(lock(runtime_, locks_, "other" + resource).decision, Decision::granted) << at;
    ASSERT_EQ(server(0).say({"GET", resource}), "nil") << at;
  }
}

TEST_F(Rule04AfterDoubtTheConnectionIsFinished, AReleaseWhoseAnswerWasCutIsNotReleasedButDone) {
  const Outcome taken = lock(runtime_, locks_);
  runtime_.pool().close_all();
  proxy_.set_plan({.cut_to_client = 2});
  EXPECT_EQ(unlock(runtime_, locks_, taken.token).decision, Decision::unreachable);
  EXPECT_EQ(server(0).say({"GET", "r"}), "nil");
}

TEST_F(Rule04AfterDoubtTheConnectionIsFinished, AServerThatStoppedIsNotBelievedAboutTheCallBefore) {
  LockManager impatient(runtime_.pool(), specs(1), once(Duration::ms(30)));
  server(0).ask({"SET", "second", "somebody else's"});
  server(0).stop();
  EXPECT_EQ(lock(runtime_, impatient, "first").decision, Decision::unreachable);
  server(0).go_on();
  LockManager patient(runtime_.pool(), specs(1), once());
  EXPECT_EQ(lock(runtime_, patient, "second").decision, Decision::denied);
}

}  // namespace
}  // namespace redlock::poison_test
