// What RedLock's facade refuses before anything is sent, and by which words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "redlock/lease/lease_rotation.hpp"
#include "redlock/locks/lock_manager.hpp"
#include "redlock/locks/lock_plan.hpp"
#include "support/fake_world.hpp"
#include "support/refusal.hpp"

namespace redlock::lock_plan_test {
namespace {

using test::refusal;
using testing::HasSubstr;

constexpr Duration kTtl = Duration::ms(10'000);

class ALockPlan : public test::FakeWorld {
 protected:
  std::string refusal_of(const LockOptions& options) {
    return refusal([&] { LockManager(pool_, specs(3), options); });
  }
};

TEST_F(ALockPlan, RefusesAListThatIsEmptyOrTooLongOrNamesAServerTwice) {
  EXPECT_EQ(refusal([&] { LockManager(pool_, {}, once()); }), "servers must not be empty");
  EXPECT_EQ(refusal([&] { LockManager(pool_, specs(17), once()); }),
            "servers must be at most 16, 17 given");
  EXPECT_EQ(refusal([&] { LockManager(pool_, specs(16), once()); }), "accepted");
  auto servers = specs(3);
  servers[2] = parse_server("S0:6379");
  EXPECT_EQ(refusal([&] { LockManager(pool_, servers, once()); }),
            "server 3 is the same as server 1: S0:6379");
}

TEST_F(ALockPlan, RefusesATtlThatLeavesNothing) {
  LockManager locks = manager(3);
  const auto refused = [&](Duration ttl) {
    return refusal([&] { pool_.collect(locks.begin_lock(Resource("r"), ttl)); });
  };
  EXPECT_THAT(refused(Duration()), HasSubstr("ttl must be greater than 0"));
  EXPECT_THAT(refused(Duration::ms(-1)), HasSubstr("ttl must be greater than 0"));
  EXPECT_THAT(refused(Duration::ms(2)), HasSubstr("ttl is too small"));
  EXPECT_EQ(refused(Duration::ms(3)), "accepted");
  EXPECT_EQ(refused(kTtlMax), "accepted");
  EXPECT_THAT(refused(kTtlMax + Duration::ns(1)), HasSubstr("ttl must be at most"));
  EXPECT_THAT(
      refusal([&] { (void)locks.begin_extend(Resource("r"), Token("t"), Duration::ms(2)); }),
      HasSubstr("ttl is too small"));
}

TEST_F(ALockPlan, RefusesATtlThatDriftEatsUpToTheLastNanosecond) {
  LockOptions options = once();
  options.drift_factor = 0;
  LockManager locks = manager(3, options);
  const auto refused = [&](Duration ttl) {
    return refusal([&] { pool_.collect(locks.begin_lock(Resource("r"), ttl)); });
  };
  EXPECT_THAT(refused(kDriftFloor), HasSubstr("ttl is too small"));
  EXPECT_EQ(refused(kDriftFloor + Duration::ns(1)), "accepted");
}

TEST_F(ALockPlan, RefusesNamesPastTheirBounds) {
  LockManager locks = manager(3);
  const Resource longest(std::string(kResourceBytesMax, 'x'));
  const Resource too_long(std::string(kResourceBytesMax + 1, 'x'));
  const Token token("t");
  EXPECT_EQ(
      refusal([&] {
        pool_.run(locks.begin_lock(longest, kTtl, once().retry, LockExtras{std::string(256, 'o')}));
      }),
      "accepted");
  for (const auto& call : std::initializer_list<std::function<void()>>{
           [&] { (void)locks.begin_lock(too_long, kTtl); },
           [&] { (void)locks.begin_unlock(too_long, token); },
           [&] { (void)locks.begin_check(too_long, token); },
           [&] { (void)LeaseRotation(locks, too_long, token, kTtl, nullptr); },
           [&] { (void)locks.begin_extend(too_long, token, kTtl); }}) {
    EXPECT_THAT(refusal(call), HasSubstr("resource must be at most 65536"));
  }
  EXPECT_THAT(refusal([&] { (void)locks.begin_unlock(Resource("r"), Token()); }),
              HasSubstr("token must not be empty"));
  const Token too_long_token(std::string(kTokenBytesMax + 1, 'x'));
  const Resource r("r");
  // One vote was denied, and is to be repaired again.
  Outcome extended;
  extended.decision = Decision::granted;
  extended.nodes = {{true, Reply::denied()}};
  for (const auto& call : std::initializer_list<std::function<void()>>{
           [&] { (void)locks.begin_unlock(r, too_long_token); },
           [&] { (void)locks.begin_check(r, too_long_token); },
           [&] { (void)LeaseRotation(locks, r, too_long_token, kTtl, nullptr); },
           [&] { (void)locks.begin_extend(r, too_long_token, kTtl); },
           [&] { (void)locks.begin_repair(r, too_long_token, kTtl, extended); }}) {
    EXPECT_THAT(refusal(call), HasSubstr("token must be at most 65536"));
  }
}

TEST_F(ALockPlan, RefusesAWaitThatIsNone) {
  LockManager locks = manager(3);
  const auto waiting = [&](Duration wait, std::int64_t delay_ms) {
    return refusal([&] { (void)locks.begin_wait(Resource("r"), kTtl, wait, delay_ms); });
  };
  EXPECT_THAT(waiting(Duration::ms(-1), 200), HasSubstr("wait"));
  EXPECT_THAT(waiting(Duration::ms(1), -1), HasSubstr("retryDelay"));
}

TEST_F(ALockPlan, RefusesOptionsOutOfTheirRange) {
  for (const double factor : {-0.01, 1.0, 2.0, std::nan(""), HUGE_VAL}) {
    LockOptions options = once();
    options.drift_factor = factor;
    EXPECT_THAT(refusal_of(options), HasSubstr("driftFactor")) << factor;
  }
  for (const std::int64_t delay_ms :
       {std::int64_t{-1}, std::int64_t{-1'000}, std::int64_t{3'600'001}}) {
    LockOptions options = once();
    options.retry = RetryPolicy::jittered(3, delay_ms);
    EXPECT_THAT(refusal_of(options), HasSubstr("retryDelay")) << delay_ms;
  }
  for (const Duration timeout : {Duration(), Duration::ms(-5), kTimeoutMax + Duration::ns(1)}) {
    LockOptions options = once();
    options.timeout = timeout;
    EXPECT_THAT(refusal_of(options), HasSubstr("timeout")) << timeout.count_ns();
  }
  for (const char* name : {"two words", "new\nline", "\x7f", "\xc3\xa4"}) {
    LockOptions options = once();
    options.client_name = name;
    EXPECT_THAT(refusal_of(options), HasSubstr("clientName")) << name;
  }
  LockOptions options = once();
  options.retry = RetryPolicy::exact(3, Duration::ms(-1));
  EXPECT_THAT(refusal_of(options), HasSubstr("retryDelay"));
  options.retry = RetryPolicy::exact(3, kPauseMax);
  EXPECT_EQ(refusal_of(options), "accepted");
  options.client_name = std::string(257, 'n');
  EXPECT_THAT(refusal_of(options), HasSubstr("clientName must be at most 256"));
}

}  // namespace
}  // namespace redlock::lock_plan_test
