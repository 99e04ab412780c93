// What a client makes of an outcome: an outage, or a bound of its own.
#include "redlock/client/shared.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "support/fake_world.hpp"

namespace redlock::shared_test {
namespace {

class SharedTest : public test::FakeWorld {
 protected:
  // Servers that did not answer with a vote, each for its reason.
  static Refusal refusal(const std::vector<Fault>& faults,
                         Decision decision = Decision::unreachable) {
    inner::Shared shared(std::make_shared<const LockPlan>(specs(faults.size()), once()), {});
    Outcome outcome;
    outcome.decision = decision;
    outcome.quorum = QuorumRule::majority(faults.size());
    for (const Fault fault : faults) {
      const bool answered = fault != Fault::unanswered;
      outcome.nodes.push_back({answered, answered ? Reply::unknown(fault, "words") : Reply()});
    }
    return shared.refusal_of(outcome);
  }
};

TEST_F(SharedTest, ARefusalTellsOfEveryServerInItsOrder) {
  const Refusal told = refusal({Fault::refused, Fault::unanswered, Fault::bound});
  EXPECT_EQ(told.decision, Decision::unreachable);
  ASSERT_EQ(told.troubles.size(), 3U);
  EXPECT_EQ(told.troubles[0].server, name(0));
  EXPECT_EQ(told.troubles[0].fault, Fault::refused);
  EXPECT_EQ(told.troubles[0].reason, "words");
  EXPECT_EQ(told.troubles[1].fault, Fault::unanswered);
  EXPECT_EQ(told.troubles[2].server, name(2));
}

TEST_F(SharedTest, WithoutItsOwnBoundAMajorityCouldHaveBeenHad) {
  EXPECT_TRUE(refusal({Fault::bound}).own_bound);
  EXPECT_TRUE(refusal({Fault::bound, Fault::unanswered, Fault::unanswered}).own_bound);
  EXPECT_TRUE(refusal({Fault::bound, Fault::refused, Fault::unanswered}).own_bound);
  EXPECT_TRUE(refusal({Fault::timeout, Fault::bound, Fault::bound}).own_bound);
}

TEST_F(SharedTest, WhereAMajorityIsDownABoundIsNotTheCause) {
  EXPECT_FALSE(refusal({Fault::bound, Fault::refused, Fault::timeout}).own_bound);
  EXPECT_FALSE(refusal({Fault::refused, Fault::refused, Fault::refused}).own_bound);
  EXPECT_FALSE(refusal({Fault::bound, Fault::refused}).own_bound);
}

TEST_F(SharedTest, WhereNoneWasReachedNoBoundIsTheCause) {
  EXPECT_FALSE(refusal({Fault::refused, Fault::unanswered, Fault::unanswered}).own_bound);
  EXPECT_FALSE(refusal({Fault::unanswered, Fault::unanswered, Fault::unanswered}).own_bound);
}

TEST_F(SharedTest, ABoundBesideVotesThatDecidedIsNotTheCause) {
  EXPECT_FALSE(refusal({Fault::bound, Fault::bound}, Decision::denied).own_bound);
}

}  // namespace
}  // namespace redlock::shared_test
