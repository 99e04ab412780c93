// What is begun together leaves together.
#include <gtest/gtest.h>

#include <vector>

#include "support/fake_world.hpp"

namespace redlock::batch_test {
namespace {

class BatchTest : public test::FakeWorld {};

TEST_F(BatchTest, WhatIsBegunInABatchLeavesInOnePieceAtItsEnd) {
  LockManager locks = manager(3);
  const Token token = lock(locks).token;
  step_for(Duration::ms(1));
  const std::size_t before = transport_.send_count;
  std::vector<OperationId> ids;
  {
    const Pool::Batch together(pool_);
    for (int i = 0; i < 10; ++i) ids.push_back(locks.begin_check(Resource("r"), token));
    EXPECT_EQ(transport_.send_count, before);
  }
  EXPECT_EQ(transport_.send_count, before + 3);
  for (const OperationId id : ids) EXPECT_EQ(pool_.run(id).decision, Decision::granted);
}

TEST_F(BatchTest, ABatchLooksAtIdleConnectionsOnce) {
  LockManager locks = manager(3);
  const Token token = lock(locks).token;
  step_for(Duration::ms(1));
  clock_.advance(Duration::seconds(1));
  const std::size_t before = transport_.wait_count;
  std::vector<OperationId> ids;
  {
    const Pool::Batch together(pool_);
    for (int i = 0; i < 10; ++i) ids.push_back(locks.begin_check(Resource("r"), token));
  }
  EXPECT_LE(transport_.wait_count - before, 2U);
  for (const OperationId id : ids) EXPECT_EQ(pool_.run(id).decision, Decision::granted);
}

TEST_F(BatchTest, WhatIsTakenInABatchBeforeItLeftNeverDoes) {
  LockManager locks = manager(3);
  lock(locks, "connects");
  step_for(Duration::ms(1));
  {
    const Pool::Batch together(pool_);
    EXPECT_EQ(pool_.collect(locks.begin_lock(Resource("r"), Duration::ms(1'000))).decision,
              Decision::aborted);
  }
  step_for(Duration::ms(1));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(server(i).count("SET"), 1U) << i;
}

}  // namespace
}  // namespace redlock::batch_test
