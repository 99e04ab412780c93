// Kept leases are extended by their own clocks, and none is at another's mercy.
#include "redlock/runtime/keeping.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/fake_world.hpp"

namespace redlock {
namespace {

using test::FakeServer;
using test::FakeWorld;

constexpr Duration kTtl = Duration::ms(3'000);

class KeepingTest : public FakeWorld {
 protected:
  struct CountedLosses final : LossListener {
    void lost() noexcept override { ++count; }
    int count = 0;
  };

  // Taken now, by a manager of the same servers.
  KeptLease take(const std::string& resource = "r", Duration keep_max = Duration::seconds(3'600)) {
    LockManager locks(pool_, plan_);
    const Instant taken_at = clock_.now();
    const Outcome taken = lock(locks, resource, kTtl);
    EXPECT_EQ(taken.decision, Decision::granted);
    const Instant until = taken.decided_at + taken.validity;
    return {plan_,
            Resource(resource),
            taken.token,
            {kTtl, keep_max},
            taken_at,
            until,
            std::make_shared<Trust>(until),
            losses_};
  }
  // As if it had been taken a third of its ttl ago: it is due at once, whatever its jitter.
  KeptLease take_due(const std::string& resource) {
    KeptLease lease = take(resource);
    const Duration third = Duration::ns(kTtl.count_ns() / kRenewalPart);
    lease.taken_at = lease.taken_at - third;
    lease.trusted_until = lease.trusted_until - third;
    lease.trust = std::make_shared<Trust>(lease.trusted_until);
    return lease;
  }
  // Kept, and the vote that server 2 has lost is on its way there again.
  KeptLease take_and_plant() {
    const KeptLease lease = take();
    keeping_.keep(lease);
    server(2).keys.clear();
    server(2).answer_time = Duration::ms(20);
    const std::size_t before = server(2).count("SET");
    while (server(2).count("SET") == before) keep_for(Duration::ms(1));
    return lease;
  }
  // Lets time pass as the keeper's thread does.
  void keep_for(Duration span) {
    const Instant until = clock_.now() + span;
    while (clock_.now() < until) {
      keeping_.drive(clock_.now());
      pool_.step(std::min(until, keeping_.next_event().value_or(until)));
    }
    keeping_.drive(clock_.now());
  }
  // Extends only; a release has a script of its own.
  std::size_t extends(std::size_t i) {
    return static_cast<std::size_t>(std::ranges::count_if(server(i).log, [](const auto& request) {
      return request.size() == 6 && request[0].starts_with("EVAL") && request[3] == "r";
    }));
  }
  bool live(const KeptLease& lease) { return lease.trust->left(clock_.now()) > Duration(); }

  std::shared_ptr<const LockPlan> plan_ = std::make_shared<const LockPlan>(specs(3), once());
  std::shared_ptr<CountedLosses> losses_ = std::make_shared<CountedLosses>();
  Keeping keeping_{pool_};
};

TEST_F(KeepingTest, ALeaseOutlivesItsTtlManyTimesOverByAThirdOfItEach) {
  const KeptLease lease = take();
  keeping_.keep(lease);
  keep_for(kTtl * 10);
  EXPECT_TRUE(live(lease));
  EXPECT_GE(extends(0), 29U);
  EXPECT_LE(extends(0), 36U);
  EXPECT_EQ(losses_->count, 0);
}

TEST_F(KeepingTest, OneThatIsNotKeptEndsByItself) {
  const KeptLease lease = take();
  keep_for(kTtl);
  EXPECT_FALSE(live(lease));
}

TEST_F(KeepingTest, AMajoritysDenialIsLossAtOnce) {
  const KeptLease lease = take();
  keeping_.keep(lease);
  for (const std::size_t i : {0U, 1U}) server(i).keys["r"] = "somebody else's";
  keep_for(kTtl * 2 - Duration::ms(2'500));
  EXPECT_FALSE(live(lease));
  EXPECT_EQ(lease.trust->loss(), Loss::denied);
  EXPECT_EQ(losses_->count, 1);
  EXPECT_EQ(keeping_.size(), 0U);
}

TEST_F(KeepingTest, OneDenialBesideTroubleIsNoLoss) {
  const KeptLease lease = take();
  keeping_.keep(lease);
  server(0).keys["r"] = "somebody else's";
  server(1).stopped = true;
  keep_for(Duration::ms(1'500));
  EXPECT_TRUE(live(lease));
  server(1).stopped = false;
  keep_for(kTtl * 2);
  EXPECT_TRUE(live(lease)) << "trouble that passes ends nothing";
  EXPECT_EQ(losses_->count, 0);
}

TEST_F(KeepingTest, SilenceIsLossWhenTheTrustEndsAndNotSooner) {
  const KeptLease lease = take();
  keeping_.keep(lease);
  for (const std::size_t i : {0U, 1U}) server(i).stopped = true;
  keep_for(lease.trusted_until - clock_.now() - Duration::ms(1));
  EXPECT_TRUE(live(lease));
  EXPECT_EQ(losses_->count, 0);
  keep_for(Duration::ms(1));
  EXPECT_FALSE(live(lease));
  EXPECT_EQ(lease.trust->loss(), Loss::silence);
  EXPECT_EQ(losses_->count, 1);
}

TEST_F(KeepingTest, OfAStoppedLeaseNothingIsSentOrToldAnyMore) {
  const KeptLease lease = take();
  keeping_.keep(lease);
  keep_for(kTtl);
  const std::size_t before = extends(0);
  lease.trust->end();
  keeping_.stop(*lease.trust);
  keep_for(kTtl * 3);
  EXPECT_EQ(extends(0), before);
  EXPECT_EQ(losses_->count, 0);
}

TEST_F(KeepingTest, ALeaseThatIsKeptNoMoreLivesUntilItsTimeIsOver) {
  const KeptLease lease = take();
  keeping_.keep(lease);
  keep_for(kTtl);
  keeping_.stop(*lease.trust);
  const std::size_t before = extends(0);
  const Instant until = lease.trust->until();
  keep_for(until - clock_.now() - Duration::ms(1));
  EXPECT_TRUE(live(lease));
  EXPECT_EQ(extends(0), before);
  keep_for(kTtl);
  EXPECT_FALSE(live(lease));
  EXPECT_EQ(losses_->count, 0);
}

TEST_F(KeepingTest, ALeaseThatIsStoppedWhileItIsExtendedIsNotLost) {
  const KeptLease lease = take();
  keeping_.keep(lease);
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(20);
  keep_for(Duration::ms(905));
  while (extends(0) == 0) keep_for(Duration::ms(1));
  lease.trust->end();
  keeping_.stop(*lease.trust);
  for (std::size_t i = 0; i < 3; ++i) server(i).keys.clear();
  keep_for(kTtl);
  EXPECT_EQ(losses_->count, 0);
  EXPECT_EQ(lease.trust->loss(), Loss::none);
}

TEST_F(KeepingTest, ALeaseWhoseOwnerEndedItWithoutAWordIsLeftAlone) {
  const KeptLease lease = take();
  keeping_.keep(lease);
  lease.trust->end();
  keep_for(kTtl * 2);
  EXPECT_EQ(extends(0), 0U);
  EXPECT_EQ(keeping_.size(), 0U);
}

TEST_F(KeepingTest, WhatItsOwnerExtendedIsTrustedForAsLong) {
  const KeptLease lease = take("r", kTtl);
  keeping_.keep(lease);
  ASSERT_TRUE(lease.trust->prolong(clock_.now() + kTtl * 2, clock_.now()));
  keep_for(kTtl + kTtl - Duration::ms(1));
  EXPECT_TRUE(live(lease));
  EXPECT_EQ(losses_->count, 0);
  keep_for(Duration::ms(1));
  EXPECT_EQ(losses_->count, 1);
}

TEST_F(KeepingTest, IsNotKeptForLongerThanItsOwnerAllows) {
  const KeptLease lease = take("r", kTtl * 3);
  keeping_.keep(lease);
  keep_for(kTtl * 3 - Duration::ms(200));
  EXPECT_TRUE(live(lease));
  keep_for(Duration::ms(200));
  EXPECT_FALSE(live(lease));
  EXPECT_EQ(lease.trust->loss(), Loss::kept);
}

TEST_F(KeepingTest, ALeaseInTroubleHoldsUpNoOther) {
  const KeptLease lost = take("lost");
  const KeptLease kept = take();
  keeping_.keep(lost);
  keeping_.keep(kept);
  for (std::size_t i = 0; i < 3; ++i) server(i).keys["lost"] = "somebody else's";
  keep_for(kTtl * 5);
  EXPECT_FALSE(live(lost));
  EXPECT_TRUE(live(kept));
  EXPECT_EQ(losses_->count, 1);
}

TEST_F(KeepingTest, MoreLeasesThanAreAskedAtATimeAreAllKept) {
  std::vector<KeptLease> leases;
  for (std::size_t i = 0; i < kExtendsUnderWayMax * 2; ++i) {
    leases.push_back(take_due("r" + std::to_string(i)));
    keeping_.keep(leases.back());
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

TEST_F(KeepingTest, ExtendsThatAreDueTogetherTravelTogether) {
  for (std::size_t i = 0; i < 1'000; ++i) keeping_.keep(take("r" + std::to_string(i)));
  keep_for(kTtl);
  const std::size_t before = transport_.send_count;
  const auto extends_of_all = [this] { return server(0).log.size(); };
  const std::size_t extended = extends_of_all();
  keep_for(kTtl * 3);
  EXPECT_GT(extends_of_all() - extended, 8'000U);
  EXPECT_LT((transport_.send_count - before) / 3, (extends_of_all() - extended) / 4);
  EXPECT_EQ(losses_->count, 0);
}

TEST_F(KeepingTest, AVoteThatAServerHasLostIsPlantedAgain) {
  const KeptLease lease = take();
  keeping_.keep(lease);
  for (std::size_t i = 0; i < 3; ++i) {
    server(i).keys.clear();
    keep_for(kTtl);
    EXPECT_EQ(server(i).keys["r"], lease.token.view()) << "server " << i << ", restarted and empty";
  }
  EXPECT_TRUE(live(lease)) << "all servers have been restarted, one after the other";
}

TEST_F(KeepingTest, NothingIsPlantedWhereSomebodyElseStandsOrNoMajorityConfirmed) {
  const KeptLease lease = take();
  keeping_.keep(lease);
  server(2).keys["r"] = "somebody else's";
  keep_for(kTtl);
  EXPECT_EQ(server(2).keys["r"], "somebody else's");
  for (std::size_t i = 0; i < 2; ++i) server(i).keys.clear();
  keep_for(kTtl);
  EXPECT_TRUE(server(0).keys.empty());
  EXPECT_EQ(lease.trust->loss(), Loss::denied);
}

TEST_F(KeepingTest, AReleasedLeaseIsNotPlantedAgain) {
  const KeptLease lease = take_and_plant();
  lease.trust->end();
  keeping_.stop(*lease.trust);
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration();
  LockManager locks(pool_, plan_);
  unlock(locks, lease.token);
  keep_for(kTtl);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(server(i).keys.empty()) << i;
}

// The release may have been there before the plant, on another connection.
TEST_F(KeepingTest, WhatWasPlantedWhileTheLeaseEndedIsUndone) {
  const KeptLease lease = take_and_plant();
  lease.trust->end();
  step_for(Duration::ms(30));
  ASSERT_EQ(server(2).keys["r"], lease.token.view());
  keep_for(Duration::ms(100));
  EXPECT_TRUE(server(2).keys.empty());
  keeping_.stop(*lease.trust);
  EXPECT_EQ(keeping_.size(), 0U);
}

TEST_F(KeepingTest, WhatIsPlantedForALockThatLivesOnStays) {
  const KeptLease lease = take_and_plant();
  lease.trust->pass_on();
  keeping_.stop(*lease.trust);
  keep_for(Duration::ms(100));
  EXPECT_EQ(keeping_.size(), 0U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(server(i).keys["r"], lease.token.view()) << i;
}

// Nobody keeps it any more, and nobody but the trust tells of the release.
TEST_F(KeepingTest, WhatIsPlantedForALockThatIsReleasedBehindItsKeepingIsUndone) {
  for (const bool answered : {false, true}) {
    const KeptLease lease = take_and_plant();
    keeping_.stop(*lease.trust);
    if (answered) step_for(Duration::ms(30));
    LockManager locks(pool_, plan_);
    lease.trust->end();
    unlock(locks, lease.token);
    // As where the release has overtaken the plant on another connection.
    server(2).keys["r"] = lease.token.view();
    keep_for(Duration::ms(100));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(server(i).keys.empty()) << i;
    EXPECT_EQ(keeping_.size(), 0U);
    server(2).answer_time = Duration();
  }
}

TEST_F(KeepingTest, NobodyIsToldOfTheLossOfWhatWasGivenUp) {
  const KeptLease released = take("released");
  const KeptLease passed_on = take("passed on");
  keeping_.keep(released);
  keeping_.keep(passed_on);
  released.trust->end();
  passed_on.trust->pass_on();
  keep_for(kTtl * 2);
  EXPECT_EQ(keeping_.size(), 0U);
  EXPECT_EQ(losses_->count, 0);
}

TEST_F(KeepingTest, ALeaseThatWasLeftAndIsKeptAgainIsKept) {
  const KeptLease lease = take_and_plant();
  keeping_.stop(*lease.trust);
  keeping_.keep(lease);
  keep_for(kTtl * 3);
  EXPECT_TRUE(live(lease));
}

TEST_F(KeepingTest, NewTermsLeaveWhatIsBeingPlantedAlone) {
  const KeptLease lease = take_and_plant();
  keeping_.keep(lease);
  keep_for(kTtl);
  EXPECT_EQ(keeping_.size(), 1U);
  EXPECT_TRUE(live(lease));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(server(i).keys["r"], lease.token.view()) << i;
}

TEST_F(KeepingTest, LeasesOfOtherServersAreNotHeldUpByCrowdsOfSilentOnes) {
  std::vector<KeptLease> leases;
  for (std::size_t i = 0; i < 2 * kExtendsUnderWayMax; ++i) {
    leases.push_back(take_due("r" + std::to_string(i)));
  }
  std::vector<ServerSpec> others;
  for (std::size_t i = 3; i < 6; ++i) others.push_back(parse_server(name(i)));
  plan_ = std::make_shared<const LockPlan>(others, once());
  const KeptLease well = take_due("well");
  for (std::size_t i = 0; i < 3; ++i) server(i).stopped = true;
  for (const KeptLease& lease : leases) keeping_.keep(lease);
  keep_for(Duration::ms(1));
  keeping_.keep(well);
  keep_for(Duration::ms(1));
  EXPECT_GT(well.trust->until(), well.trusted_until) << "extended while they are waited for";
  keep_for(kTtl * 2);
  EXPECT_TRUE(live(well));
  EXPECT_EQ(losses_->count, static_cast<int>(leases.size())) << "each at its own deadline";
}

TEST_F(KeepingTest, LeasesOfOnePlanShareItsConnections) {
  const KeptLease one = take("r1");
  const KeptLease other = take("r2");
  keeping_.keep(one);
  keeping_.keep(other);
  keep_for(kTtl);
  EXPECT_EQ(pool_.connection_count(), 3U);
}

}  // namespace
}  // namespace redlock
