// Where its thread meets a shortage of memory a lease is kept all the same, only a little later.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "io/support/renewal_on_servers.hpp"
#include "support/allocations.hpp"

namespace redlock::renewal_thread_shortage_test {
namespace {

using test::eventually;
using test::FailingElsewhere;
using test::RenewalOnServers;
using test::Shortage;

class RenewalThreadShortage : public RenewalOnServers {
 protected:
  // Where its thread does not go on, the end of a renewal thread would wait for that.
  void extends(std::unique_ptr<RenewalThread> renewal_thread, const KeptLease& lease) {
    if (extended(lease)) return end(*renewal_thread, lease);
    ADD_FAILURE() << "the thread does not go on";
    (void)renewal_thread.release();
  }
};

TEST_F(RenewalThreadShortage, ThatPassesCostsNoLease) {
  // As the thread hears of the lease, and as it asks the servers.
  constexpr std::size_t kAllocations = 30;
  for (std::size_t n = 0; n < kAllocations && !HasFailure(); ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    const KeptLease lease = take_due("r" + std::to_string(n));
    auto renewal_thread = std::make_unique<RenewalThread>();
    const FailingElsewhere failing(n);
    renewal_thread->keep(lease);
    extends(std::move(renewal_thread), lease);
    EXPECT_TRUE(failing.happened());
  }
}

TEST_F(RenewalThreadShortage, ThatLastsIsSleptThroughBetweenTries) {
  for (const bool at_work : {false, true}) {
    auto renewal_thread = std::make_unique<RenewalThread>();
    const KeptLease far = take_due(at_work ? "at work" : "new", Duration::seconds(3'600));
    if (at_work) {
      renewal_thread->keep(far);
      ASSERT_TRUE(extended(far)) << "and from then on it has nothing to do for twenty minutes";
    }
    const KeptLease lease = take_due(at_work ? "r2" : "r1");
    const std::size_t before = sleeps_of_others();
    {
      const FailingElsewhere failing(0, Shortage::lasting);
      renewal_thread->keep(lease);
      EXPECT_TRUE(eventually([&] { return sleeps_of_others() - before > 20; }));
      EXPECT_EQ(lease.lease_deadline->until(), lease.valid_until);
    }
    // As soon as there is some again.
    extends(std::move(renewal_thread), lease);
  }
}

}  // namespace
}  // namespace redlock::renewal_thread_shortage_test
