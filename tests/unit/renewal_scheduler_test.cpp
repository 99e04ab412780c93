// Kept leases are extended by their own clocks, and none is at another's mercy.
#include "redlock/lease/renewal_scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/allocations.hpp"
#include "support/fake_world.hpp"
#include "support/machine.hpp"
#include "support/renewal_scheduler_fixture.hpp"

namespace redlock::renewal_scheduler_test {
namespace {

using test::FakeServer;
using test::FakeWorld;
using test::kOneNs;
using test::kTtl;
using test::RenewalSchedulerTest;

TEST_F(RenewalSchedulerTest, ALeaseOutlivesItsTtlManyTimesOverByAThirdOfItEach) {
  const KeptLease lease = take();
  scheduler_.keep(lease);
  keep_for(kTtl * 10);
  EXPECT_TRUE(live(lease));
  EXPECT_GE(extends(0), 29U);
  EXPECT_LE(extends(0), 36U);
  EXPECT_EQ(losses_->count, 0);
}

TEST_F(RenewalSchedulerTest, OneThatIsNotKeptEndsByItself) {
  const KeptLease lease = take();
  keep_for(kTtl);
  EXPECT_FALSE(live(lease));
}

TEST_F(RenewalSchedulerTest, WhatIsClearedIsKeptNoMore) {
  const KeptLease lease = take();
  scheduler_.keep(lease);
  scheduler_.clear();
  EXPECT_EQ(scheduler_.size(), 0U);
  keep_for(kTtl);
  EXPECT_FALSE(live(lease));
  EXPECT_EQ(losses_->count, 0);
}

TEST_F(RenewalSchedulerTest, AMajoritysDenialIsLossAtOnce) {
  const KeptLease lease = take();
  scheduler_.keep(lease);
  for (const std::size_t i : {0U, 1U}) server(i).keys["r"] = "somebody else's";
  keep_for(kTtl * 2 - Duration::ms(2'500));
  EXPECT_FALSE(live(lease));
  EXPECT_EQ(lease.lease_deadline->loss(), Loss::denied);
  EXPECT_EQ(losses_->count, 1);
  EXPECT_EQ(scheduler_.size(), 0U);
}

TEST_F(RenewalSchedulerTest, OneDenialBesideTroubleIsNoLoss) {
  const KeptLease lease = take();
  scheduler_.keep(lease);
  server(0).keys["r"] = "somebody else's";
  server(1).stopped = true;
  keep_for(Duration::ms(1'500));
  EXPECT_TRUE(live(lease));
  server(1).stopped = false;
  keep_for(kTtl * 2);
  EXPECT_TRUE(live(lease)) << "trouble that passes ends nothing";
  EXPECT_EQ(losses_->count, 0);
}

// Whoever shortens the lease must know of them.
TEST_F(RenewalSchedulerTest, AnExtendIsNotedBeforeItsAnswerComes) {
  KeptLease lease = take();
  lease.lease_deadline = std::make_shared<LeaseDeadline>(lease.valid_until, lease.taken_at + kTtl);
  scheduler_.keep(lease);
  for (const std::size_t i : {0U, 1U, 2U}) server(i).stopped = true;
  EXPECT_FALSE(lease.lease_deadline->may_outlast(kTtl, lease.taken_at));
  keep_for(Duration::ms(1'500));
  EXPECT_TRUE(lease.lease_deadline->may_outlast(kTtl + Duration::ms(500), lease.taken_at));
  EXPECT_EQ(lease.lease_deadline->until(), lease.valid_until);
}

TEST_F(RenewalSchedulerTest, SilenceIsLossWhenTheTrustEndsAndNotSooner) {
  const KeptLease lease = take();
  scheduler_.keep(lease);
  for (const std::size_t i : {0U, 1U}) server(i).stopped = true;
  keep_for(lease.valid_until - clock_.now() - Duration::ms(1));
  EXPECT_TRUE(live(lease));
  EXPECT_EQ(losses_->count, 0);
  keep_for(Duration::ms(1));
  EXPECT_FALSE(live(lease));
  EXPECT_EQ(lease.lease_deadline->loss(), Loss::silence);
  EXPECT_EQ(losses_->count, 1);
}

// The clock that it looked at may be a moment ahead of ours.
TEST_F(RenewalSchedulerTest, ALeaseThatItsOwnerHasSeenOverIsLostHoweverItWasExtended) {
  const KeptLease lease = take();
  scheduler_.keep(lease);
  while (extends(0) == 0) keep_for(Duration::ms(1));
  ASSERT_EQ(lease.lease_deadline->left(lease.lease_deadline->until()), Duration());
  keep_for(kTtl);
  EXPECT_EQ(losses_->count, 1);
  EXPECT_EQ(scheduler_.size(), 0U);
}

TEST_F(RenewalSchedulerTest, OfAStoppedLeaseNothingIsSentOrToldAnyMore) {
  const KeptLease lease = take();
  scheduler_.keep(lease);
  keep_for(kTtl);
  const std::size_t before = extends(0);
  lease.lease_deadline->end();
  scheduler_.stop(*lease.lease_deadline);
  keep_for(kTtl * 3);
  EXPECT_EQ(extends(0), before);
  EXPECT_EQ(losses_->count, 0);
}

TEST_F(RenewalSchedulerTest, OneThatIsNotKeptIsStoppedToo) {
  const KeptLease kept = take("kept");
  const KeptLease lease = take();
  scheduler_.keep(kept);
  scheduler_.stop(*lease.lease_deadline);
  lease.lease_deadline->end();
  scheduler_.stop(*lease.lease_deadline);
  EXPECT_EQ(scheduler_.size(), 1U);
  keep_for(kTtl * 2);
  EXPECT_TRUE(live(kept));
}

TEST_F(RenewalSchedulerTest, ALeaseThatIsKeptNoMoreLivesUntilItsTimeIsOver) {
  const KeptLease lease = take();
  scheduler_.keep(lease);
  keep_for(kTtl);
  scheduler_.stop(*lease.lease_deadline);
  const std::size_t before = extends(0);
  const Instant until = lease.lease_deadline->until();
  keep_for(until - clock_.now() - Duration::ms(1));
  EXPECT_TRUE(live(lease));
  EXPECT_EQ(extends(0), before);
  keep_for(kTtl);
  EXPECT_FALSE(live(lease));
  EXPECT_EQ(losses_->count, 0);
}

TEST_F(RenewalSchedulerTest, ALeaseThatIsStoppedWhileItIsExtendedIsNotLost) {
  const KeptLease lease = take();
  scheduler_.keep(lease);
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(20);
  keep_for(Duration::ms(905));
  while (extends(0) == 0) keep_for(Duration::ms(1));
  lease.lease_deadline->end();
  scheduler_.stop(*lease.lease_deadline);
  for (std::size_t i = 0; i < 3; ++i) server(i).keys.clear();
  keep_for(kTtl);
  EXPECT_EQ(losses_->count, 0);
  EXPECT_EQ(lease.lease_deadline->loss(), Loss::none);
}

TEST_F(RenewalSchedulerTest, ALeaseWhoseOwnerEndedItWithoutAWordIsLeftAlone) {
  const KeptLease lease = take();
  scheduler_.keep(lease);
  lease.lease_deadline->end();
  keep_for(kTtl * 2);
  EXPECT_EQ(extends(0), 0U);
  EXPECT_EQ(scheduler_.size(), 0U);
}

TEST_F(RenewalSchedulerTest, WhatItsOwnerExtendedIsTrustedForAsLong) {
  const KeptLease lease = take("r", kTtl);
  scheduler_.keep(lease);
  ASSERT_TRUE(lease.lease_deadline->prolong(clock_.now() + kTtl * 2, clock_.now()));
  keep_for(kTtl + kTtl - Duration::ms(1));
  EXPECT_TRUE(live(lease));
  EXPECT_EQ(losses_->count, 0);
  keep_for(Duration::ms(1));
  EXPECT_EQ(losses_->count, 1);
}

TEST_F(RenewalSchedulerTest, IsNotKeptForLongerThanItsOwnerAllows) {
  const KeptLease lease = take("r", kTtl * 3);
  scheduler_.keep(lease);
  keep_for(kTtl * 3 - Duration::ms(200));
  EXPECT_TRUE(live(lease));
  keep_for(Duration::ms(200));
  EXPECT_FALSE(live(lease));
  EXPECT_EQ(lease.lease_deadline->loss(), Loss::renew_max);
}

TEST_F(RenewalSchedulerTest, ALeaseInTroubleHoldsUpNoOther) {
  const KeptLease lost = take("lost");
  const KeptLease kept = take();
  scheduler_.keep(lost);
  scheduler_.keep(kept);
  for (std::size_t i = 0; i < 3; ++i) server(i).keys["lost"] = "somebody else's";
  keep_for(kTtl * 5);
  EXPECT_FALSE(live(lost));
  EXPECT_TRUE(live(kept));
  EXPECT_EQ(losses_->count, 1);
}

// Or no run could be made again: what lies at which address is another matter each time.
TEST_F(RenewalSchedulerTest, ExtendsThatAreDueTogetherLeaveInTheOrderInWhichTheLeasesWereKept) {
  constexpr std::size_t kLeases = 4;
  // Each at a lower address than the one before it.
  std::array<std::optional<LeaseDeadline>, kLeases> trusts;
  std::vector<KeptLease> leases;
  for (std::size_t i = 0; i < kLeases; ++i) leases.push_back(take_due("r" + std::to_string(i)));
  for (std::size_t i = 0; i < kLeases; ++i) {
    LeaseDeadline& lease_deadline = trusts.at(kLeases - 1 - i).emplace(leases[i].valid_until);
    leases[i].lease_deadline = {std::shared_ptr<LeaseDeadline>(), &lease_deadline};
    leases[i].taken_at = leases.front().taken_at;
    scheduler_.keep(leases[i]);
  }
  scheduler_.drive(clock_.now());
  pool_.step(clock_.now());
  std::string order;
  for (const auto& request : server(0).log) {
    if (request.size() == 6 && request[0].starts_with("EVAL")) order += request[3];
  }
  EXPECT_EQ(order, "r0r1r2r3");
  scheduler_.clear();
}

TEST_F(RenewalSchedulerTest, WhatIsRepairedTakesAQuarterOfThatRoom) {
  for (std::size_t i = 0; i < kAwaitedBesidesRemovalsMax / 2; ++i) {
    scheduler_.keep(take("r" + std::to_string(i)));
  }
  server(2).keys.clear();
  server(2).answer_time = Duration::ms(20);
  const std::size_t before = server(2).count("SET");
  clock_.advance(Duration::ms(1'500));
  keep_for(Duration::ms(30));
  EXPECT_EQ(server(2).count("SET") - before, kAwaitedBesidesRemovalsMax / 4);
}

TEST_F(RenewalSchedulerTest, NobodyWaitsForMoreThanAMajorityWhereLittleTimeIsLeft) {
  const Duration little = LockManager(pool_, plan_).answer_time() * 4;
  for (const Duration left : {little + kOneNs, little}) {
    server(2).answer_time = Duration();
    const std::string resource = left > little ? "enough" : "little";
    const KeptLease lease = take(resource);
    scheduler_.keep(lease);
    server(2).keys.clear();
    server(2).answer_time = Duration::ms(20);
    clock_.advance_to(lease.valid_until - left);
    keep_for(Duration::ms(100));
    EXPECT_TRUE(live(lease));
    EXPECT_EQ(server(2).keys.contains(resource), left > little) << "repaired again";
  }
}

TEST_F(RenewalSchedulerTest, NobodyIsToldOfTheLossOfWhatWasGivenUp) {
  const KeptLease released = take("released");
  const KeptLease transferred = take("passed on");
  scheduler_.keep(released);
  scheduler_.keep(transferred);
  released.lease_deadline->end();
  transferred.lease_deadline->transfer();
  keep_for(kTtl * 2);
  EXPECT_EQ(scheduler_.size(), 0U);
  EXPECT_EQ(losses_->count, 0);
}

TEST_F(RenewalSchedulerTest, ALeaseThatWasLeftAndIsKeptAgainIsKept) {
  const KeptLease lease = take_and_repair();
  scheduler_.stop(*lease.lease_deadline);
  scheduler_.keep(lease);
  keep_for(kTtl * 3);
  EXPECT_TRUE(live(lease));
}

TEST_F(RenewalSchedulerTest, NewTermsLeaveWhatIsBeingRepairedAlone) {
  const KeptLease lease = take_and_repair();
  scheduler_.keep(lease);
  keep_for(kTtl);
  EXPECT_EQ(scheduler_.size(), 1U);
  EXPECT_TRUE(live(lease));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(server(i).keys["r"], lease.token.view()) << i;
}

TEST_F(RenewalSchedulerTest, NewTermsTakeThePlaceOfAnExtendThatIsUnderWay) {
  const KeptLease lease = take();
  scheduler_.keep(lease);
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(20);
  while (extends(0) == 0) keep_for(Duration::ms(1));
  scheduler_.keep(lease);
  keep_for(kTtl * 2);
  EXPECT_TRUE(live(lease));
}

TEST_F(RenewalSchedulerTest, LeasesOfOtherServersAreNotHeldUpByCrowdsOfSilentOnes) {
  std::vector<KeptLease> leases;
  for (std::size_t i = 0; i < 2 * kExtendsUnderWayMax; ++i) {
    leases.push_back(take_due("r" + std::to_string(i)));
  }
  std::vector<ServerSpec> others;
  for (std::size_t i = 3; i < 6; ++i) others.push_back(parse_server(name(i)));
  plan_ = std::make_shared<const LockPlan>(others, once());
  const KeptLease well = take_due("well");
  for (std::size_t i = 0; i < 3; ++i) server(i).stopped = true;
  for (const KeptLease& lease : leases) scheduler_.keep(lease);
  keep_for(Duration::ms(1));
  scheduler_.keep(well);
  keep_for(Duration::ms(1));
  EXPECT_GT(well.lease_deadline->until(), well.valid_until) << "extended while they are waited for";
  keep_for(kTtl * 2);
  EXPECT_TRUE(live(well));
  EXPECT_EQ(losses_->count, static_cast<int>(leases.size())) << "each at its own deadline";
}

TEST_F(RenewalSchedulerTest, LeasesOfOnePlanShareItsConnections) {
  const KeptLease one = take("r1");
  const KeptLease other = take("r2");
  scheduler_.keep(one);
  scheduler_.keep(other);
  keep_for(kTtl);
  EXPECT_EQ(pool_.connection_count(), 3U);
}

TEST_F(RenewalSchedulerTest, NothingIsLeftOfPlansWhoseLeasesAreKeptNoMore) {
  const auto keep_one_of = [this](const std::shared_ptr<const LockPlan>& plan) {
    const Instant until = clock_.now() + kTtl;
    KeptLease lease{plan,
                    Resource("r"),
                    Token("t"),
                    {kTtl, kTtl},
                    clock_.now(),
                    until,
                    std::make_shared<LeaseDeadline>(until),
                    nullptr};
    scheduler_.keep(lease);
    lease.lease_deadline->end();
    scheduler_.stop(*lease.lease_deadline);
  };
  // Their owners have them still: none lies where another one lay.
  std::vector<std::shared_ptr<const LockPlan>> plans;
  for (int i = 0; i < 11; ++i) {
    plans.push_back(std::make_shared<const LockPlan>(specs(3), once()));
  }
  keep_one_of(plans.back());
  const std::ptrdiff_t before = test::allocations_alive();
  for (const auto& plan : plans) keep_one_of(plan);
  EXPECT_EQ(test::allocations_alive(), before);
}

}  // namespace
}  // namespace redlock::renewal_scheduler_test
