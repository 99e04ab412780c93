// A vote that was repaired, or may be yet, is removed with the release of its lock, and never
// before.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "redlock/wire/scripts.hpp"
#include "support/child.hpp"
#include "support/renewal_scheduler_fixture.hpp"
#include "support/system_calls.hpp"

namespace redlock::renewal_scheduler_undo_test {
namespace {

using test::kTtl;
using test::RenewalSchedulerTest;

class RenewalUndoTest : public RenewalSchedulerTest {
 protected:
  // Whoever releases the lock does so on connections of his own, maybe before the repair is there:
  // here nobody does, and what goes, the renewal has taken back.
  bool is_taken_back_by(const std::function<void(const KeptLease&)>& end, bool arrived = false) {
    const KeptLease lease = take_and_repair();
    if (arrived) step_for(Duration::ms(30));
    EXPECT_EQ(server(2).keys["r"], lease.token.view());
    end(lease);
    EXPECT_EQ(scheduler_.size(), 0U);
    step_for(Duration::ms(100));
    const bool gone = server(2).keys.empty();
    for (std::size_t i = 0; i < 3; ++i) server(i).keys.clear();
    server(2).answer_time = Duration();
    return gone;
  }
  // In nested PID namespaces parent and child may both be process 1.
  test::SystemCalls calls_;
  void stop(const KeptLease& lease) { scheduler_.stop(*lease.lease_deadline); }
  std::size_t removals(std::size_t i) {
    return static_cast<std::size_t>(std::ranges::count_if(server(i).log, [](const auto& request) {
      return request.size() > 1 &&
             (request[1] == scripts::pass.text || request[1] == scripts::pass.sha1);
    }));
  }
};

TEST_F(RenewalUndoTest, WhatIsRepairedForAReleasedLockIsTakenBackAsItIsStopped) {
  for (const bool arrived : {false, true}) {
    EXPECT_TRUE(is_taken_back_by(
        [this](const KeptLease& lease) {
          lease.lease_deadline->end();
          stop(lease);
        },
        arrived));
  }
}

TEST_F(RenewalUndoTest, WhatIsRepairedAsEverythingIsLetGoOfIsTakenBackWhereItsLockIsReleased) {
  for (const bool arrived : {false, true}) {
    EXPECT_FALSE(is_taken_back_by([this](const KeptLease&) { scheduler_.clear(); }, arrived))
        << "the lock is its owner's";
  }
  for (const bool arrived : {false, true}) {
    EXPECT_TRUE(is_taken_back_by(
        [this](const KeptLease& lease) {
          lease.lease_deadline->end();
          scheduler_.clear();
        },
        arrived));
  }
}

TEST_F(RenewalUndoTest, OfWhatIsTakenBackNothingIsUnderWayAnyMore) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(is_taken_back_by([this](const KeptLease& lease) {
      lease.lease_deadline->end();
      stop(lease);
    }));
  }
  EXPECT_EQ(pool_.next_deadline(), std::nullopt);
}

// Its answer may be long in coming, and what was repaired is in others' way.
TEST_F(RenewalUndoTest, WhatIsRepairedForALockThatIsReleasedBehindItsKeepingIsTakenBackAtOnce) {
  EXPECT_TRUE(is_taken_back_by([this](const KeptLease& lease) {
    stop(lease);
    EXPECT_EQ(scheduler_.size(), 1U) << "what is repaired is waited for";
    lease.lease_deadline->end();
    scheduler_.drive(clock_.now());
    EXPECT_TRUE(server(2).keys.empty());
  }));
}

// As its other votes do: whoever has the token otherwise may trust in them.
TEST_F(RenewalUndoTest, WhatIsRepairedForALostLeaseStaysForItsTtl) {
  EXPECT_FALSE(is_taken_back_by([this](const KeptLease& lease) {
    // Its owner has learned it first, and it is looked at anew.
    lease.lease_deadline->lose(Loss::denied);
    scheduler_.keep(lease);
    scheduler_.drive(clock_.now());
    EXPECT_EQ(losses_->count, 1);
  }));
}

// Its owner rests on it until a majority has the other token.
TEST_F(RenewalUndoTest, WhatIsRepairedForATokenThatIsExchangedIsTakenBackBehindTheVerdict) {
  EXPECT_FALSE(is_taken_back_by([this](const KeptLease& lease) {
    lease.lease_deadline->supersede();
    stop(lease);
    keep_for(Duration::ms(100));
  }));
  EXPECT_TRUE(is_taken_back_by([this](const KeptLease& lease) {
    lease.lease_deadline->supersede();
    stop(lease);
    step_for(Duration::ms(5));
    lease.lease_deadline->end();
    keep_for(Duration::ms(100));
  }));
}

// An undo that comes late, on the renewal thread's next connection, would delete what an extend of
// the owner on his own connections has counted.
TEST_F(RenewalUndoTest, AnUnansweredRepairIsNeverUndoneWhileItsLockLives) {
  const KeptLease lease = take_and_repair();
  ASSERT_EQ(server(2).keys["r"], lease.token.view());
  const std::size_t before = extends(2);
  transport_.drop_connections(server(2));
  // Its owner finds the vote there by now, and counts it.
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration();
  keep_for(kTtl * 2);
  EXPECT_GT(extends(2), before) << "it is extended there on another connection";
  EXPECT_EQ(removals(2), 0U);
  EXPECT_EQ(server(2).keys["r"], lease.token.view());
}

// The order to stop it comes a moment later.
TEST_F(RenewalUndoTest, ALeaseThatIsExchangedIsNotToldAsLost) {
  const KeptLease lease = take_and_repair();
  lease.lease_deadline->supersede();
  keep_for(kTtl);
  EXPECT_EQ(losses_->count, 0);
  EXPECT_EQ(scheduler_.size(), 0U);
}

// Its parent may have ended the deadline, and rest on the votes of another one by now.
TEST_F(RenewalUndoTest, AChildRemovesNothingThatItsParentRepaired) {
  const KeptLease lease = take_and_repair();
  step_for(Duration::ms(30));
  lease.lease_deadline->end();
  const std::size_t before = server(2).log.size();
  EXPECT_EQ(test::exit_status_of_child([&] {
              scheduler_.clear();
              step_for(Duration::ms(30));
              return server(2).log.size() == before;
            }),
            0);
  scheduler_.clear();
  step_for(Duration::ms(100));
  EXPECT_TRUE(server(2).keys.empty()) << "the parent does";
}

TEST_F(RenewalUndoTest, WhatWasRepairedWithoutAnAnswerIsRemovedWithTheRelease) {
  const KeptLease lease = take_and_repair();
  transport_.drop_connections(server(2));
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration();
  keep_for(Duration::ms(100));
  server(2).keys["r"] = lease.token.view();
  lease.lease_deadline->end();
  scheduler_.stop(*lease.lease_deadline);
  step_for(Duration::ms(100));
  EXPECT_TRUE(server(2).keys.empty()) << "the repair may have come behind the owner's release";
  EXPECT_EQ(scheduler_.size(), 0U);
}

TEST_F(RenewalUndoTest, WhatIsRepairedForALockThatIsTransferredStaysThoughItIsLookedAt) {
  EXPECT_FALSE(is_taken_back_by([this](const KeptLease& lease) {
    lease.lease_deadline->transfer();
    scheduler_.keep(lease);
    keep_for(Duration::ms(50));
    EXPECT_EQ(losses_->count, 0);
  }));
}

}  // namespace
}  // namespace redlock::renewal_scheduler_undo_test
