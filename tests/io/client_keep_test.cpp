// Leases that C++ users keep alive, on real servers.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <atomic>
#include <optional>
#include <system_error>

#include "io/support/descriptors.hpp"
#include "io/support/fleet.hpp"
#include "redlock/redlock.hpp"
#include "support/child.hpp"

namespace redlock::client_keep_test {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::exit_status_of_child;
using test::Fleet;
using test::open_descriptors;

constexpr auto kTtl = 2s;

class ClientKeepsBesideTwoThreads : public Fleet {
 protected:
  static std::vector<std::string> addresses() {
    return {server(0).address(), server(1).address(), server(2).address()};
  }
  // Longer than all that a test may wait for.
  static constexpr auto kMax = 1h;

  Lease take(const std::string& resource = "r") {
    Result lease = client_.try_lock(resource, kTtl);
    EXPECT_TRUE(lease) << to_string(lease.refusal());
    return *std::move(lease);
  }
  // What is left grows: somebody has extended it.
  static bool extended(const Lease& lease) {
    std::chrono::milliseconds before = lease.remaining();
    return eventually([&] {
      const auto left = lease.remaining();
      return left > std::exchange(before, left);
    });
  }
  static bool lost(const KeepAlive& kept) {
    return eventually([&] { return kept.lost().stop_requested(); });
  }

  Client client_{addresses(), {.timeout = 5s}};
};

TEST_F(ClientKeepsBesideTwoThreads, ALeaseThatGoesWithItsScopeIsNeitherExtendedNorToldAsLost) {
  std::optional<Lease> lease(take());
  const KeepAlive kept = lease->keep_alive(kMax);
  lease.reset();
  Lease later = take("later");
  const KeepAlive also = later.keep_alive(kMax);
  EXPECT_TRUE(extended(later));
  EXPECT_TRUE(extended(later));
  EXPECT_FALSE(kept.lost().stop_requested());
}

TEST_F(ClientKeepsBesideTwoThreads, ALeaseIsExtendedWhileItsOwnerDoesNothing) {
  Lease lease = take();
  const KeepAlive kept = lease.keep_alive(kMax);
  EXPECT_TRUE(extended(lease));
  EXPECT_TRUE(extended(lease));
  EXPECT_FALSE(kept.lost().stop_requested());
  EXPECT_TRUE(lease.release());
}

TEST_F(ClientKeepsBesideTwoThreads, ALeaseThatIsKeptNoMoreIsOursUntilItsTimeIsOver) {
  Lease lease = take();
  const auto ends = [&] { return std::chrono::steady_clock::now() + lease.remaining(); };
  const auto before = ends();
  std::stop_token lost;
  {
    const KeepAlive kept = lease.keep_alive(kMax);
    ASSERT_TRUE(extended(lease));
    lost = kept.lost();
  }
  EXPECT_TRUE(lease.confirm());
  EXPECT_GT(ends(), before + 250ms);
  EXPECT_TRUE(eventually([&] { return !lease.live(); }));
  EXPECT_FALSE(lost.stop_requested());
}

TEST_F(ClientKeepsBesideTwoThreads, ALeaseCanBeKeptAgain) {
  Lease lease = take();
  for (int i = 0; i < 3; ++i) {
    const KeepAlive kept = lease.keep_alive(kMax);
    EXPECT_TRUE(extended(lease));
  }
  EXPECT_TRUE(lease.release());
}

TEST_F(ClientKeepsBesideTwoThreads, OneLeaseIsKeptOnceAtATime) {
  Lease lease = take();
  const KeepAlive kept = lease.keep_alive(kMax);
  EXPECT_THROW((void)lease.keep_alive(kMax), std::logic_error);
  EXPECT_TRUE(extended(lease));
}

TEST_F(ClientKeepsBesideTwoThreads, ALeaseThatSomebodyTookAwayIsLost) {
  Lease lease = take();
  const KeepAlive kept = lease.keep_alive(kMax);
  std::atomic<bool> called = false;
  const std::stop_callback tell(kept.lost(), [&called] { called = true; });
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"SET", "r", "somebody else's"});
  EXPECT_TRUE(lost(kept));
  EXPECT_TRUE(eventually([&] { return called.load(); }));
  EXPECT_FALSE(lease.live());
  EXPECT_FALSE(lease.release());
  EXPECT_EQ(server(0).say({"GET", "r"}), "somebody else's");
}

TEST_F(ClientKeepsBesideTwoThreads, WhatTheOwnerLearnsFirstTheTokenTellsToo) {
  Lease lease = take();
  const KeepAlive kept = lease.keep_alive(kMax);
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"DEL", "r"});
  EXPECT_FALSE(lease.confirm());
  EXPECT_TRUE(kept.lost().stop_requested());
}

TEST_F(ClientKeepsBesideTwoThreads, AMajorityThatStandsStillIsLossWhenTheTrustEnds) {
  Lease lease = take();
  const KeepAlive kept = lease.keep_alive(kMax);
  server(0).stop();
  server(1).stop();
  EXPECT_TRUE(lost(kept));
  EXPECT_FALSE(lease.live());
  server(0).go_on();
  server(1).go_on();
}

TEST_F(ClientKeepsBesideTwoThreads, AMinorityThatIsDownCostsNothing) {
  Lease lease = take();
  const KeepAlive kept = lease.keep_alive(kMax);
  server(0).kill9();
  EXPECT_TRUE(extended(lease));
  EXPECT_FALSE(kept.lost().stop_requested());
  server(0).start();
}

TEST_F(ClientKeepsBesideTwoThreads, NothingIsKeptForLongerThanWasAllowed) {
  Lease lease = take();
  const KeepAlive kept = lease.keep_alive(kTtl);
  EXPECT_TRUE(lost(kept));
  EXPECT_FALSE(lease.live());
}

TEST_F(ClientKeepsBesideTwoThreads, NothingIsKeptForLessThanItIsTrustedAlready) {
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  // That takes nothing away.
  ASSERT_TRUE(lease->extend(500ms));
  const KeepAlive kept = lease->keep_alive(500ms);
  const auto over = std::chrono::steady_clock::now() + 1s;
  EXPECT_TRUE(eventually([over] { return std::chrono::steady_clock::now() > over; }));
  EXPECT_FALSE(kept.lost().stop_requested());
  EXPECT_TRUE(lease->live());
}

TEST_F(ClientKeepsBesideTwoThreads, AReleaseIsNoLossAndEndsTheKeeping) {
  Lease lease = take();
  const KeepAlive kept = lease.keep_alive(kMax);
  ASSERT_TRUE(extended(lease));
  EXPECT_TRUE(lease.release());
  EXPECT_FALSE(lease.live());
  // The next one is kept for longer than until the next extend of this one.
  Lease next = take();
  const KeepAlive also_kept = next.keep_alive(kMax);
  EXPECT_TRUE(extended(next));
  EXPECT_FALSE(kept.lost().stop_requested());
  EXPECT_TRUE(two_of_three_hold(next.token()));
}

TEST_F(ClientKeepsBesideTwoThreads, ALeaseThatIsNotLiveIsLostAtOnce) {
  Lease lease = take();
  ASSERT_TRUE(lease.release());
  EXPECT_TRUE(lease.keep_alive(kMax).lost().stop_requested());
  const Lease moved = std::move(lease);
  EXPECT_TRUE(lease.keep_alive(kMax).lost().stop_requested());
}

TEST_F(ClientKeepsBesideTwoThreads, AskedAgainBehindALossItIsLostAtOnceToo) {
  Lease lease = take();
  const KeepAlive kept = lease.keep_alive(kMax);
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"DEL", "r"});
  EXPECT_TRUE(lost(kept));
  EXPECT_TRUE(lease.keep_alive(1ms).lost().stop_requested());
}

TEST_F(ClientKeepsBesideTwoThreads, AskedAgainBehindAReleaseItTellsNobodyElse) {
  Lease lease = take();
  const KeepAlive kept = lease.keep_alive(kMax);
  EXPECT_TRUE(lease.release());
  EXPECT_TRUE(lease.keep_alive(kMax).lost().stop_requested());
  EXPECT_FALSE(kept.lost().stop_requested());
}

TEST_F(ClientKeepsBesideTwoThreads, AMovedLeaseIsKeptOn) {
  Lease first = take();
  KeepAlive kept = first.keep_alive(kMax);
  Lease second = std::move(first);
  const KeepAlive still_kept = std::move(kept);
  EXPECT_TRUE(extended(second));
  EXPECT_FALSE(still_kept.lost().stop_requested());
}

TEST_F(ClientKeepsBesideTwoThreads, WhatIsAssignedKeepsItsLeaseAndWhatWasThereKeepsItsOwnNoLonger) {
  Lease first = take();
  Lease second = *client_.try_lock("another", kTtl);
  {
    KeepAlive kept = first.keep_alive(kMax);
    kept = second.keep_alive(kMax);
    EXPECT_TRUE(extended(second));
    EXPECT_TRUE(eventually([&] { return !first.live(); }));
    EXPECT_FALSE(kept.lost().stop_requested());
    KeepAlive& itself = kept;
    kept = std::move(itself);
    EXPECT_TRUE(extended(second));
  }
  EXPECT_TRUE(eventually([&] { return !second.live(); }));
}

TEST_F(ClientKeepsBesideTwoThreads, WhatKeepsALeaseMayOutliveItAndTheClient) {
  std::optional<Client> client(std::in_place, addresses(), Options{.timeout = 5s});
  std::optional<Lease> lease(*client->try_lock("r", kTtl));
  std::optional<KeepAlive> kept(lease->keep_alive(kMax));
  client.reset();
  EXPECT_TRUE(extended(*lease));
  lease.reset();
  EXPECT_TRUE(eventually([] { return values(3) == std::vector<std::string>(3, "nil"); }));
  EXPECT_FALSE(kept->lost().stop_requested());
  kept.reset();
}

TEST_F(ClientKeepsBesideTwoThreads, TheOwnersOwnExtendsCountToo) {
  Lease lease = take();
  const KeepAlive kept = lease.keep_alive(kMax);
  EXPECT_TRUE(lease.extend(60s));
  EXPECT_GT(lease.remaining(), 30s);
  EXPECT_TRUE(lease.release());
}

TEST_F(ClientKeepsBesideTwoThreads, WhatItsOwnerExtendsIsKeptOn) {
  Lease lease = take();
  const KeepAlive kept = lease.keep_alive(kMax);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(extended(lease));
    EXPECT_TRUE(lease.extend(kTtl));
  }
  EXPECT_TRUE(extended(lease));
  EXPECT_FALSE(kept.lost().stop_requested());
}

TEST_F(ClientKeepsBesideTwoThreads, ItIsKeptForLongerByALongerTtlOfItsOwner) {
  Lease lease = take();
  const KeepAlive kept = lease.keep_alive(kMax);
  EXPECT_TRUE(lease.extend(6s));
  EXPECT_TRUE(extended(lease));
  EXPECT_GT(lease.remaining(), kTtl);
}

TEST_F(ClientKeepsBesideTwoThreads, WithoutAThreadToBeHadTheLeaseIsAsBefore) {
  Lease lease = take();
  const std::set<int> before = open_descriptors();
  int unused = 0;
  while (before.contains(unused)) ++unused;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  rlimit low = limit;
  low.rlim_cur = static_cast<rlim_t>(unused);
  setrlimit(RLIMIT_NOFILE, &low);
  EXPECT_THROW((void)lease.keep_alive(kMax), std::system_error);
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_TRUE(lease.confirm());
  const KeepAlive kept = lease.keep_alive(kMax);
  EXPECT_TRUE(extended(lease));
}

TEST_F(ClientKeepsBesideTwoThreads, InAChildNothingIsKeptAndNothingIsEnded) {
  Lease lease = take();
  std::optional<KeepAlive> kept(lease.keep_alive(kMax));
  ASSERT_TRUE(extended(lease));
  EXPECT_EQ(exit_status_of_child([&] {
              const bool dead = !lease.live() && !lease.release();
              kept.reset();
              const Lease gone = std::move(lease);
              return dead;
            }),
            0);
  EXPECT_TRUE(extended(lease));
  EXPECT_FALSE(kept->lost().stop_requested());
}

TEST_F(ClientKeepsBesideTwoThreads, ManyAreKeptBesideOthersThatComeAndGo) {
  std::vector<Lease> leases;
  std::vector<KeepAlive> kept;
  for (int i = 0; i < 100; ++i) {
    leases.push_back(take(std::to_string(i)));
    kept.push_back(leases.back().keep_alive(kMax));
  }
  for (int i = 0; i < 200; ++i) {
    Lease brief = take("brief");
    const KeepAlive briefly = brief.keep_alive(kMax);
    ASSERT_TRUE(brief.release());
  }
  const auto over = std::chrono::steady_clock::now() + kTtl;
  EXPECT_TRUE(eventually([over] { return std::chrono::steady_clock::now() > over; }));
  for (const Lease& lease : leases) EXPECT_TRUE(lease.live());
  for (const KeepAlive& keep_alive : kept) EXPECT_FALSE(keep_alive.lost().stop_requested());
}

}  // namespace
}  // namespace redlock::client_keep_test
