// What was not sent in time is never sent: takes and extends whose time or operation is over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redlock/wire/scripts.hpp"
#include "support/fake_world.hpp"

namespace redlock::unsent_test {
namespace {

using test::Arguments;
using test::FakeServer;
using test::FakeWorld;
using testing::IsEmpty;

constexpr Duration kTtl = Duration::ms(600'000);

class Rule11WhatWasNotSentInTimeIsNeverSent : public FakeWorld {
 protected:
  // Seconds later the next call finds the slow connection made.
  void call_again(LockManager& locks) {
    clock_.advance(Duration::seconds(2));
    ASSERT_EQ(lock(locks, "next").decision, Decision::granted);
    step_for(Duration::ms(100));
  }
  static std::size_t extends_at(const FakeServer& server) {
    return static_cast<std::size_t>(std::ranges::count_if(server.log, [](const Arguments& sent) {
      return sent.size() > 1 && sent[1] == scripts::extend_if_equal.text;
    }));
  }
};

TEST_F(Rule11WhatWasNotSentInTimeIsNeverSent, ATakeThatWasStillUnsentWhenItsLockWasGranted) {
  server(2).connect_time = Duration::ms(30);
  LockManager locks = manager(3);
  ASSERT_EQ(lock(locks).decision, Decision::granted);
  call_again(locks);
  EXPECT_FALSE(server(2).keys.contains("r"));
}

TEST_F(Rule11WhatWasNotSentInTimeIsNeverSent, NorOneThatAnUnconfirmedSelectHeldBack) {
  server(2).answer_time = Duration::ms(30);
  LockManager locks = manager_with_database(3);
  ASSERT_EQ(lock(locks).decision, Decision::granted);
  call_again(locks);
  EXPECT_FALSE(server(2).keys.contains("r"));
}

TEST_F(Rule11WhatWasNotSentInTimeIsNeverSent, NorAnExtend) {
  LockManager locks = manager(3);
  const Outcome outcome = lock(locks);
  step_for(Duration::ms(1));
  transport_.drop_connections(server(2));
  server(2).connect_time = Duration::ms(30);
  clock_.advance(kIdleLook);
  ASSERT_EQ(pool_.run(locks.begin_extend(Resource("r"), outcome.token, kTtl)).decision,
            Decision::granted);
  call_again(locks);
  EXPECT_EQ(extends_at(server(0)), 1U);
  EXPECT_EQ(extends_at(server(2)), 0U);
}

TEST_F(Rule11WhatWasNotSentInTimeIsNeverSent, ATakeThatIsUnsentAtItsDeadlineThoughItsLockIsOpen) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks, "before").decision, Decision::granted);
  transport_.send_room = 0;
  const OperationId id = locks.begin_lock(Resource("r"), kTtl);
  step_for(kTimeoutDefault - Duration::ns(1));
  // The caller was busy elsewhere in the moment in which it was due.
  clock_.advance(Duration::ns(1));
  transport_.send_room = ~std::size_t{0};
  EXPECT_EQ(pool_.run(id).decision, Decision::unreachable);
  EXPECT_EQ(server(0).count("SET"), 1U) << "the one before";
}

TEST_F(Rule11WhatWasNotSentInTimeIsNeverSent, OneNanosecondEarlierItIs) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks, "before").decision, Decision::granted);
  transport_.send_room = 0;
  const OperationId id = locks.begin_lock(Resource("r"), kTtl);
  step_for(kTimeoutDefault - Duration::ns(1));
  transport_.send_room = ~std::size_t{0};
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
}

TEST_F(Rule11WhatWasNotSentInTimeIsNeverSent, ATakeThatWasAbortedBeforeItLeftNeedsNoUndoEither) {
  server(0).connect_time = Duration::ms(30);
  LockManager locks = manager(1);
  pool_.collect(locks.begin_lock(Resource("r"), kTtl));
  clock_.advance(Duration::seconds(2));
  ASSERT_EQ(lock(locks, "next").decision, Decision::granted);
  EXPECT_EQ(server(0).log.size(), 1U);
}

TEST_F(Rule11WhatWasNotSentInTimeIsNeverSent, AnEarlierAttemptsTakeDoesNotLeaveWithTheNext) {
  server(2).connect_time = Duration::ms(40);
  LockOptions options = once();
  options.retry = RetryPolicy::exact(2, Duration::ms(5));
  LockManager locks = manager(3, options);
  server(0).keys["r"] = server(1).keys["r"] = "somebody else's";
  ASSERT_EQ(lock(locks).decision, Decision::denied);
  clock_.advance(Duration::seconds(2));
  ASSERT_EQ(lock(locks, "next").decision, Decision::granted);
  step_for(Duration::ms(1));
  EXPECT_LE(server(2).count("SET"), 1U);
  EXPECT_FALSE(server(2).keys.contains("r"));
}

// It was begun before, and had no more than its own time.
TEST_F(Rule11WhatWasNotSentInTimeIsNeverSent, ATakeOnAConnectionThatWasLookedAtTooLate) {
  server(0).connect_time = Duration::ms(900);
  LockManager locks = manager(1);
  pool_.collect(locks.begin_lock(Resource("begins it"), kTtl));
  step_for(Duration::ms(500));
  const OperationId id = locks.begin_lock(Resource("r"), kTtl);
  clock_.advance(Duration::ms(500) + kTimeoutDefault);
  EXPECT_EQ(pool_.run(id).decision, Decision::unreachable);
  EXPECT_THAT(server(0).log, IsEmpty());
}

// Connecting is waited for once in all attempts; the connection of the second has longer.
TEST_F(Rule11WhatWasNotSentInTimeIsNeverSent, ATakeWhoseConnectionIsMadeBehindItsAttempt) {
  server(0).reach = FakeServer::Reach::refuses;
  LockOptions options = once();
  options.retry = RetryPolicy::exact(3, Duration::ms(900));
  LockManager locks = manager(1, options);
  const OperationId id = locks.begin_lock(Resource("r"), kTtl);
  step_for(Duration::ms(899));
  server(0).reach = FakeServer::Reach::accepts;
  server(0).connect_time = Duration::ms(900);
  step_for(Duration::ms(1'000));
  EXPECT_THAT(server(0).log, IsEmpty());
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
  EXPECT_EQ(server(0).count("SET"), 1U);
}

TEST_F(Rule11WhatWasNotSentInTimeIsNeverSent, RemovalsAreKept) {
  server(2).connect_time = Duration::ms(30);
  LockManager locks = manager(3);
  for (std::size_t i = 0; i < 3; ++i) server(i).keys["r"] = "t";
  ASSERT_EQ(unlock(locks, Token("t")).decision, Decision::granted);
  call_again(locks);
  EXPECT_FALSE(server(2).keys.contains("r"));
}

TEST_F(Rule11WhatWasNotSentInTimeIsNeverSent, WhatTheKernelHasInPartIsFinishedAndNothingBehindIt) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks, "connects").decision, Decision::granted);
  transport_.send_room = 20;
  const OperationId first = locks.begin_lock(Resource("in part"), kTtl);
  const OperationId second = locks.begin_lock(Resource("not at all"), kTtl);
  pool_.collect(first);
  pool_.collect(second);
  transport_.send_room = ~std::size_t{0};
  ASSERT_EQ(lock(locks, "third").decision, Decision::granted);
  EXPECT_EQ(server(0).keys.size(), 2U);
  EXPECT_TRUE(server(0).keys.contains("connects"));
  EXPECT_TRUE(server(0).keys.contains("third"));
  ASSERT_EQ(server(0).count("SET"), 3U) << "the one in part, which its undo follows";
}

}  // namespace
}  // namespace redlock::unsent_test
