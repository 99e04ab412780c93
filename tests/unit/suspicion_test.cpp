// A server whose answer was overdue is asked again, but nobody waits for it who need not.
#include <gtest/gtest.h>

#include "support/fake_world.hpp"

namespace redlock::suspicion_test {
namespace {

class ServerInDoubt : public test::FakeWorld {
 protected:
  // The third server stands still, and a call has found out.
  void SetUp() override {
    server(2).stopped = true;
    server(0).keys["found out"] = "somebody else's";
    ASSERT_EQ(lock(locks_, "found out").decision, Decision::split);
    step_for(Duration::seconds(1));
  }
  // The vote of one more server is missing.
  void split_the_votes() { server(0).keys["r"] = "somebody else's"; }

  LockManager locks_ = manager(3);
};

TEST_F(ServerInDoubt, IsNotWaitedForWhereVotesAreSplit) {
  split_the_votes();
  const Duration took = time_of([&] { EXPECT_EQ(lock(locks_).decision, Decision::split); });
  EXPECT_LT(took, Duration::ms(1));
}

TEST_F(ServerInDoubt, GetsTheUndoBehindTheTakeThatNobodyWaitedFor) {
  split_the_votes();
  ASSERT_EQ(lock(locks_).decision, Decision::split);
  step_for(Duration::ms(1));
  transport_.resume(server(2));
  EXPECT_GE(server(2).count("SET"), 1U);
  EXPECT_FALSE(server(2).keys.contains("r"));
}

TEST_F(ServerInDoubt, IsWaitedForAgainOnceItHasSaidAnything) {
  transport_.resume(server(2));
  step_for(Duration::ms(1));
  ASSERT_EQ(lock(locks_, "other").decision, Decision::granted);
  step_for(Duration::ms(1));
  server(2).answer_time = Duration::ms(30);
  split_the_votes();
  const Duration took = time_of([&] { EXPECT_EQ(lock(locks_).decision, Decision::granted); });
  EXPECT_EQ(took, Duration::ms(30));
}

TEST_F(ServerInDoubt, IsWaitedForWhereNoMajorityCanBeAskedWithoutIt) {
  server(0).reach = test::FakeServer::Reach::refuses;
  pool_.close_all();
  transport_.resume(server(2));
  server(2).answer_time = Duration::ms(30);
  EXPECT_EQ(lock(locks_).decision, Decision::granted);
}

// Another process had the processor between the two readings of the clock.
TEST_F(ServerInDoubt, IsNoneThatAnsweredInTimeWhileTheProcessStoodStill) {
  LockOptions options = once();
  options.timeout = Duration::ms(5);
  LockManager locks = manager(1, options);
  ASSERT_EQ(lock(locks, "connects").decision, Decision::granted);
  const std::size_t opened = server(0).connections_opened;
  server(0).answer_time = Duration::ms(4);
  const OperationId id = locks.begin_lock(Resource("r"), Duration::seconds(10));
  transport_.interrupt_next_wait = true;
  clock_.per_reading = Duration::ms(6);
  pool_.step(Instant::never());
  clock_.per_reading = Duration();
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
  EXPECT_EQ(server(0).connections_opened, opened);
}

}  // namespace
}  // namespace redlock::suspicion_test
