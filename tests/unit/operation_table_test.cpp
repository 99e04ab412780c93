// Which operation has which number, and what is known of numbers that none has.
#include "redlock/net/operation_table.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "support/fake_world.hpp"
#include "support/scripted.hpp"

namespace redlock::operation_table_test {
namespace {

using test::Scene;
using test::Scripted;

class OperationTableTest : public testing::Test {
 protected:
  RunningOperation& add() { return table_.add(std::make_unique<Scripted>(scene_, 1), {}); }
  // Decided.
  static void decide(RunningOperation& running) { running.operation->abort(Instant()); }

  Scene scene_;
  OperationTable table_;
};

TEST_F(OperationTableTest, FindsEachByItsNumberWhenOthersHaveLeft) {
  std::vector<OperationId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(add().id);
  for (const std::size_t left : {0U, 3U}) table_.find(ids[left])->end();
  table_.drop_ended();
  ASSERT_EQ(table_.size(), 3U);
  for (const std::size_t i : {1U, 2U, 4U}) EXPECT_EQ(table_.find(ids[i])->id, ids[i]);
  for (const std::size_t i : {0U, 3U}) EXPECT_EQ(table_.find(ids[i]), nullptr);
}

TEST_F(OperationTableTest, KeepsOneThatHasEndedUntilAllOfItIsSent) {
  const OperationId id = add().id;
  table_.find(id)->interrupted = true;
  table_.find(id)->end();
  table_.drop_ended();
  ASSERT_NE(table_.find(id), nullptr);
  table_.find(id)->interrupted = false;
  table_.drop_ended();
  EXPECT_EQ(table_.find(id), nullptr);
}

TEST_F(OperationTableTest, AnOutageIsToldWithTheRuleThatDecides) {
  const OperationId id = add().id;
  EXPECT_FALSE(table_.outage(id));
  scene_.outage = {{true, Reply::unknown(Fault::refused, "nobody listens")}};
  ASSERT_TRUE(table_.outage(id));
  EXPECT_EQ(table_.outage(id)->quorum, QuorumRule::majority(1));
  EXPECT_EQ(table_.outage(id)->decision, Decision::unreachable);
  decide(*table_.find(id));
  EXPECT_FALSE(table_.outage(id));
}

TEST_F(OperationTableTest, GivesNoNumberTwice) {
  const OperationId unused = table_.unused_id();
  EXPECT_NE(unused, 0U);
  EXPECT_GT(add().id, unused);
  EXPECT_EQ(table_.find(unused), nullptr);
}

TEST_F(OperationTableTest, HasNeitherAnUndecidedNorADoneOneUnderAnUnknownNumber) {
  EXPECT_FALSE(table_.undecided(12345));
  EXPECT_FALSE(table_.done(12345));
  RunningOperation& running = add();
  EXPECT_TRUE(table_.undecided(running.id));
  EXPECT_FALSE(table_.done(running.id));
  decide(running);
  EXPECT_FALSE(table_.undecided(running.id));
  EXPECT_TRUE(table_.done(running.id));
}

TEST_F(OperationTableTest, IsDueWithTheEarliestButNotForOneThatWaitsForMemory) {
  EXPECT_EQ(table_.next_deadline(), std::nullopt);
  add();
  EXPECT_EQ(table_.next_deadline(), std::nullopt);
  scene_.due_at = Instant() + Duration::ms(5);
  EXPECT_EQ(table_.next_deadline(), scene_.due_at);
  table_[0].interrupted = true;
  EXPECT_EQ(table_.next_deadline(), std::nullopt);
}

class ATableOfAPool : public test::FakeWorld {};

TEST_F(ATableOfAPool, AnOperationThatIsNotKnownIsDoneAndAborted) {
  EXPECT_TRUE(pool_.done(12345));
  EXPECT_EQ(pool_.collect(12345).decision, Decision::aborted);
}

TEST_F(ATableOfAPool, AnOutcomeCanBeTakenOnce) {
  LockManager locks = manager(1);
  const OperationId id = locks.begin_lock(Resource("r"), Duration::ms(10'000));
  while (!pool_.done(id)) pool_.step(Instant::never());
  EXPECT_EQ(pool_.collect(id).decision, Decision::granted);
  EXPECT_EQ(pool_.collect(id).decision, Decision::aborted);
  EXPECT_TRUE(server(0).keys.contains("r"));
}

TEST_F(ATableOfAPool, AnOperationOfAnotherPoolIsNotKnownHere) {
  Pool other(transport_, clock_, entropy_);
  LockManager mine = manager(3);
  LockManager others(other, specs(3), once());
  const OperationId here = mine.begin_lock(Resource("mine"), Duration::seconds(10));
  const OperationId there = others.begin_lock(Resource("other's"), Duration::seconds(10));
  EXPECT_EQ(other.run(here).decision, Decision::aborted);
  EXPECT_EQ(other.run(there).decision, Decision::granted);
  EXPECT_EQ(pool_.run(here).decision, Decision::granted);
}

}  // namespace
}  // namespace redlock::operation_table_test
