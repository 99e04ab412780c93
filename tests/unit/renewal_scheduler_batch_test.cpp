// Many leases that are kept: their extends travel together, and share what room there is.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/renewal_scheduler_fixture.hpp"

namespace redlock::renewal_scheduler_batch_test {
namespace {

using test::kTtl;
using test::RenewalSchedulerTest;

TEST_F(RenewalSchedulerTest, MoreLeasesThanAreAskedAtATimeAreAllKept) {
  std::vector<KeptLease> leases;
  for (std::size_t i = 0; i < kExtendsUnderWayMax * 2; ++i) {
    leases.push_back(take_due("r" + std::to_string(i)));
    scheduler_.keep(leases.back());
  }
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(10);
  keep_for(Duration::ms(5));
  const auto extended = [this] { return server(0).log.size() - 2 * kExtendsUnderWayMax; };
  EXPECT_EQ(extended(), kExtendsUnderWayMax);
  keep_for(kTtl * 3);
  EXPECT_GE(extended(), 2 * kExtendsUnderWayMax * 9);
  EXPECT_EQ(std::ranges::count_if(leases, [this](const KeptLease& lease) { return live(lease); }),
            static_cast<std::ptrdiff_t>(leases.size()));
}

TEST_F(RenewalSchedulerTest, ExtendsThatAreDueTogetherTravelTogether) {
  for (std::size_t i = 0; i < 1'000; ++i) scheduler_.keep(take("r" + std::to_string(i)));
  keep_for(kTtl);
  const std::size_t before = transport_.send_count;
  const auto extends_of_all = [this] { return server(0).log.size(); };
  const std::size_t extended = extends_of_all();
  keep_for(kTtl * 3);
  EXPECT_GT(extends_of_all() - extended, 8'000U);
  EXPECT_LT((transport_.send_count - before) / 3, (extends_of_all() - extended) / 4);
  EXPECT_EQ(losses_->count, 0);
}

TEST_F(RenewalSchedulerTest, NoMoreExtendsTravelTogetherThanAConnectionTakesAtOnce) {
  // Until the servers know the script its text goes with each.
  scheduler_.keep(take("first"));
  keep_for(kTtl);
  scheduler_.clear();
  for (const std::size_t pieces : {1U, 2U}) {
    for (std::size_t i = 0; i < kBatchMax + pieces - 1; ++i) {
      scheduler_.keep(take_due("r" + std::to_string(i)));
    }
    const std::size_t before = transport_.send_count;
    scheduler_.drive(clock_.now());
    EXPECT_EQ(transport_.send_count - before, pieces * 3);
    scheduler_.clear();
    for (std::size_t i = 0; i < 3; ++i) server(i).keys.clear();
  }
}

TEST_F(RenewalSchedulerTest, ExtendsTakeHalfOfTheRoomThatAConnectionHas) {
  for (std::size_t i = 0; i < kAwaitedBesidesRemovalsMax; ++i) {
    scheduler_.keep(take("r" + std::to_string(i)));
  }
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(20);
  clock_.advance(Duration::ms(1'500));
  scheduler_.drive(clock_.now());
  EXPECT_EQ(extends(0), kAwaitedBesidesRemovalsMax / 2);
}

TEST_F(RenewalSchedulerTest, WhatFindsNoRoomIsLostWhenItsTrustEndsAndNotLater) {
  KeptLease soon = take("soon");
  for (std::size_t i = 0; i < kExtendsUnderWayMax; ++i) {
    scheduler_.keep(take_due("r" + std::to_string(i)));
  }
  for (std::size_t i = 0; i < 3; ++i) server(i).stopped = true;
  scheduler_.drive(clock_.now());
  // Sooner than it would be looked again whether there is room.
  soon.valid_until = clock_.now() + Duration::ns(kCrowdedPause.count_ns() / 2);
  soon.lease_deadline = std::make_shared<LeaseDeadline>(soon.valid_until);
  scheduler_.keep(soon);
  keep_for(soon.valid_until - clock_.now());
  EXPECT_EQ(clock_.now(), soon.valid_until);
  EXPECT_EQ(losses_->count, 1);
}

TEST_F(RenewalSchedulerTest, LeasesThatAreStoppedWhileTheyAreExtendedTakeNobodysRoom) {
  const KeptLease later = take();
  scheduler_.keep(later);
  std::vector<KeptLease> stopped;
  for (std::size_t i = 0; i < kExtendsUnderWayMax; ++i) {
    stopped.push_back(take_due("r" + std::to_string(i)));
    scheduler_.keep(stopped.back());
  }
  scheduler_.drive(clock_.now());
  ASSERT_EQ(extends(0), kExtendsUnderWayMax);
  for (const KeptLease& lease : stopped) scheduler_.stop(*lease.lease_deadline);
  keep_for(kTtl * 2);
  EXPECT_EQ(scheduler_.size(), 1U);
  EXPECT_TRUE(live(later));
}

}  // namespace
}  // namespace redlock::renewal_scheduler_batch_test
