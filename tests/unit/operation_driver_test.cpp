// Operations that fail for want of memory in the middle of a turn: whoever waits is told, and the
// others go on.
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "redlock/locks/lock_manager.hpp"
#include "support/faulty_transport.hpp"
#include "support/frugal_transport.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::operation_driver_test {
namespace {

// What a Fragile does, and what became of it; it outlives it.
struct Fragility {
  bool short_of_memory = false;
  std::optional<Instant> due;
  int times_due = 0;
  bool gone = false;
};

// While it is short of memory it cannot even say that it wants nothing sent.
class Fragile final : public Operation {
 public:
  explicit Fragile(Fragility& is) : is_(is) {}
  ~Fragile() override { is_.gone = true; }
  [[nodiscard]] QuorumRule quorum() const override { return QuorumRule::majority(1); }
  void start(Instant /*now*/) override {}
  void on_reply(NodeIndex /*node*/, AttemptNumber /*attempt*/, Reply /*reply*/,
                Instant /*now*/) override {}
  void on_time(Instant /*now*/) override {
    is_.due.reset();
    ++is_.times_due;
  }
  void abort(Instant /*now*/) override { aborted_ = true; }
  std::optional<Request> next_request() override {
    if (is_.short_of_memory) throw std::bad_alloc();
    return std::nullopt;
  }
  [[nodiscard]] std::optional<Instant> next_deadline() const override { return is_.due; }
  [[nodiscard]] const Outcome* outcome() const override { return aborted_ ? &outcome_ : nullptr; }
  [[nodiscard]] Outcome collect() noexcept override { return std::move(outcome_); }

 private:
  Fragility& is_;
  bool aborted_ = false;
  Outcome outcome_;
};

class FailedOperation : public testing::Test {
 protected:
  OperationId begin(Fragility& is, const NodeList& nodes = {}) {
    return pool_.begin(std::make_unique<Fragile>(is), nodes);
  }

  test::FakeClock clock_;
  test::SeededEntropy entropy_;
  test::FaultyTransport transport_{clock_};
  Fragility first_;
  Fragility second_;
  Pool pool_{transport_, clock_, entropy_};
};

TEST_F(FailedOperation, IsLetGoOfOnceItIsUndone) {
  // Once memory is back there is nothing to be sent.
  first_.short_of_memory = true;
  EXPECT_THROW((void)begin(first_), std::bad_alloc);
  EXPECT_FALSE(first_.gone);
  first_.short_of_memory = false;
  pool_.step(clock_.now());
  EXPECT_TRUE(first_.gone);
}

TEST_F(FailedOperation, IsLetGoOfAsItsOwnerIsTold) {
  first_.due = clock_.now();
  const OperationId id = begin(first_);
  first_.short_of_memory = true;
  pool_.step(clock_.now());
  ASSERT_TRUE(pool_.done(id));
  first_.short_of_memory = false;
  EXPECT_THROW((void)pool_.collect(id), std::bad_alloc);
  EXPECT_TRUE(first_.gone);
}

// By a look at connections that were silent it is undone, and those behind it move up.
TEST_F(FailedOperation, ThatIsLetGoOfInTheMiddleOfATurnLeavesTheOthersTheirTime) {
  LockManager locks(pool_, {parse_server("s0")}, {});
  pool_.run(locks.begin_check(Resource("r"), Token("t")));
  const NodeList nodes{pool_.node(parse_server("s0").endpoint, kTimeoutDefault)};
  const OperationId failing = begin(first_);
  (void)begin(second_, nodes);
  first_.short_of_memory = true;
  pool_.collect(failing);
  clock_.advance(kIdleLook);
  second_.due = clock_.now();
  int waits = 0;
  transport_.before_wait = [&] { first_.short_of_memory = ++waits < 2; };
  pool_.step(clock_.now());
  transport_.before_wait = nullptr;
  EXPECT_TRUE(first_.gone);
  for (int turn = 0; turn < 2; ++turn) pool_.step(clock_.now());
  EXPECT_EQ(second_.times_due, 1);
}

class MemoryThatRunsOutAsAServerIsAsked : public FailedOperation {
 protected:
  LockManager locks_{pool_, {parse_server("s0"), parse_server("s1"), parse_server("s2")}, {}};
};

// Though the others would do.
TEST_F(MemoryThatRunsOutAsAServerIsAsked, IsToldAndUndoesTheCall) {
  const auto lock = [&](const std::string& resource) {
    return locks_.begin_lock(Resource(resource), Duration::seconds(10));
  };
  pool_.run(lock("connects"));
  transport_.drop_connections(transport_.server("s2:6379"));
  clock_.advance(kIdleLook);
  transport_.short_of_memory = true;
  EXPECT_THROW((void)lock("r"), std::bad_alloc);
  transport_.short_of_memory = false;
  pool_.step(clock_.now());
  for (const char* name : {"s0:6379", "s1:6379", "s2:6379"}) {
    EXPECT_FALSE(transport_.server(name).keys.contains("r")) << name;
  }
  EXPECT_EQ(pool_.run(lock("r")).decision, Decision::granted);
}

// Or nobody would ever read it, nor close it.
TEST(MemoryThatRunsOutAsAConnectionIsOpened, LeavesNoneThatIsNotLookedAfter) {
  std::size_t opened = 0;
  bool happened = true;
  for (std::size_t n = 0; happened; ++n) {
    SCOPED_TRACE(n);
    test::FakeClock clock;
    test::SeededEntropy entropy;
    test::FrugalTransport transport{clock};
    Pool pool{transport, clock, entropy};
    LockManager alone(pool, {parse_server("s0")}, {});
    LockManager locks(pool, {parse_server("s0"), parse_server("s1")}, {});
    // Many removals are carried to the first connection, and go there before the lock.
    transport.server("s0:6379").reach = test::FakeServer::Reach::refuses;
    for (int i = 0; i < 20; ++i) {
      pool.run(alone.begin_unlock(Resource("r"), Token(std::to_string(i))));
    }
    transport.server("s0:6379").reach = test::FakeServer::Reach::accepts;
    clock.advance(kBackoffMax);
    const test::Tried tried = test::try_without(n, test::Shortage::lasting, [&] {
      (void)locks.begin_lock(Resource("r"), Duration::seconds(10));
    });
    happened = tried.happened;
    EXPECT_EQ(pool.connection_count(), transport.open_count());
    if (tried.threw) opened += transport.open_count();
  }
  EXPECT_GT(opened, 0U);
}

// What was left closing is closed before the server is asked again.
TEST(MemoryThatRunsOutAsAConnectionIsClosed, CostsTheNextCallNothing) {
  test::FakeClock clock;
  test::SeededEntropy entropy;
  test::FrugalTransport transport{clock};
  Pool pool{transport, clock, entropy};
  LockOptions once;
  once.retry = RetryPolicy::exact(1, Duration());
  LockManager locks(pool, {parse_server("s0")}, once);
  const auto lock = [&] {
    return pool.run(locks.begin_lock(Resource("r"), Duration::seconds(10)));
  };
  const Outcome taken = lock();
  transport.server("s0:6379").stopped = true;
  (void)locks.begin_unlock(Resource("r"), taken.token);
  clock.advance(kTimeoutDefault);
  {
    const test::FailingAllocations failing(0, test::Shortage::lasting);
    pool.step(clock.now());
  }
  ASSERT_EQ(pool.connection_count(), 1U);
  ASSERT_EQ(transport.open_count(), 1U);
  transport.resume(transport.server("s0:6379"));
  EXPECT_EQ(lock().decision, Decision::granted);
}

}  // namespace
}  // namespace redlock::operation_driver_test
