// Memory that runs out while somebody listens costs at most what listens, and nothing hangs or
// spins behind it.
#include <gtest/gtest.h>

#include <utility>

#include "redlock/locks/lock_manager.hpp"
#include "support/frugal_transport.hpp"
#include "support/listening.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::listening_shortage_test {
namespace {

using test::FailingAllocations;
using test::Listening;
using test::Shortage;
using test::Told;
using test::WithMemory;

constexpr std::size_t kAllocationsMax = 5'000;

struct World {
  test::FakeClock clock;
  test::SeededEntropy entropy;
  test::FrugalTransport network{clock};
  Pool pool{network, clock, entropy};
  Told told;

  NodeList nodes() {
    NodeList nodes;
    for (const char* name : {"s0", "s1"}) {
      nodes.push_back(pool.node(parse_server(name).endpoint, kTimeoutDefault));
    }
    return nodes;
  }
  OperationId listen(Told& who, const std::string& token) {
    return pool.begin(std::make_unique<Listening>(who, 2, Token(token)), nodes());
  }
  void step_for(Duration span) {
    const Instant until = clock.now() + span;
    while (clock.now() < until) pool.step(until);
  }
};

class ShortOfMemoryListening : public testing::TestWithParam<Shortage> {};
INSTANTIATE_TEST_SUITE_P(Once, ShortOfMemoryListening, testing::Values(Shortage::once));
INSTANTIATE_TEST_SUITE_P(Lasting, ShortOfMemoryListening, testing::Values(Shortage::lasting));

// The scene may fail by std::bad_alloc; what comes behind it works.
template <class Scene>
void run_short(Scene scene, Shortage shortage) {
  for (std::size_t n = 0; n < kAllocationsMax; ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    World world;
    bool happened = false;
    {
      const FailingAllocations failing(n, shortage);
      try {
        scene(world);
      } catch (const std::bad_alloc&) {
      }
      happened = failing.happened();
    }
    world.pool.abort_all();
    world.told = Told();
    const OperationId id = world.listen(world.told, "late");
    world.step_for(Duration::seconds(1));
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NE(world.told.channel(i), "");
      auto& server = world.network.server("s" + std::to_string(i) + ":6379");
      EXPECT_EQ(world.network.channels(server).size(), 1U);
      world.network.publish(server, world.told.channel(i), "granted 1 late");
    }
    world.step_for(Duration::ms(1));
    EXPECT_EQ(world.told.pushes.size(), 2U);
    world.pool.collect(id);
    world.pool.close_all();
    EXPECT_EQ(world.network.open_count(), 0U);
    if (testing::Test::HasFailure() || !happened) return;
  }
  FAIL() << "it never passed";
}

TEST_P(ShortOfMemoryListening, BeginningToListenCostsNothingElse) {
  run_short(
      [](World& world) {
        static_cast<void>(world.listen(world.told, "tok"));
        world.step_for(Duration::ms(5));
      },
      GetParam());
}

TEST_P(ShortOfMemoryListening, HearingCostsNothingElse) {
  run_short(
      [](World& world) {
        {
          const WithMemory memory;
          static_cast<void>(world.listen(world.told, "tok"));
          world.step_for(Duration::ms(5));
          for (std::size_t i = 0; i < 2; ++i) {
            auto& server = world.network.server("s" + std::to_string(i) + ":6379");
            world.network.publish(server, world.told.channel(i), "granted 1 tok");
            world.network.publish(server, world.told.channel(i), "granted 1 nobody's");
            world.network.drop_connections(server);
          }
        }
        world.step_for(Duration::ms(50));
      },
      GetParam());
}

TEST_P(ShortOfMemoryListening, ASignOfLifeCostsNothingElse) {
  run_short(
      [](World& world) {
        {
          const WithMemory memory;
          static_cast<void>(world.listen(world.told, "tok"));
          world.step_for(Duration::ms(5));
        }
        world.step_for(kHeartbeat + Duration::ms(100));
      },
      GetParam());
}

TEST_P(ShortOfMemoryListening, GivingUpAndEndingCostsNothingElse) {
  run_short(
      [](World& world) {
        OperationId id = 0;
        {
          const WithMemory memory;
          id = world.listen(world.told, "tok");
          world.step_for(Duration::ms(5));
        }
        static_cast<void>(world.pool.collect(id));
        {
          const WithMemory memory;
          auto& server = world.network.server("s0:6379");
          world.network.publish(server, world.told.channel(0), "granted 1 tok");
        }
        world.pool.deliver();
        world.pool.close_idle(Duration());
      },
      GetParam());
}

}  // namespace
}  // namespace redlock::listening_shortage_test
