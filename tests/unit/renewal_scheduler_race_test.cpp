// What is given up at the very moment at which its renewal thread looks at it is no loss.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "redlock/lease/renewal_scheduler.hpp"
#include "support/renewal_scheduler_fixture.hpp"

namespace redlock::renewal_scheduler_race_test {
namespace {

using test::RenewalSchedulerTest;

// Another thread ends the deadline while the renewal thread attends to the lease, in each round a
// little later.
TEST_F(RenewalSchedulerTest, NobodyIsToldOfTheLossOfWhatIsGivenUpWhileItIsLookedAt) {
  constexpr int kRounds = 40'000;
  // On a machine that is busy each of them may take a while.
  const auto enough = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  constexpr int kLaterMost = 512;
  KeptLease lease = take();
  std::atomic<LeaseDeadline*> given = nullptr;
  std::jthread owner([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested();) {
      LeaseDeadline* const lease_deadline = given.exchange(nullptr);
      if (lease_deadline == nullptr) continue;
      for (int later = ++i % kLaterMost; later > 0; --later) {
        std::atomic_signal_fence(std::memory_order_seq_cst);
      }
      lease_deadline->end();
    }
  });
  for (int i = 0; i < kRounds && std::chrono::steady_clock::now() < enough; ++i) {
    lease.lease_deadline = std::make_shared<LeaseDeadline>(lease.valid_until);
    scheduler_.keep(lease);
    given = lease.lease_deadline.get();
    scheduler_.drive(clock_.now());
    while (!lease.lease_deadline->released()) std::this_thread::yield();
    scheduler_.stop(*lease.lease_deadline);
  }
  EXPECT_EQ(losses_->count, 0);
}

}  // namespace
}  // namespace redlock::renewal_scheduler_race_test
