// What a pool makes of a transport that holds more than its sockets show, and of one that is
// called.
#include <gtest/gtest.h>

#include "redlock/net/pool.hpp"
#include "support/child.hpp"
#include "support/fake_world.hpp"
#include "support/listening.hpp"

namespace redlock::pool_transport_test {
namespace {

// Below it is a protocol of its own, which has read from the socket all that there was.
class HoldingTransport final : public test::FakeTransport {
 public:
  explicit HoldingTransport(test::FakeClock& clock) : FakeTransport(clock), clock_(clock) {}
  Wants wants(ConnectionId connection, bool has_output) override {
    Interest seen{connection, {}, false, false};
    FakeTransport::wait({&seen, 1}, Instant());
    return {true, has_output, seen.readable};
  }
  // Whoever only waits for what polling shows waits in vain.
  Woken wait(std::span<Interest> interests, Instant deadline) override {
    FakeTransport::wait(interests, Instant());
    bool any_writable = false;
    for (Interest& interest : interests) {
      interest.readable = false;
      any_writable = any_writable || interest.writable;
    }
    if (any_writable) return Woken::ready;
    clock_.advance(std::max(deadline - clock_.now(), Duration()));
    return Woken::deadline;
  }

 private:
  test::FakeClock& clock_;
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

TEST(PoolOverAHoldingTransport, ReadsWithoutWaitingThoughAnotherServerIsSilent) {
  test::FakeClock clock;
  test::SeededEntropy entropy;
  HoldingTransport transport(clock);
  Pool pool(transport, clock, entropy);
  LockManager locks(pool, {parse_server("s0"), parse_server("s1"), parse_server("s2")}, {});
  transport.server("s2:6379").stopped = true;
  const OperationId id = locks.begin_lock(Resource("r"), Duration::seconds(10));
  const Instant begun = clock.now();
  EXPECT_EQ(pool.run(id).decision, Decision::granted);
  EXPECT_EQ(clock.now(), begun);
}

TEST(PoolOverAHoldingTransport, HearsWithoutWaitingWhatNoPollingShowsOfAnyServer) {
  for (const std::string speaks : {"s0", "s1"}) {
    SCOPED_TRACE(speaks);
    test::FakeClock clock;
    test::SeededEntropy entropy;
    HoldingTransport transport(clock);
    Pool pool(transport, clock, entropy);
    test::Told told;
    NodeList nodes;
    for (const char* name : {"s0", "s1"}) {
      nodes.push_back(pool.node(parse_server(name).endpoint, kTimeoutDefault));
    }
    (void)pool.begin(std::make_unique<test::Listening>(told, 2, Token("tok")), nodes);
    for (int i = 0; i < 10; ++i) pool.step(clock.now() + Duration::ms(1));
    const std::string channel = told.channel(speaks == "s0" ? 0 : 1);
    ASSERT_NE(channel, "");
    transport.publish(transport.server(speaks + ":6379"), channel, "granted 1 tok");
    const Instant begun = clock.now();
    pool.step(begun + Duration::ms(100));
    EXPECT_EQ(told.pushes.size(), 1U);
    EXPECT_EQ(clock.now(), begun);
  }
}

class PreparedTransport final : public test::FakeTransport {
 public:
  using FakeTransport::FakeTransport;
  void prepare(const Endpoint& place) override {
    prepared.push_back(place.host);
    EXPECT_EQ(open_count(), 0U);
  }
  std::vector<std::string> prepared;
};

TEST(PoolThatMeetsAServer, PreparesItsConnectionsOnceAndBeforeAnyIsOpened) {
  test::FakeClock clock;
  test::SeededEntropy entropy;
  PreparedTransport transport(clock);
  Pool pool(transport, clock, entropy);
  LockManager locks(pool, {parse_server("s0"), parse_server("s1")}, {});
  EXPECT_EQ(transport.prepared, (std::vector<std::string>{"s0", "s1"}));
  pool.run(locks.begin_lock(Resource("r"), Duration::seconds(10)));
  LockManager others(pool, {parse_server("s0")}, {});
  EXPECT_EQ(transport.prepared.size(), 2U);
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

class PoolThatIsCalled : public testing::Test {
 protected:
  // Before it asks something it looks, and is called meanwhile.
  PoolThatIsCalled() {
    const Outcome taken = pool_.run(locks_.begin_lock(Resource("r"), Duration::seconds(10)));
    clock_.advance(kIdleLook);
    transport_.called = true;
    pool_.collect(locks_.begin_check(Resource("r"), taken.token));
    EXPECT_FALSE(transport_.called);
  }
  Woken step() { return pool_.step(clock_.now() + Duration::seconds(2)); }

  test::FakeClock clock_;
  test::SeededEntropy entropy_;
  CalledTransport transport_{clock_};
  Pool pool_{transport_, clock_, entropy_};
  LockManager locks_{pool_, {parse_server("s0")}, {}};
};

TEST_F(PoolThatIsCalled, HearsInTheNextStepWhatCameWhileItOnlyLooked) {
  const Instant begun = clock_.now();
  EXPECT_EQ(step(), Woken::called);
  EXPECT_EQ(clock_.now(), begun);
  EXPECT_EQ(step(), Woken::deadline) << "one call is told once";
}

TEST_F(PoolThatIsCalled, LeavesTheCallToItsParentWhereItIsAChilds) {
  EXPECT_EQ(test::exit_status_of_child([&] { return step() == Woken::deadline; }), 0);
  EXPECT_EQ(step(), Woken::called);
}

}  // namespace
}  // namespace redlock::pool_transport_test
