// Where its thread meets a shortage of memory a lease is kept all the same, only a little later.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "io/support/keeper_on_servers.hpp"
#include "support/allocations.hpp"

namespace redlock {
namespace {

using test::eventually;
using test::FailingElsewhere;
using test::KeeperOnServers;
using test::Shortage;

class KeeperShortage : public KeeperOnServers {
 protected:
  // Where its thread does not go on, the end of a keeper would wait for that.
  void extends(std::unique_ptr<Keeper> keeper, const KeptLease& lease) {
    if (extended(lease)) return end(*keeper, lease);
    ADD_FAILURE() << "the thread does not go on";
    (void)keeper.release();
  }
};

TEST_F(KeeperShortage, ThatPassesCostsNoLease) {
  // As the thread hears of the lease, and as it asks the servers.
  constexpr std::size_t kAllocations = 30;
  for (std::size_t n = 0; n < kAllocations && !HasFailure(); ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    const KeptLease lease = take_due("r" + std::to_string(n));
    auto keeper = std::make_unique<Keeper>();
    const FailingElsewhere failing(n);
    keeper->keep(lease);
    extends(std::move(keeper), lease);
    EXPECT_TRUE(failing.happened());
  }
}

TEST_F(KeeperShortage, ThatLastsIsSleptThroughBetweenTries) {
  for (const bool at_work : {false, true}) {
    auto keeper = std::make_unique<Keeper>();
    const KeptLease far = take_due(at_work ? "at work" : "new", Duration::seconds(3'600));
    if (at_work) {
      keeper->keep(far);
      ASSERT_TRUE(extended(far)) << "and from then on it has nothing to do for twenty minutes";
    }
    const KeptLease lease = take_due(at_work ? "r2" : "r1");
    const std::size_t before = sleeps_of_others();
    {
      const FailingElsewhere failing(0, Shortage::lasting);
      keeper->keep(lease);
      EXPECT_TRUE(eventually([&] { return sleeps_of_others() - before > 20; }));
      EXPECT_EQ(lease.lease_deadline->until(), lease.valid_until);
    }
    // As soon as there is some again.
    extends(std::move(keeper), lease);
  }
}

}  // namespace
}  // namespace redlock
