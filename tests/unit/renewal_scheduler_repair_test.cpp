// Votes that servers have lost are repaired again, and never for a lock that was given up.
#include <gtest/gtest.h>

#include "support/machine.hpp"
#include "support/renewal_scheduler_fixture.hpp"

namespace redlock::renewal_scheduler_repair_test {
namespace {

using test::kOneNs;
using test::kTtl;
using test::RenewalSchedulerTest;

TEST_F(RenewalSchedulerTest, AVoteThatAServerHasLostIsRepairedAgain) {
  const KeptLease lease = take();
  scheduler_.keep(lease);
  for (std::size_t i = 0; i < 3; ++i) {
    server(i).keys.clear();
    keep_for(kTtl);
    EXPECT_EQ(server(i).keys["r"], lease.token.view()) << "server " << i << ", restarted and empty";
  }
  EXPECT_TRUE(live(lease)) << "all servers have been restarted, one after the other";
}

TEST_F(RenewalSchedulerTest, NothingIsRepairedWhereSomebodyElseStandsOrNoMajorityConfirmed) {
  const KeptLease lease = take();
  scheduler_.keep(lease);
  server(2).keys["r"] = "somebody else's";
  keep_for(kTtl);
  EXPECT_EQ(server(2).keys["r"], "somebody else's");
  for (std::size_t i = 0; i < 2; ++i) server(i).keys.clear();
  keep_for(kTtl);
  EXPECT_TRUE(server(0).keys.empty());
  EXPECT_EQ(lease.lease_deadline->loss(), Loss::denied);
}

// Its owner has been told so while the extend was under way.
TEST_F(RenewalSchedulerTest, NothingIsRepairedForATrustThatIsOverWhenItsExtendIsGranted) {
  const KeptLease lease = take();
  scheduler_.keep(lease);
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(10);
  server(2).keys.clear();
  const std::size_t before = server(2).count("SET");
  while (extends(2) == 0) keep_for(Duration::ms(1));
  lease.lease_deadline->lose(Loss::silence);
  keep_for(Duration::ms(100));
  EXPECT_EQ(scheduler_.size(), 0U);
  EXPECT_EQ(server(2).count("SET"), before);
}

TEST_F(RenewalSchedulerTest, AReleasedLeaseIsNotRepairedAgain) {
  const KeptLease lease = take_and_repair();
  lease.lease_deadline->end();
  scheduler_.stop(*lease.lease_deadline);
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration();
  LockManager locks(pool_, plan_);
  unlock(locks, lease.token);
  keep_for(kTtl);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(server(i).keys.empty()) << i;
}

TEST_F(RenewalSchedulerTest, NewTermsTakeNothingFromWhatIsBeingRepaired) {
  const KeptLease lease = take_and_repair();
  scheduler_.keep(lease);
  lease.lease_deadline->end();
  scheduler_.stop(*lease.lease_deadline);
  EXPECT_EQ(scheduler_.size(), 0U);
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration();
  LockManager locks(pool_, plan_);
  unlock(locks, lease.token);
  keep_for(kTtl);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(server(i).keys.empty()) << i;
}

// The release may have been there before the repair, on another connection.
TEST_F(RenewalSchedulerTest, WhatWasRepairedWhileTheLeaseEndedIsUndone) {
  const KeptLease lease = take_and_repair();
  lease.lease_deadline->end();
  step_for(Duration::ms(30));
  ASSERT_EQ(server(2).keys["r"], lease.token.view());
  keep_for(Duration::ms(100));
  EXPECT_TRUE(server(2).keys.empty());
  scheduler_.stop(*lease.lease_deadline);
  EXPECT_EQ(scheduler_.size(), 0U);
}

TEST_F(RenewalSchedulerTest, WhatIsRepairedForALockThatLivesOnStays) {
  const KeptLease lease = take_and_repair();
  lease.lease_deadline->transfer();
  scheduler_.stop(*lease.lease_deadline);
  keep_for(Duration::ms(100));
  EXPECT_EQ(scheduler_.size(), 0U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(server(i).keys["r"], lease.token.view()) << i;
}

// Nobody keeps it any more, and nobody but the deadline tells of the release.
TEST_F(RenewalSchedulerTest, WhatIsRepairedForALockThatIsReleasedBehindItsKeepingIsUndone) {
  for (const bool answered : {false, true}) {
    const KeptLease lease = take_and_repair();
    scheduler_.stop(*lease.lease_deadline);
    if (answered) step_for(Duration::ms(30));
    LockManager locks(pool_, plan_);
    lease.lease_deadline->end();
    unlock(locks, lease.token);
    // As where the release has overtaken the repair on another connection.
    server(2).keys["r"] = lease.token.view();
    keep_for(Duration::ms(100));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(server(i).keys.empty()) << i;
    EXPECT_EQ(scheduler_.size(), 0U);
    server(2).answer_time = Duration();
  }
}

TEST_F(RenewalSchedulerTest, ALeaseThatIsLeftWhileItIsExtendedAndRepairedHoldsUpNoOther) {
  LockOptions patient = once();
  patient.timeout = Duration::seconds(2);
  plan_ = std::make_shared<const LockPlan>(specs(3), patient);
  const KeptLease lease = take();
  const KeptLease other = take("other");
  scheduler_.keep(lease);
  scheduler_.keep(other);
  for (std::size_t i = 0; i < 2; ++i) server(i).answer_time = Duration::ms(10);
  server(2).keys.erase("r");
  while (extends(2) == 0) keep_for(Duration::ms(1));
  // Longer than until the next extend.
  server(2).answer_time = Duration::ms(1'500);
  const std::size_t before = server(2).count("SET");
  while (server(2).count("SET") == before) keep_for(Duration::ms(1));
  const std::size_t extended = extends(0);
  while (extends(0) == extended) keep_for(Duration::ms(1));
  scheduler_.stop(*lease.lease_deadline);
  keep_for(Duration::ms(20));
  EXPECT_EQ(scheduler_.size(), 2U) << "it is being repaired";
  lease.lease_deadline->end();
  scheduler_.stop(*lease.lease_deadline);
  keep_for(kTtl * 2);
  EXPECT_EQ(scheduler_.size(), 1U);
  EXPECT_TRUE(live(other));
}

}  // namespace
}  // namespace redlock::renewal_scheduler_repair_test
