// Who is told that operations are done: in which order, once, and of which not.
#include "redlock/net/completions.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/child.hpp"
#include "support/fake_world.hpp"

namespace redlock::completions_test {
namespace {

class CompletionsTest : public test::FakeWorld {
 protected:
  OperationId begin(const std::string& resource) {
    completions_.make_room();
    const OperationId id = locks_.begin_lock(Resource(resource), Duration::ms(10'000));
    pool_.tell(id, completions_);
    return id;
  }
  std::vector<OperationId> told() {
    std::vector<OperationId> ids;
    while (const auto id = completions_.next()) ids.push_back(*id);
    return ids;
  }

  LockManager locks_ = manager(1);
  Completions completions_;
};

TEST_F(CompletionsTest, ComeInTheOrderInWhichTheOperationsAreDone) {
  Completions completions;
  for (int i = 0; i < 3; ++i) {
    completions.make_room();
    completions.expect();
  }
  for (const OperationId id : {2U, 3U, 1U}) completions.add(id);
  EXPECT_EQ(completions.size(), 3U);
  for (const OperationId id : {2U, 3U, 1U}) EXPECT_EQ(completions.next(), id);
  EXPECT_EQ(completions.next(), std::nullopt);
  EXPECT_EQ(completions.size(), 0U);
}

TEST_F(CompletionsTest, TellOfEachOperationOnceAndWhenItIsDone) {
  lock(locks_, "connects");
  server(0).answer_time = Duration::ms(5);
  const OperationId first = begin("a");
  const OperationId second = begin("b");
  step_for(Duration::ms(4));
  EXPECT_EQ(completions_.size(), 0U);
  step_for(Duration::ms(10));
  EXPECT_EQ(told(), (std::vector<OperationId>{first, second}));
  step_for(Duration::ms(10));
  EXPECT_EQ(completions_.size(), 0U);
  EXPECT_EQ(pool_.collect(first).decision, Decision::granted);
  EXPECT_EQ(pool_.collect(second).decision, Decision::granted);
}

TEST_F(CompletionsTest, TellAtOnceOfAnOperationThatIsDoneOrUnknown) {
  completions_.make_room();
  const OperationId done = locks_.begin_lock(Resource("r"), Duration::ms(10'000));
  pool_.run_until_done(done);
  pool_.tell(done, completions_);
  EXPECT_EQ(told(), std::vector<OperationId>{done});
  ASSERT_EQ(pool_.collect(done).decision, Decision::granted);
  completions_.make_room();
  pool_.tell(done, completions_);
  EXPECT_EQ(told(), std::vector<OperationId>{done});
}

TEST_F(CompletionsTest, DoNotTellOfAnOperationThatWasCollectedBefore) {
  const OperationId id = begin("r");
  ASSERT_EQ(pool_.collect(id).decision, Decision::aborted);
  step_for(Duration::ms(10));
  EXPECT_EQ(completions_.size(), 0U);
}

TEST_F(CompletionsTest, TellOfAnOperationThatIsEndedWithAllOthersNoMore) {
  begin("r");
  pool_.abort_all();
  EXPECT_EQ(completions_.size(), 0U);
}

TEST_F(CompletionsTest, TellAChildOfTheOperationsOfItsParent) {
  const OperationId id = begin("r");
  EXPECT_EQ(test::exit_status_of_child([&] {
              // Looks whether it has forked.
              (void)pool_.next_deadline();
              return completions_.next() == id && pool_.collect(id).decision == Decision::aborted;
            }),
            0);
  pool_.run_until_done(id);
  EXPECT_EQ(told(), std::vector<OperationId>{id});
  EXPECT_EQ(pool_.collect(id).decision, Decision::granted);
}

}  // namespace
}  // namespace redlock::completions_test
