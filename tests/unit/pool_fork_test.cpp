// What a child makes of the pool it was born with: nothing there is its own.
#include <gtest/gtest.h>

#include "redlock/locks/stamp_lock_manager.hpp"
#include "support/child.hpp"
#include "support/fake_world.hpp"
#include "support/system_calls.hpp"

namespace redlock::pool_fork_test {
namespace {

using test::exit_status_of_child;

class Rule08TheChildsPool : public test::FakeWorld {
 protected:
  Rule08TheChildsPool() { calls_.process_id = 1; }

  // Decided in the middle of somebody's waiting: by a handler that used locks itself.
  OperationId decided_lock() {
    const OperationId id = locks_.begin_lock(Resource("r"), Duration::ms(10'000));
    while (!pool_.done(id)) pool_.step(Instant::never());
    return id;
  }
  std::size_t requests() {
    std::size_t count = 0;
    for (std::size_t i = 0; i < 3; ++i) count += server(i).log.size();
    return count;
  }

  // In nested PID namespaces both may be process 1.
  test::SystemCalls calls_;
  LockManager locks_ = manager(3);
};

TEST_F(Rule08TheChildsPool, GivesNoLockThatTheParentWon) {
  const OperationId id = decided_lock();
  EXPECT_EQ(exit_status_of_child([&] { return pool_.collect(id).decision == Decision::aborted; }),
            0);
  EXPECT_EQ(pool_.collect(id).decision, Decision::granted);
}

TEST_F(Rule08TheChildsPool, GivesNoLockThatTheParentWonAndTheChildAskedFor) {
  const OperationId id = decided_lock();
  EXPECT_EQ(exit_status_of_child(
                [&] { return pool_.done(id) && pool_.collect(id).decision == Decision::aborted; }),
            0);
}

TEST_F(Rule08TheChildsPool, UndoesNothingOfAnUndecidedCall) {
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(10);
  const OperationId id = locks_.begin_lock(Resource("r"), Duration::ms(10'000));
  pool_.step(clock_.now());
  EXPECT_EQ(exit_status_of_child([&] {
              const std::size_t before = requests();
              const bool done = pool_.done(id);
              return done && pool_.collect(id).decision == Decision::aborted &&
                     requests() == before;
            }),
            0);
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
}

TEST_F(Rule08TheChildsPool, HasNoConnectionsAndNothingToWaitFor) {
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(10);
  static_cast<void>(locks_.begin_lock(Resource("r"), Duration::ms(10'000)));
  EXPECT_TRUE(pool_.next_deadline());
  pool_.step(clock_.now());
  EXPECT_EQ(exit_status_of_child([&] { return !pool_.next_deadline(); }), 0);
  EXPECT_EQ(exit_status_of_child([&] { return pool_.connection_count() == 0; }), 0);
  EXPECT_EQ(exit_status_of_child([&] {
              const Duration long_after = Duration::seconds(1);
              return time_of([&] { pool_.step(clock_.now() + long_after); }) == long_after;
            }),
            0);
  EXPECT_EQ(exit_status_of_child([&] {
              static_cast<void>(pool_.node(parse_server("elsewhere").endpoint, kTimeoutDefault));
              return transport_.open_count() == 0;
            }),
            0);
}

TEST_F(Rule08TheChildsPool, IsCalledByNobody) {
  EXPECT_EQ(exit_status_of_child([&] {
              static_cast<void>(locks_.begin_lock(Resource("r"), Duration::ms(10'000)));
              return pool_.step(Instant::never()) == Woken::ready;
            }),
            0);
}

TEST_F(Rule08TheChildsPool, HoldsNothingBackThoughItsParentDoes) {
  const Pool::Batch together(pool_);
  EXPECT_EQ(exit_status_of_child([&] {
              lock(locks_);
              const std::size_t before = requests();
              static_cast<void>(locks_.begin_check(Resource("r"), Token("t")));
              return requests() == before + 3;
            }),
            0);
}

TEST_F(Rule08TheChildsPool, SendsNothingWhenItEnds) {
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(10);
  static_cast<void>(locks_.begin_lock(Resource("r"), Duration::ms(10'000)));
  EXPECT_EQ(exit_status_of_child([&] {
              const std::size_t before = requests();
              pool_.close_all();
              return requests() == before && transport_.open_count() == 0;
            }),
            0);
  EXPECT_EQ(exit_status_of_child([&] {
              const std::size_t before = requests();
              pool_.abort_all();
              return requests() == before && transport_.open_count() == 0;
            }),
            0);
  EXPECT_EQ(exit_status_of_child([&] {
              const std::size_t before = requests();
              pool_.close_idle(Duration());
              return requests() == before && transport_.open_count() == 0;
            }),
            0);
}

TEST_F(Rule08TheChildsPool, CarriesNoRemovalsOfItsParent) {
  LockManager alone = manager(1);
  const Outcome taken = lock(alone);
  transport_.drop_connections(server(0));
  server(0).reach = test::FakeServer::Reach::refuses;
  unlock(alone, taken.token);
  server(0).reach = test::FakeServer::Reach::accepts;
  ASSERT_EQ(server(0).keys.count("r"), 1U) << "the removal is still to be sent";
  EXPECT_EQ(exit_status_of_child([&] {
              const Outcome other = lock(alone, "other");
              return other.decision == Decision::granted && server(0).keys.contains("r");
            }),
            0);
  clock_.advance(kBackoffMax);
  EXPECT_EQ(exit_status_of_child([&] {
              pool_.deliver();
              return server(0).keys.contains("r");
            }),
            0);
  clock_.advance(Duration::seconds(1));
  lock(alone, "other");
  EXPECT_EQ(server(0).keys.count("r"), 0U) << "the parent sends it";
}

TEST_F(Rule08TheChildsPool, RepeatsNoRemovalThatItsParentsServerRefused) {
  LockManager alone = manager(1);
  server(0).keys["r"] = "t";
  server(0).say = [](const test::Arguments&) { return "-LOADING it loads\r\n"; };
  unlock(alone, Token("t"));
  server(0).say = nullptr;
  ASSERT_EQ(server(0).keys.count("r"), 1U) << "the removal is still to be repeated";
  clock_.advance(Duration::seconds(1));
  const auto is_left_alone = [&] {
    lock(alone, "other");
    lock(alone, "another");
    step_for(Duration::ms(1));
    return server(0).keys.contains("r");
  };
  EXPECT_EQ(exit_status_of_child(is_left_alone), 0);
  EXPECT_FALSE(is_left_alone()) << "the parent repeats it";
}

TEST_F(Rule08TheChildsPool, BacksOffFromNoServerThatItsParentLost) {
  server(2).reach = test::FakeServer::Reach::refuses;
  lock(locks_);
  const auto free = [&] {
    return pool_.node(specs(3)[2].endpoint, kTimeoutDefault)->connected_or_free(clock_.now());
  };
  ASSERT_FALSE(free());
  EXPECT_EQ(exit_status_of_child(free), 0);
}

TEST_F(Rule08TheChildsPool, WaitsForAServerThatItsParentWaitedForInVain) {
  server(2).reach = test::FakeServer::Reach::vanishes;
  const auto deliver_a_removal = [&] {
    for (std::size_t i = 0; i < 3; ++i) server(i).keys["r"] = "t";
    unlock(locks_, Token("t"));
    return time_of([&] { pool_.deliver(); });
  };
  ASSERT_EQ(deliver_a_removal(), kTimeoutDefault);
  ASSERT_EQ(deliver_a_removal(), Duration());
  EXPECT_EQ(exit_status_of_child([&] { return deliver_a_removal() == kTimeoutDefault; }), 0);
}

TEST_F(Rule08TheChildsPool, HoldsNoneOfItsParentsStamps) {
  StampLedger ledger;
  const Resource key("k");
  const Instant now = clock_.now();
  const Instant end = now + Duration::seconds(10);
  ledger.write("s0", key, {Token("1.5"), now, end, end}, now);
  EXPECT_EQ(exit_status_of_child([&] { return ledger.find("s0", key) == nullptr; }), 0);
  EXPECT_EQ(exit_status_of_child([&] {
              ledger.write("s0", Resource("mine"), {Token("2.5"), now, end, end}, now);
              return ledger.find("s0", key) == nullptr &&
                     ledger.find("s0", Resource("mine")) != nullptr;
            }),
            0);
  EXPECT_NE(ledger.find("s0", key), nullptr);
}

// A child that was made by a handler of another library, in the middle of a wait.
class ForkingTransport final : public test::FakeTransport {
 public:
  using FakeTransport::FakeTransport;
  Woken wait(std::span<Interest> interests, Instant deadline) override {
    if (!fork_next_wait || waits_before_it-- > 0) return FakeTransport::wait(interests, deadline);
    fork_next_wait = false;
    child = fork();
    if (child != 0) waitpid(child, &status, 0);
    // As if everything had just come in.
    for (Interest& interest : interests) interest.readable = interest.writable = true;
    return Woken::interrupted;
  }
  IoResult receive(ConnectionId connection, std::span<char> into) override {
    if (child == 0) _exit(3);
    return FakeTransport::receive(connection, into);
  }
  IoResult send(ConnectionId connection, std::string_view bytes) override {
    if (child == 0) _exit(4);
    return FakeTransport::send(connection, bytes);
  }
  void close(ConnectionId connection) override {
    if (child == 0) _exit(5);
    FakeTransport::close(connection);
  }
  bool fork_next_wait = false;
  int waits_before_it = 0;
  pid_t child = -1;
  int status = -1;
};

class Rule08TheChildsReactor : public testing::Test {
 protected:
  Rule08TheChildsReactor() { calls_.process_id = 1; }
  static LockOptions once() {
    LockOptions options;
    options.retry = RetryPolicy::exact(1, Duration());
    return options;
  }
  OperationId begin_lock(const std::string& resource) {
    return locks_.begin_lock(Resource(resource), Duration::ms(10'000));
  }
  // Only the parent comes back.
  void expect_aborted_in_the_child(OperationId id) {
    if (transport_.child == 0) _exit(pool_.collect(id).decision == Decision::aborted ? 0 : 1);
    EXPECT_EQ(transport_.status, 0) << "1: not aborted, 3: it has read, 4: sent, 5: closed";
    EXPECT_EQ(pool_.run(id).decision, Decision::granted);
  }

  test::SystemCalls calls_;
  test::FakeClock clock_;
  test::SeededEntropy entropy_;
  ForkingTransport transport_{clock_};
  Pool pool_{transport_, clock_, entropy_};
  LockManager locks_{pool_, {parse_server("s0")}, once()};
};

TEST_F(Rule08TheChildsReactor, TouchesNothingBehindTheWaitInWhichItWasForked) {
  const OperationId id = begin_lock("r");
  transport_.fork_next_wait = true;
  pool_.step(clock_.now());
  expect_aborted_in_the_child(id);
}

TEST_F(Rule08TheChildsReactor, BeginsNothingWhereItWasForkedMeanwhile) {
  pool_.run(begin_lock("first"));
  clock_.advance(kIdleLook);
  transport_.fork_next_wait = true;
  expect_aborted_in_the_child(begin_lock("r"));
}

TEST_F(Rule08TheChildsReactor, ReplacesNothingWhereItWasForkedAsItLooked) {
  pool_.run(begin_lock("first"));
  clock_.advance(kIdleLimitDefault);
  transport_.fork_next_wait = true;
  expect_aborted_in_the_child(begin_lock("r"));
}

TEST_F(Rule08TheChildsReactor, SendsNothingWhereItWasForkedAsAnAttemptWasToBegin) {
  LockOptions twice = once();
  twice.retry = RetryPolicy::exact(2, Duration::ms(20));
  LockManager patient(pool_, {parse_server("s0")}, twice);
  transport_.server("s0:6379").keys["r"] = "somebody else's";
  const OperationId id = patient.begin_lock(Resource("r"), Duration::ms(10'000));
  pool_.step(Instant::never());
  pool_.step(Instant::never());
  clock_.advance(kIdleLook);
  transport_.send_room = 0;
  const OperationId unsent = begin_lock("unsent");
  transport_.fork_next_wait = true;
  // One until the pause is over, and one more look at the connection.
  transport_.waits_before_it = 1;
  pool_.step(Instant::never());
  ASSERT_NE(transport_.child, -1);
  if (transport_.child == 0) _exit(pool_.collect(id).decision == Decision::aborted ? 0 : 1);
  EXPECT_EQ(transport_.status, 0) << "1: not aborted, 3: it has read, 4: it has sent";
  (void)pool_.collect(id);
  (void)pool_.collect(unsent);
}

// To shut a socket down is to shut it down for both.
TEST_F(Rule08TheChildsReactor, ClosesNothingWhereItWasForkedInTheLastWait) {
  pool_.run(begin_lock("r"));
  transport_.fork_next_wait = true;
  pool_.close_all();
  if (transport_.child == 0) _exit(0);
  EXPECT_EQ(transport_.status, 0) << "4: it has sent, 5: it has closed";
}

}  // namespace
}  // namespace redlock::pool_fork_test
