// A kept lease is extended in time, sooner in trouble, and lost at its deadline and not later.
#include "redlock/algorithm/renewal.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "support/machine.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::renewal_test {
namespace {

using test::kOneNs;
using test::t;

constexpr Duration kTtl = Duration::ms(3'000);
constexpr Duration kRenewMax = Duration::ms(60'000);

class RenewalScheduler : public testing::Test {
 protected:
  // Taken at 0, trusted for 2,900 ms.
  Renewal lease(Duration renew_max = kRenewMax) {
    return {{kTtl, renew_max}, t(0), t(2'900), entropy_};
  }
  // One that is extended whenever it is due, until nothing is left to do.
  static Instant last_deadline(Renewal& lease) {
    Instant now = t(0);
    while (const std::optional<Instant> next = lease.next_event(now)) {
      now = *next;
      if (const std::optional<Duration> by = lease.extend_by(now)) lease.extended(now + *by, now);
    }
    return now;
  }

  // At most: two moments at which leases of this ttl may be due are so far apart.
  static Duration grid_step() { return Duration::ns(kTtl.count_ns() / kGridPart); }
  // When leases of this ttl are due that were taken one by one from 0 on.
  std::map<Instant, int> due_of_many(int count, Duration apart) {
    std::map<Instant, int> due;
    for (int i = 0; i < count; ++i) {
      const Instant taken = t(0) + apart * i;
      Renewal kept{{kTtl, kRenewMax}, taken, taken + Duration::ms(2'900), entropy_};
      ++due[kept.next_event(taken).value()];
    }
    return due;
  }

  test::SeededEntropy entropy_;
};

TEST_F(RenewalScheduler, IsDueAThirdOfTheTtlAfterTheLastSuccessOrALittleSooner) {
  Renewal kept = lease();
  for (const Instant from : {t(0), t(700)}) {
    const Instant due = kept.next_event(from).value();
    EXPECT_GE(due - from, Duration::ms(900) - grid_step());
    EXPECT_LE(due - from, Duration::ms(1'000));
    EXPECT_FALSE(kept.extend_by(due - kOneNs));
    if (from == t(0)) {
      EXPECT_EQ(kept.extend_by(due), kTtl);
      kept.extended(t(3'600), t(700));
    }
  }
}

TEST_F(RenewalScheduler, LeasesTakenTogetherAreNotExtendedTogether) {
  const std::map<Instant, int> due = due_of_many(1'000, Duration());
  EXPECT_GE(due.size(), 8U);
  for (const auto& [moment, count] : due) EXPECT_LE(count, 200) << moment.since_epoch_ns();
}

TEST_F(RenewalScheduler, ManyLeasesAreDueAtFewMoments) {
  const std::map<Instant, int> due = due_of_many(1'000, Duration::ms(1));
  // A second and its jitter, in steps of at least half of the grid's part of a ttl.
  EXPECT_LE(due.size(), 2U * 1'100U * kGridPart / 3'000U + 1U);
  for (const int ms : {100, 1'000, 30'000, 3'600'000}) {
    const Duration ttl = Duration::ms(ms);
    Renewal kept{{ttl, ttl * 10}, t(5), t(5) + ttl, entropy_};
    const Instant moment = kept.next_event(t(5)).value();
    const auto step = std::bit_floor(static_cast<std::uint64_t>(ttl.count_ns() / kGridPart));
    EXPECT_EQ(moment.since_epoch_ns() % static_cast<std::int64_t>(step), 0)
        << ms << " ms: a moment of the grid of shorter ttls too";
  }
}

TEST_F(RenewalScheduler, TheShortestTtlHasNoGrid) {
  Renewal kept{{Duration::ns(200), Duration::ns(2'000)}, t(0), t(0) + Duration::ns(150), entropy_};
  const Instant due = kept.next_event(t(0)).value();
  EXPECT_GE(due - t(0), Duration::ns(60));
  EXPECT_LE(due - t(0), Duration::ns(67));
}

TEST_F(RenewalScheduler, IsTriedSoonerInTroubleAndForAsLongAsItIsTrusted) {
  Renewal kept = lease();
  Instant now = t(0);
  int tries = 0;
  while (const std::optional<Instant> next = kept.next_event(now)) {
    now = *next;
    if (!kept.extend_by(now)) continue;
    ++tries;
    kept.failed(now);
  }
  EXPECT_EQ(now, t(2'900));
  EXPECT_EQ(kept.loss(now), Loss::silence);
  EXPECT_GE(tries, 10);
  EXPECT_LE(tries, 13);
}

TEST_F(RenewalScheduler, IsLostBySilenceAtTheDeadlineAndNotSooner) {
  const Renewal kept = lease();
  EXPECT_EQ(kept.loss(t(2'900) - kOneNs), Loss::none);
  EXPECT_EQ(kept.loss(t(2'900)), Loss::silence);
  EXPECT_EQ(kept.next_event(t(2'900)), std::nullopt);
}

TEST_F(RenewalScheduler, AnExtendUnderWayPutsTheDeadlineOffOnlyWhenItIsAnswered) {
  Renewal kept = lease();
  ASSERT_TRUE(kept.extend_by(t(1'000)));
  EXPECT_FALSE(kept.extend_by(t(1'001))) << "one at a time";
  EXPECT_EQ(kept.next_event(t(1'001)), t(2'900));
  EXPECT_EQ(kept.loss(t(2'900)), Loss::silence);
}

TEST_F(RenewalScheduler, WhatIsLostStaysLost) {
  Renewal silent = lease();
  ASSERT_TRUE(silent.extend_by(t(1'000)));
  silent.extended(t(5'000), t(2'900));
  EXPECT_EQ(silent.loss(t(2'900)), Loss::silence);
  Renewal denied = lease();
  ASSERT_TRUE(denied.extend_by(t(1'000)));
  denied.denied();
  EXPECT_EQ(denied.loss(t(1'000)), Loss::denied);
  EXPECT_EQ(denied.next_event(t(1'000)), std::nullopt);
  EXPECT_FALSE(denied.extend_by(t(2'000)));
}

TEST_F(RenewalScheduler, TroubleThatPassesLeavesNothingBehind) {
  Renewal kept = lease();
  ASSERT_TRUE(kept.extend_by(t(1'000)));
  kept.failed(t(1'050));
  const Instant again = kept.next_event(t(1'050)).value();
  EXPECT_LE(again - t(1'050), Duration::ms(188));
  ASSERT_TRUE(kept.extend_by(again));
  kept.extended(t(4'000), again);
  EXPECT_GE(kept.next_event(again).value() - again, Duration::ms(900) - grid_step());
  EXPECT_EQ(kept.valid_until(), t(4'000));
}

TEST_F(RenewalScheduler, AnAnswerNeverTakesTrustAway) {
  Renewal kept = lease();
  ASSERT_TRUE(kept.extend_by(t(1'000)));
  kept.extended(t(2'000), t(1'001));
  EXPECT_EQ(kept.valid_until(), t(2'900));
}

TEST_F(RenewalScheduler, EndsWhenItWasKeptForAsLongAsItsOwnerAllowed) {
  for (const std::int64_t keep_ms : {3'000, 3'500, 10'000, 10'001}) {
    Renewal kept = lease(Duration::ms(keep_ms));
    const Instant end = last_deadline(kept);
    EXPECT_LE(end, t(keep_ms)) << keep_ms;
    EXPECT_GE(end, t(keep_ms) - Duration::ns(kTtl.count_ns() / kTroublePart)) << keep_ms;
    EXPECT_EQ(kept.loss(end - kOneNs), Loss::none);
    EXPECT_EQ(kept.loss(end), Loss::renew_max);
  }
}

TEST_F(RenewalScheduler, IsNotExtendedForNextToNothing) {
  Renewal kept = lease(Duration::ms(3'000));
  EXPECT_EQ(kept.next_event(t(1'000)), t(2'900));
  EXPECT_FALSE(kept.extend_by(t(1'000)));
}

TEST_F(RenewalScheduler, IsExtendedForMoreThanASixteenthOfItsTtl) {
  // Of 3,000 ms, behind the 2,900 for which it is trusted.
  const Duration gain_of_nothing = Duration::ns(3'087'500'000);
  EXPECT_FALSE(lease(gain_of_nothing).extend_by(t(1'000)));
  EXPECT_EQ(lease(gain_of_nothing).next_event(t(0)), t(2'900));
  EXPECT_EQ(lease(gain_of_nothing).loss(t(2'900)), Loss::renew_max);
  EXPECT_TRUE(lease(gain_of_nothing + kOneNs).extend_by(t(1'000)));
}

TEST_F(RenewalScheduler, WhatItsOwnerExtendedIsTrustedAndTakesNothingAway) {
  Renewal kept = lease();
  kept.trusted(t(5'000));
  EXPECT_EQ(kept.loss(t(4'999)), Loss::none);
  kept.trusted(t(3'000));
  EXPECT_EQ(kept.valid_until(), t(5'000));
}

TEST_F(RenewalScheduler, WhatItsOwnerExtendedFarIsExtendedAgainBeforeItIsOver) {
  Renewal kept = lease();
  kept.trusted(t(30'000));
  const Instant due = kept.next_event(t(1'000)).value();
  EXPECT_GT(due, t(30'000) - kTtl);
  EXPECT_LT(due, t(30'000) - Duration::ns(kTtl.count_ns() / 2));
  EXPECT_FALSE(kept.extend_by(due - kOneNs));
  EXPECT_EQ(kept.extend_by(due), kTtl);
}

TEST_F(RenewalScheduler, OneOfWhichLittleIsLeftIsDueBeforeThatIsOver) {
  Renewal kept{{kTtl, kRenewMax}, t(0), t(300), entropy_};
  const Instant due = kept.next_event(t(0)).value();
  EXPECT_LE(due, t(150));
  EXPECT_EQ(kept.extend_by(due), kTtl);
}

TEST_F(RenewalScheduler, IsTrustedFromItsTakeOnForNoLongerThanThat) {
  const Renewal kept{{kTtl, Duration::ms(3'000)}, t(0), t(9'000), entropy_};
  EXPECT_EQ(kept.valid_until(), t(3'000));
  EXPECT_EQ(kept.loss(t(3'000) - kOneNs), Loss::none);
  EXPECT_EQ(kept.loss(t(3'000)), Loss::renew_max);
}

TEST_F(RenewalScheduler, TrustsNobodyBeyondThatEnd) {
  Renewal kept = lease(Duration::ms(3'500));
  EXPECT_EQ(kept.extend_by(t(1'000)), Duration::ms(2'500));
  kept.extended(t(9'000), t(1'001));
  EXPECT_EQ(kept.valid_until(), t(3'500));
}

}  // namespace
}  // namespace redlock::renewal_test
