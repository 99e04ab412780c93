// What a pool makes of a transport that holds more than its sockets show, and of one that is
// called.
#include <gtest/gtest.h>

#include "redlock/runtime/pool.hpp"
#include "support/fake_world.hpp"

namespace redlock {
namespace {

// Below it is a protocol of its own, which has read from the socket all that there was.
class HoldingTransport final : public test::FakeTransport {
 public:
  using FakeTransport::FakeTransport;
  Wants wants(ConnectionId connection, bool has_output) override {
    Interest seen{connection, {}, false, false};
    FakeTransport::wait({&seen, 1}, Instant());
    return {true, has_output, seen.readable};
  }
  Woken wait(std::span<Interest> interests, Instant deadline) override {
    const Woken woken = FakeTransport::wait(interests, deadline);
    for (Interest& interest : interests) interest.readable = false;
    return woken;
  }
};

TEST(PoolOverAHoldingTransport, ReadsWithoutWaitingWhatNoPollingShows) {
  test::FakeClock clock;
  test::SeededEntropy entropy;
  HoldingTransport transport(clock);
  Pool pool(transport, clock, entropy);
  LockManager locks(pool, {parse_server("s0")}, {});
  const OperationId id = locks.begin_lock(Resource("r"), Duration::seconds(10));
  const Instant begun = clock.now();
  EXPECT_EQ(pool.run(id).decision, Decision::granted);
  EXPECT_EQ(clock.now(), begun);
}

// A waker's part, in memory.
class CalledTransport final : public test::FakeTransport {
 public:
  using FakeTransport::FakeTransport;
  Woken wait(std::span<Interest> interests, Instant deadline) override {
    if (std::exchange(called, false)) return Woken::called;
    return FakeTransport::wait(interests, deadline);
  }
  bool called = false;
};

TEST(PoolThatIsCalled, HearsInTheNextStepWhatCameWhileItOnlyLooked) {
  test::FakeClock clock;
  test::SeededEntropy entropy;
  CalledTransport transport(clock);
  Pool pool(transport, clock, entropy);
  LockManager locks(pool, {parse_server("s0")}, {});
  const Outcome taken = pool.run(locks.begin_lock(Resource("r"), Duration::seconds(10)));
  clock.advance(kIdleLook);
  transport.called = true;
  pool.take(locks.begin_check(Resource("r"), taken.token));
  EXPECT_FALSE(transport.called);
  const Instant begun = clock.now();
  EXPECT_EQ(pool.step(begun + Duration::seconds(2)), Woken::called);
  EXPECT_EQ(clock.now(), begun);
}

}  // namespace
}  // namespace redlock
