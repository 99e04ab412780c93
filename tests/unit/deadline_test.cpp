// Rule 7: whatever servers do, a call ends by its one deadline.
#include <gtest/gtest.h>

#include "support/fake_world.hpp"

namespace redlock {
namespace {

using test::FakeServer;
using test::FakeWorld;

class Rule07OneDeadlinePerCall : public FakeWorld {};

TEST_F(Rule07OneDeadlinePerCall, ServersThatVanishCostOneAnswerTime) {
  for (std::size_t i = 0; i < 3; ++i) server(i).reach = FakeServer::Reach::vanishes;
  LockManager locks = manager(3);
  EXPECT_EQ(time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::unreachable); }),
            kTimeoutDefault);
}

TEST_F(Rule07OneDeadlinePerCall, AllAttemptsAndPausesCostTheirSum) {
  for (std::size_t i = 0; i < 3; ++i) server(i).stopped = true;
  LockOptions options = once();
  options.retry = RetryPolicy::exact(3, Duration::ms(20));
  LockManager locks = manager(3, options);
  const Duration took = time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::unreachable); });
  EXPECT_EQ(took, kTimeoutDefault * 3 + Duration::ms(40));
}

TEST_F(Rule07OneDeadlinePerCall, ConnectingAndAnsweringShareOneDeadline) {
  server(0).connect_time = Duration::ms(150);
  server(0).answer_time = Duration::ms(150);
  LockManager locks = manager(1);
  EXPECT_EQ(time_of([&] { EXPECT_EQ(lock(locks).decision, Decision::unreachable); }),
            kTimeoutDefault);
}

TEST_F(Rule07OneDeadlinePerCall, EveryServerHasATimeOfItsOwn) {
  auto servers = specs(3);
  for (std::size_t i = 0; i < 3; ++i) {
    server(i).stopped = true;
    servers[i].timeout = Duration::ms(10 * static_cast<std::int64_t>(i + 1));
  }
  LockManager locks(pool_, servers, once());
  EXPECT_EQ(time_of([&] { lock(locks); }), Duration::ms(20));
}

}  // namespace
}  // namespace redlock
