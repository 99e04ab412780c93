// A vote that is on its way when its lease is kept no more is taken back, and so is one that has
// just arrived for a lock that was released.
#include <gtest/gtest.h>

#include <functional>

#include "support/keeping_fixture.hpp"

namespace redlock {
namespace {

using test::KeepingTest;
using test::kTtl;

class KeepingUndoTest : public KeepingTest {
 protected:
  // Whoever releases the lock does so on connections of his own, maybe before the plant is there:
  // here nobody does, and what goes, the keeping has taken back.
  bool is_taken_back_by(const std::function<void(const KeptLease&)>& end, bool arrived = false) {
    const KeptLease lease = take_and_plant();
    if (arrived) step_for(Duration::ms(30));
    EXPECT_EQ(server(2).keys["r"], lease.token.view());
    end(lease);
    EXPECT_EQ(keeping_.size(), 0U);
    step_for(Duration::ms(100));
    const bool gone = server(2).keys.empty();
    for (std::size_t i = 0; i < 3; ++i) server(i).keys.clear();
    server(2).answer_time = Duration();
    return gone;
  }
  void stop(const KeptLease& lease) { keeping_.stop(*lease.trust); }
};

TEST_F(KeepingUndoTest, WhatIsPlantedForAReleasedLockIsTakenBackAsItIsStopped) {
  for (const bool arrived : {false, true}) {
    EXPECT_TRUE(is_taken_back_by(
        [this](const KeptLease& lease) {
          lease.trust->end();
          stop(lease);
        },
        arrived));
  }
}

TEST_F(KeepingUndoTest, WhatIsPlantedAsEverythingIsLetGoOfIsTakenBack) {
  EXPECT_TRUE(is_taken_back_by([this](const KeptLease&) { keeping_.clear(); }));
  EXPECT_FALSE(is_taken_back_by([this](const KeptLease&) { keeping_.clear(); }, true))
      << "it has arrived, and the lock is its owner's";
  for (const bool arrived : {false, true}) {
    EXPECT_TRUE(is_taken_back_by(
        [this](const KeptLease& lease) {
          lease.trust->end();
          keeping_.clear();
        },
        arrived));
  }
}

TEST_F(KeepingUndoTest, OfWhatIsTakenBackNothingIsUnderWayAnyMore) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(is_taken_back_by([this](const KeptLease& lease) {
      lease.trust->end();
      stop(lease);
    }));
  }
  EXPECT_EQ(pool_.next_deadline(), std::nullopt);
}

// Its answer may be long in coming, and what was planted is in others' way.
TEST_F(KeepingUndoTest, WhatIsPlantedForALockThatIsReleasedBehindItsKeepingIsTakenBackAtOnce) {
  EXPECT_TRUE(is_taken_back_by([this](const KeptLease& lease) {
    stop(lease);
    EXPECT_EQ(keeping_.size(), 1U) << "what is planted is waited for";
    lease.trust->end();
    keeping_.drive(clock_.now());
    EXPECT_TRUE(server(2).keys.empty());
  }));
}

TEST_F(KeepingUndoTest, WhatIsPlantedForALostLeaseIsTakenBack) {
  EXPECT_TRUE(is_taken_back_by([this](const KeptLease& lease) {
    // Its owner has learned it first, and it is looked at anew.
    lease.trust->lose(Loss::denied);
    keeping_.keep(lease);
    keeping_.drive(clock_.now());
    EXPECT_EQ(losses_->count, 1);
  }));
}

TEST_F(KeepingUndoTest, WhatIsPlantedForALockThatIsPassedOnStaysThoughItIsLookedAt) {
  EXPECT_FALSE(is_taken_back_by([this](const KeptLease& lease) {
    lease.trust->pass_on();
    keeping_.keep(lease);
    keep_for(Duration::ms(50));
    EXPECT_EQ(losses_->count, 0);
  }));
}

}  // namespace
}  // namespace redlock
