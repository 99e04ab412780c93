// Memory or randomness that runs out anywhere in a call costs that call, and nothing else: the
// pool goes on working, and no key is left behind.
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "redlock/lease/held_lock.hpp"
#include "redlock/locks/lock_manager.hpp"
#include "support/frugal_transport.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::shortage_test {
namespace {

using test::FailingAllocations;
using test::Shortage;
using test::WithMemory;

constexpr std::size_t kServers = 3;
// More than any of the calls makes.
constexpr std::size_t kAllocationsMax = 5'000;

// Random bytes, of which the n-th asking gets none.
class DryEntropy final : public Entropy {
 public:
  void fill(std::span<std::byte> bytes) override {
    if (left && (*left)-- == 0) {
      left.reset();
      ran_dry = true;
      throw std::runtime_error("no random bytes");
    }
    seeded_.fill(bytes);
  }
  std::optional<std::size_t> left;
  bool ran_dry = false;

 private:
  test::SeededEntropy seeded_;
};

struct World {
  test::FakeClock clock;
  DryEntropy entropy;
  test::FrugalTransport network{clock};
  Pool pool{network, clock, entropy};

  test::FakeServer& server(std::size_t i) {
    return network.server("s" + std::to_string(i) + ":6379");
  }
  LockManager manager(const std::string& database = "") {
    std::vector<ServerSpec> servers;
    for (std::size_t i = 0; i < kServers; ++i) {
      servers.push_back(parse_server("redis://s" + std::to_string(i) + database));
    }
    LockOptions options;
    options.retry = RetryPolicy::jittered(2, 20);
    return {pool, servers, options};
  }
  std::size_t left_behind(const std::string& key) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < kServers; ++i) count += server(i).keys.count(key);
    return count;
  }
};

// What is done while something runs out; it leaves nothing behind when all goes well.
using Scene = std::function<void(World&, LockManager&)>;

Outcome lock(World& world, LockManager& locks, const std::string& resource = "r") {
  return world.pool.run(locks.begin_lock(Resource(resource), Duration::ms(10'000)));
}

// Unlocks what was given. It may fail for want of memory too: then once more with some.
void give_back(World& world, LockManager& locks, const Outcome& taken) {
  if (taken.decision != Decision::granted) return;
  const auto unlock = [&] {
    static_cast<void>(world.pool.run(locks.begin_unlock(Resource("r"), taken.token)));
  };
  try {
    unlock();
  } catch (const std::bad_alloc&) {
    const WithMemory memory;
    unlock();
  }
}

void lock_and_unlock(World& world, LockManager& locks) {
  give_back(world, locks, lock(world, locks));
}

void expect_sane_afterwards(World& world, LockManager& locks) {
  // Every back-off is over, and every answer overdue.
  for (int i = 0; i < 3; ++i) {
    world.clock.advance(Duration::seconds(1));
    const Outcome other = lock(world, locks, "other");
    EXPECT_EQ(other.decision, Decision::granted);
    EXPECT_EQ(world.pool.run(locks.begin_unlock(Resource("other"), other.token)).decision,
              Decision::granted);
  }
  for (const char* key : {"r", "q", "p", "other"}) EXPECT_EQ(world.left_behind(key), 0U) << key;
  world.pool.close_all();
  EXPECT_EQ(world.network.open_count(), 0U);
}

// Fails every allocation in turn.
void run_short(const Scene& prepare, const Scene& scene, Shortage shortage,
               const std::string& database = "") {
  for (std::size_t n = 0; n < kAllocationsMax; ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    World world;
    LockManager locks = world.manager(database);
    prepare(world, locks);
    bool happened = false;
    {
      const FailingAllocations failing(n, shortage);
      try {
        scene(world, locks);
      } catch (const std::bad_alloc&) {
      }
      happened = failing.happened();
    }
    for (std::size_t i = 0; i < kServers; ++i) {
      world.network.resume(world.server(i));
      world.server(i).say = nullptr;
      world.server(i).reach = test::FakeServer::Reach::accepts;
      world.server(i).connect_time = Duration();
    }
    expect_sane_afterwards(world, locks);
    if (testing::Test::HasFailure() || !happened) return;
  }
  FAIL() << "it never passed";
}

void nothing(World& /*world*/, LockManager& /*locks*/) {}

class ShortOfMemory : public testing::TestWithParam<Shortage> {};
INSTANTIATE_TEST_SUITE_P(Once, ShortOfMemory, testing::Values(Shortage::once));
INSTANTIATE_TEST_SUITE_P(Lasting, ShortOfMemory, testing::Values(Shortage::lasting));

TEST_P(ShortOfMemory, AFirstCallCostsOnlyItself) {
  run_short(nothing, lock_and_unlock, GetParam());
}

TEST_P(ShortOfMemory, ACallOnOpenConnectionsCostsOnlyItself) {
  run_short([](World& world, LockManager& locks) { lock_and_unlock(world, locks); },
            lock_and_unlock, GetParam());
}

TEST_P(ShortOfMemory, ACallBehindAHandshakeCostsOnlyItself) {
  run_short(nothing, lock_and_unlock, GetParam(), "/5");
}

TEST_P(ShortOfMemory, ACallWithAStoppedServerCostsOnlyItself) {
  run_short([](World& world, LockManager&) { world.server(1).stopped = true; }, lock_and_unlock,
            GetParam());
}

TEST_P(ShortOfMemory, ACallThatSparesAServerCostsOnlyItself) {
  run_short(
      [](World& world, LockManager& locks) {
        world.server(1).reach = test::FakeServer::Reach::refuses;
        lock_and_unlock(world, locks);
        // While it is backed off from.
        world.server(1).reach = test::FakeServer::Reach::accepts;
      },
      lock_and_unlock, GetParam());
}

// What a release was told is true of every server, also where it has to be said again as text.
TEST_P(ShortOfMemory, AReleaseThatAServerDoesNotKnowByItsSha1IsNotLost) {
  Outcome taken;
  run_short(
      [&taken](World& world, LockManager& locks) {
        lock_and_unlock(world, locks);
        taken = lock(world, locks);
        for (std::size_t i = 0; i < kServers; ++i) world.server(i).known_scripts.clear();
      },
      [&taken](World& world, LockManager& locks) { give_back(world, locks, taken); }, GetParam());
}

TEST_P(ShortOfMemory, AnAttemptThatIsLostIsUndone) {
  run_short(
      [](World& world, LockManager&) {
        world.server(0).stopped = true;
        world.server(1).reach = test::FakeServer::Reach::refuses;
      },
      lock_and_unlock, GetParam());
}

TEST_P(ShortOfMemory, ABrokenConnectionCostsOnlyItsCall) {
  run_short([](World& world, LockManager& locks) { lock_and_unlock(world, locks); },
            [](World& world, LockManager& locks) {
              const OperationId id = locks.begin_lock(Resource("r"), Duration::ms(10'000));
              {
                const WithMemory memory;
                world.network.drop_connections(world.server(0));
                world.network.drop_connections(world.server(1));
              }
              give_back(world, locks, world.pool.run(id));
            },
            GetParam());
}

TEST_P(ShortOfMemory, ACallThatIsGivenUpIsUndone) {
  run_short([](World& world, LockManager&) { world.server(0).answer_time = Duration::ms(20); },
            [](World& world, LockManager& locks) {
              const OperationId id = locks.begin_lock(Resource("r"), Duration::ms(10'000));
              give_back(world, locks, world.pool.collect(id));
            },
            GetParam());
}

// Both wait unsent on the same connections, and are dropped from them together.
TEST_P(ShortOfMemory, CallsSideBySideCostOnlyThemselves) {
  run_short(
      [](World& world, LockManager&) {
        world.server(1).connect_time = world.server(2).connect_time = kConnectTimeoutDefault * 2;
      },
      [](World& world, LockManager& locks) {
        std::vector<OperationId> begun;
        std::exception_ptr failure;
        const auto or_fail = [&](auto act) {
          try {
            act();
          } catch (const std::bad_alloc&) {
            failure = std::current_exception();
          }
        };
        {
          const WithMemory memory;
          begun.reserve(3);
        }
        for (const char* name : {"r", "q", "p"}) {
          or_fail([&] { begun.push_back(locks.begin_lock(Resource(name), Duration::ms(10'000))); });
        }
        for (const OperationId id : begun) {
          or_fail([&] { EXPECT_EQ(world.pool.run(id).decision, Decision::unreachable); });
        }
        if (failure) std::rethrow_exception(failure);
      },
      GetParam());
}

TEST_P(ShortOfMemory, APoolThatEndsDoesNotEndTheProcess) {
  for (std::size_t n = 0; n < kAllocationsMax; ++n) {
    bool happened = false;
    {
      World world;
      LockManager locks = world.manager();
      static_cast<void>(locks.begin_lock(Resource("r"), Duration::ms(10'000)));
      auto pool_of_its_own = std::make_unique<Pool>(world.network, world.clock, world.entropy);
      LockManager others(*pool_of_its_own, {parse_server("s0"), parse_server("s1")}, {});
      world.server(0).stopped = world.server(1).stopped = true;
      static_cast<void>(others.begin_lock(Resource("mine"), Duration::ms(10'000)));
      const FailingAllocations failing(n, GetParam());
      pool_of_its_own.reset();
      happened = failing.happened();
      // Where memory is back, it still ends in good order.
      if (GetParam() == Shortage::once) {
        EXPECT_EQ(world.network.open_count(), kServers) << "allocation " << n;
      }
    }
    if (!happened) return;
  }
  FAIL() << "it never passed";
}

TEST(ShortOfRandomness, AnywhereInACallCostsOnlyItself) {
  for (std::size_t n = 0; n < 100; ++n) {
    World world;
    LockManager locks = world.manager();
    world.server(0).keys["r"] = world.server(1).keys["r"] = "somebody else's";
    world.entropy.left = n;
    std::string said;
    try {
      EXPECT_EQ(lock(world, locks).decision, Decision::denied);
    } catch (const std::runtime_error& error) {
      said = error.what();
    }
    world.entropy.left.reset();
    EXPECT_EQ(said, world.entropy.ran_dry ? "no random bytes" : "") << n;
    world.server(0).keys.clear();
    world.server(1).keys.clear();
    expect_sane_afterwards(world, locks);
    if (!world.entropy.ran_dry) return;
  }
  FAIL() << "it never passed";
}

TEST(ShortOfMemory, TellsTheOwnerAndNobodyElse) {
  World world;
  LockManager locks = world.manager();
  world.server(0).keys["r"] = world.server(1).keys["r"] = "somebody else's";
  // Denied at first, it draws a pause, for which there are no random bytes.
  const OperationId one = locks.begin_lock(Resource("r"), Duration::ms(10'000));
  world.entropy.left = 0;
  const OperationId check = locks.begin_check(Resource("x"), Token("t"));
  EXPECT_EQ(world.pool.run(check).decision, Decision::denied);
  while (!world.pool.done(one)) world.pool.step(Instant::never());
  EXPECT_THROW(static_cast<void>(world.pool.collect(one)), std::runtime_error);
}

// A lock that is held in a world.
struct HeldInWorld {
  AsyncReleases releases;
  ReleaseOutbox outbox;
  RenewalThread renewal;
  HeldLock lock;
  Token before;
  bool begun = false;

  HeldInWorld(World& world, LockManager& locks)
      : outbox(locks, releases),
        lock({locks, outbox, renewal}, Resource("r"), Duration::ms(10'000)) {
    Outcome granted = shortage_test::lock(world, locks);
    before = granted.token;
    lock.begin(std::move(granted.token), granted.decided_at + granted.validity);
  }
  OperationId begin_rotation() {
    lock.prepare_rotation(Duration::ms(500));
    lock.take_next_token();
    const OperationId id = lock.begin_rotation();
    begun = true;
    return id;
  }
};

// Its owner gives it back by the token that it has: the fresh one where its rotation has begun.
TEST_P(ShortOfMemory, ALockThatIsRotatedLeavesNeitherTokenBehind) {
  std::optional<HeldInWorld> held;
  run_short([&](World& world, LockManager& locks) { held.emplace(world, locks); },
            [&](World& world, LockManager&) {
              bool over = false;
              try {
                const OperationId id = held->begin_rotation();
                world.pool.run_until_done(id);
                static_cast<void>(held->lock.collect_rotation(id));
              } catch (const std::bad_alloc&) {
                over = held->lock.left() == Duration();
              }
              EXPECT_EQ(held->lock.token() == held->before, !held->begun);
              // Where there is memory for it, it has been given back already.
              if (over && GetParam() == Shortage::once) return;
              const WithMemory memory;
              held->lock.end(HeldLock::End::released);
              held->lock.send_release();
            },
            GetParam());
}

TEST(ShortOfMemoryOnce, ARotationThatFailedByItIsLostAndItsCallerIsTold) {
  std::size_t told = 0;
  for (std::size_t n = 0; n < kAllocationsMax; ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    World world;
    LockManager locks = world.manager();
    HeldInWorld held(world, locks);
    const OperationId id = held.begin_rotation();
    const bool happened =
        test::try_without(n, Shortage::once, [&] { world.pool.run_until_done(id); }).happened;
    try {
      static_cast<void>(held.lock.collect_rotation(id));
    } catch (const std::bad_alloc&) {
      ++told;
      EXPECT_EQ(held.lock.left(), Duration());
    }
    if (!happened) break;
  }
  EXPECT_GT(told, 0U);
}

}  // namespace
}  // namespace redlock::shortage_test
