// Looking at a connection before it is used: from when on, how often, and what it tells of the
// time that an answer took.
#include <gtest/gtest.h>

#include <memory>

#include "redlock/net/pool.hpp"
#include "support/fake_world.hpp"
#include "support/scripted.hpp"

namespace redlock::idle_look_test {
namespace {

using test::Scene;
using test::Scripted;

class ALook : public test::FakeWorld {
 protected:
  // Who takes nothing looks once, before he begins.
  void check_after(Duration span) {
    pool_.set_idle_limit(Duration::seconds(5));
    LockManager locks = manager(1);
    ASSERT_EQ(lock(locks).decision, Decision::granted);
    clock_.advance(span - Duration::ns(1));
    // Tidied here, and not again in the next step.
    pool_.step(clock_.now());
    clock_.advance(Duration::ns(1));
    pool_.run(locks.begin_check(Resource("r"), Token("t")));
  }
};

TEST_F(ALook, ByWhoTakesNothingReplacesAConnectionFromItsLimitOn) {
  check_after(Duration::seconds(5));
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(ALook, ByWhoTakesNothingReplacesNoConnectionBeforeItsLimit) {
  check_after(Duration::seconds(5) - Duration::ns(1));
  EXPECT_EQ(server(0).connections_opened, 1U);
}

TEST_F(ALook, FindsThatTheServerHasClosedFromTenMillisecondsOnAndIsNotMadeBefore) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks).decision, Decision::granted);
  step_for(kIdleLook - Duration::ns(1));
  const std::size_t before = transport_.wait_count;
  const OperationId id = locks.begin_check(Resource("r"), Token("t"));
  EXPECT_EQ(transport_.wait_count, before);
  pool_.run(id);
  clock_.advance(kIdleLook);
  transport_.drop_connections(server(0));
  pool_.run(locks.begin_check(Resource("r"), Token("t")));
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(ALook, IsOneWhereNothingIsReady) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks).decision, Decision::granted);
  clock_.advance(kIdleLook);
  const std::size_t before = transport_.wait_count;
  pool_.collect(locks.begin_check(Resource("r"), Token("t")));
  EXPECT_EQ(transport_.wait_count, before + 1);
}

TEST_F(ALook, IsNotMadeForTheSakeOfAServerThatHasNoConnection) {
  LockManager locks = manager(2);
  ASSERT_EQ(lock(locks).decision, Decision::granted);
  clock_.advance(kIdleLook);
  LockManager other(pool_, {parse_server("elsewhere")}, once());
  const std::size_t before = transport_.wait_count;
  pool_.collect(other.begin_check(Resource("r"), Token("t")));
  EXPECT_EQ(transport_.wait_count, before);
}

TEST_F(ALook, IsMadeAtAConnectionThatHoldsSomethingBackOnlyForWantOfRoom) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks).decision, Decision::granted);
  transport_.send_room = 0;
  const OperationId stuck = locks.begin_check(Resource("r"), Token("t"));
  clock_.advance(kIdleLook);
  transport_.drop_connections(server(0));
  transport_.send_room = ~std::size_t{0};
  EXPECT_EQ(pool_.run(locks.begin_check(Resource("r"), Token("t"))).decision, Decision::denied);
  pool_.collect(stuck);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(ALook, IsMadeForTheFirstThatIsHeldBack) {
  LockManager locks = manager(1);
  ASSERT_EQ(lock(locks).decision, Decision::granted);
  clock_.advance(kIdleLook);
  transport_.drop_connections(server(0));
  OperationId id = 0;
  {
    const Pool::Batch together(pool_);
    id = locks.begin_check(Resource("r"), Token("t"));
  }
  EXPECT_EQ(pool_.run(id).decision, Decision::denied);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

// Its caller has not come for it yet, but its verdict stands.
TEST_F(ALook, ReplacesASilentConnectionUnderAnOperationThatIsDecided) {
  std::vector<ServerSpec> servers = specs(3);
  for (ServerSpec& spec : servers) spec.timeout = Duration::seconds(100);
  LockManager locks(pool_, servers, once());
  server(2).stopped = true;
  const OperationId id = locks.begin_lock(Resource("r"), Duration::seconds(1'000));
  pool_.run_until_done(id);
  clock_.advance(kIdleLimitDefault);
  const OperationId other = locks.begin_check(Resource("r"), Token("t"));
  EXPECT_EQ(server(2).connections_opened, 2U);
  pool_.collect(other);
  EXPECT_EQ(pool_.collect(id).decision, Decision::granted);
}

// How often something was to be read.
class ReadTransport final : public test::FakeTransport {
 public:
  using FakeTransport::FakeTransport;
  IoResult receive(ConnectionId connection, std::span<char> into) override {
    ++reads;
    return FakeTransport::receive(connection, into);
  }
  std::size_t reads = 0;
};

TEST(ALookInTheMidstOfATurn, IsOneForAllThatIsTakenThere) {
  test::FakeClock clock;
  test::SeededEntropy entropy;
  ReadTransport transport(clock);
  Pool pool(transport, clock, entropy);
  const Duration patience = Duration::seconds(5);
  LockOptions patient;
  patient.timeout = patience;
  LockManager locks(pool, {parse_server("s0"), parse_server("s1")}, patient);
  ASSERT_EQ(pool.run(locks.begin_lock(Resource("r"), Duration::seconds(10))).decision,
            Decision::granted);
  NodeList nodes;
  for (const char* name : {"s0", "s1"}) {
    nodes.push_back(pool.node(parse_server(name).endpoint, patience));
  }
  transport.server("s1:6379").answer_time = kIdleLook + Duration::ms(2);
  transport.server("s0:6379").answer_time = Duration::seconds(1);
  std::size_t reads_before = 0;
  Scene scene;
  scene.begun = [&](Scripted& operation, Instant now) {
    operation.ask(1, 1, CheckEqual{Resource("r"), Token("t")}, now + patience);
  };
  scene.answered = [&](Scripted& operation, std::size_t node, Instant now) {
    if (node != 1) return;
    reads_before = transport.reads;
    for (const AttemptNumber attempt : {2U, 3U, 4U}) {
      operation.ask(0, attempt,
                    SetIfAbsent{Resource(std::to_string(attempt)), Token("t"), Duration::ms(500)},
                    now + patience);
    }
  };
  (void)pool.begin(std::make_unique<Scripted>(scene, nodes.size()), nodes);
  while (scene.replies.empty()) pool.step(clock.now() + patience);
  EXPECT_EQ(transport.reads, reads_before + 1);
}

class ALookAtACountedServer : public test::FakeWorld {
 protected:
  ALookAtACountedServer() { server(0).answer_time = Duration::us(300); }
  RoundTrips round_trips() { return book_.counters_of(name(0))->read().round_trips; }

  ServerBook book_;
  LockManager locks_{pool_, std::make_shared<const LockPlan>(specs(1), once(), &book_)};
};

TEST_F(ALookAtACountedServer, ThatEndsWhereTheNextOneBeginsMissesNoMomentOfAnAnswer) {
  pool_.run(locks_.begin_inspect(Resource("r")));
  const RoundTrips before = round_trips();
  const OperationId id = locks_.begin_inspect(Resource("r"));
  for (int i = 0; i < 2; ++i) pool_.step(clock_.now() + Duration::us(140));
  pool_.run(id);
  EXPECT_EQ(percentile(round_trips(), 99), Duration::us(500));
  EXPECT_NE(round_trips(), before);
}

// The process stood still as it was about to take a lock, between two readings of the clock.
TEST_F(ALookAtACountedServer, BehindAPauseTellsNothingOfTheTimeThatAnAnswerTook) {
  pool_.run(locks_.begin_inspect(Resource("r")));
  const RoundTrips before = round_trips();
  const OperationId id = locks_.begin_inspect(Resource("r"));
  clock_.advance(Duration::ms(5));
  Scene scene;
  scene.begun = [](Scripted& operation, Instant now) {
    operation.ask(0, 1, SetIfAbsent{Resource("r"), Token("t"), Duration::seconds(10)},
                  now + kTimeoutDefault);
  };
  const NodeList nodes{pool_.node(specs(1)[0].endpoint, kTimeoutDefault)};
  clock_.per_reading = kIdleLook * 2;
  (void)pool_.begin(std::make_unique<Scripted>(scene, nodes.size()), nodes);
  clock_.per_reading = Duration();
  EXPECT_TRUE(pool_.done(id)) << "it was looked at";
  EXPECT_EQ(round_trips(), before);
}

}  // namespace
}  // namespace redlock::idle_look_test
