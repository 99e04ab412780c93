// Memory that runs out while leases are kept costs no lease and no vote, and leaves nothing behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "redlock/lease/renewal_scheduler.hpp"
#include "support/frugal_transport.hpp"
#include "support/kept_lease.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::renewal_scheduler_shortage_test {
namespace {

using test::FailingAllocations;
using test::Shortage;

constexpr Duration kTtl = Duration::ms(3'000);
// More than any of the scenes makes.
constexpr std::size_t kAllocationsMax = 2'000;

// Three servers, and a renewal thread's loop.
struct World {
  test::FakeClock clock;
  test::SeededEntropy entropy;
  test::FrugalTransport network{clock};
  Pool pool{network, clock, entropy};
  std::shared_ptr<const LockPlan> plan = std::make_shared<const LockPlan>(
      std::vector{parse_server("s0"), parse_server("s1"), parse_server("s2")}, LockOptions());
  LockManager locks{pool, plan};
  RenewalScheduler scheduler{pool};

  test::FakeServer& server(std::size_t i) {
    return network.server("s" + std::to_string(i) + ":6379");
  }
  KeptLease take(const std::string& resource) {
    const Instant taken_at = clock.now();
    const Outcome taken = pool.run(locks.begin_lock(Resource(resource), kTtl));
    return test::kept_lease(plan, resource, taken, taken_at, {kTtl, Duration::seconds(3'600)});
  }
  void keep_until(Instant until) {
    while (clock.now() < until) {
      try {
        scheduler.drive(clock.now());
        pool.step(std::min(until, scheduler.next_event().value_or(until)));
      } catch (const std::bad_alloc&) {
        clock.advance(Duration::ms(10));
      }
    }
  }
  bool live(const KeptLease& lease) { return lease.lease_deadline->left(clock.now()) > Duration(); }
};

class ShortOfMemoryRenewal : public testing::TestWithParam<Shortage> {
 protected:
  // Fails every allocation of `scene` in turn, which is not told of it; then `afterwards`, with
  // memory.
  static void run_short(const std::function<void(World&, const KeptLease&)>& scene,
                        const std::function<void(World&, const KeptLease&)>& afterwards) {
    for (std::size_t n = 0; n < kAllocationsMax; ++n) {
      SCOPED_TRACE("allocation " + std::to_string(n));
      World world;
      const KeptLease lease = world.take("r");
      bool happened = false;
      {
        const FailingAllocations failing(n, GetParam());
        scene(world, lease);
        happened = failing.happened();
      }
      afterwards(world, lease);
      if (HasFailure() || !happened) return;
    }
    FAIL() << "it never passed";
  }
};
INSTANTIATE_TEST_SUITE_P(Once, ShortOfMemoryRenewal, testing::Values(Shortage::once));
INSTANTIATE_TEST_SUITE_P(Lasting, ShortOfMemoryRenewal, testing::Values(Shortage::lasting));

TEST_P(ShortOfMemoryRenewal, ALeaseThatIsNotKeptCanBeTriedAgain) {
  bool kept = false;
  run_short(
      [&](World& world, const KeptLease& lease) {
        kept = true;
        try {
          world.scheduler.keep(lease);
        } catch (const std::bad_alloc&) {
          kept = false;
        }
      },
      [&](World& world, const KeptLease& lease) {
        EXPECT_EQ(world.scheduler.size(), kept ? 1U : 0U);
        EXPECT_EQ(world.scheduler.next_event().has_value(), kept);
        if (!kept) world.scheduler.keep(lease);
        world.keep_until(world.clock.now() + kTtl * 2);
        EXPECT_TRUE(world.live(lease));
      });
}

TEST_P(ShortOfMemoryRenewal, ALeaseThatIsGivenNewTermsIsKeptByTheOldOnesOrTheNew) {
  run_short(
      [](World& world, const KeptLease& lease) {
        {
          const test::WithMemory memory;
          world.scheduler.keep(lease);
        }
        try {
          world.scheduler.keep(lease);
        } catch (const std::bad_alloc&) {
        }
      },
      [](World& world, const KeptLease& lease) {
        EXPECT_EQ(world.scheduler.size(), 1U);
        world.keep_until(world.clock.now() + kTtl * 2);
        EXPECT_TRUE(world.live(lease));
      });
}

// It is due behind a second, and its third vote is repaired again.
TEST_P(ShortOfMemoryRenewal, AnExtendThatCannotBeBegunOrReadIsTriedAgain) {
  run_short(
      [](World& world, const KeptLease& lease) {
        {
          const test::WithMemory memory;
          world.scheduler.keep(lease);
          world.server(2).keys.clear();
        }
        world.keep_until(lease.taken_at + Duration::ms(1'500));
      },
      [](World& world, const KeptLease& lease) {
        world.keep_until(world.clock.now() + kTtl * 2);
        EXPECT_TRUE(world.live(lease));
        EXPECT_EQ(world.server(2).keys.count("r"), 1U);
      });
}

// What a lease takes of the room that its plan's leases share, it gives back.
TEST_P(ShortOfMemoryRenewal, ALeaseThatIsStoppedLeavesRoomToOthers) {
  std::optional<KeptLease> other;
  run_short(
      [&](World& world, const KeptLease& lease) {
        {
          const test::WithMemory memory;
          world.scheduler.keep(lease);
          world.clock.advance_to(lease.taken_at + Duration::ms(1'100));
          other = world.take("other");
          world.scheduler.keep(*other);
        }
        world.scheduler.drive(world.clock.now());
        lease.lease_deadline->end();
        world.scheduler.stop(*lease.lease_deadline);
      },
      [&](World& world, const KeptLease&) {
        world.keep_until(world.clock.now() + kTtl * 2);
        EXPECT_TRUE(world.live(*other));
      });
}

}  // namespace
}  // namespace redlock::renewal_scheduler_shortage_test
