// LeaseDeadline ends once and for good, whoever notices first.
#include "redlock/lease/lease_deadline.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <thread>

#include "support/machine.hpp"

namespace redlock::lease_deadline_test {
namespace {

using test::kOneNs;
using test::t;

TEST(LeaseDeadline, LastsUntilItsEndAndNotLonger) {
  LeaseDeadline lease_deadline(t(100));
  EXPECT_EQ(lease_deadline.left(t(40)), Duration::ms(60));
  EXPECT_EQ(lease_deadline.left(t(100) - kOneNs), kOneNs);
  EXPECT_EQ(lease_deadline.left(t(100)), Duration());
}

TEST(LeaseDeadline, OfWhichSomebodyWasToldTheEndIsNotProlonged) {
  LeaseDeadline lease_deadline(t(100));
  EXPECT_EQ(lease_deadline.left(t(100)), Duration());
  EXPECT_FALSE(lease_deadline.prolong(t(200), t(99)));
  EXPECT_EQ(lease_deadline.left(t(50)), Duration()) << "not even by a clock that stood still";
}

TEST(LeaseDeadline, ThatEndedUnseenIsNotProlongedEither) {
  LeaseDeadline lease_deadline(t(100));
  EXPECT_FALSE(lease_deadline.prolong(t(200), t(100)));
  EXPECT_TRUE(lease_deadline.prolong(t(200), t(100) - kOneNs));
  EXPECT_EQ(lease_deadline.left(t(150)), Duration::ms(50));
}

TEST(LeaseDeadline, IsNeverShortened) {
  LeaseDeadline lease_deadline(t(100));
  EXPECT_TRUE(lease_deadline.prolong(t(60), t(1)));
  EXPECT_EQ(lease_deadline.until(), t(100));
}

TEST(LeaseDeadline, EndsWithItsOwnersReleaseAndThatIsNoLoss) {
  LeaseDeadline lease_deadline(t(100));
  lease_deadline.end();
  EXPECT_EQ(lease_deadline.left(t(1)), Duration());
  EXPECT_EQ(lease_deadline.loss(), Loss::none);
  lease_deadline.lose(Loss::denied);
  EXPECT_EQ(lease_deadline.loss(), Loss::none) << "what was released cannot be lost";
}

TEST(LeaseDeadline, IsLostThoughItIsProlongedAtThatMoment) {
  constexpr int kRounds = 20'000;
  // On a machine that is busy each of them may take a while.
  const auto enough = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  std::deque<LeaseDeadline> trusts;
  std::atomic<LeaseDeadline*> prolonged = nullptr;
  std::jthread renewal_thread([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      if (LeaseDeadline* const lease_deadline = prolonged.load())
        (void)lease_deadline->prolong(t(200 + i), t(1));
    }
  });
  for (int i = 0; i < kRounds && std::chrono::steady_clock::now() < enough; ++i) {
    LeaseDeadline& lease_deadline = trusts.emplace_back(t(100));
    prolonged = &lease_deadline;
    while (lease_deadline.until() == t(100)) std::this_thread::yield();
    lease_deadline.lose(Loss::denied);
    ASSERT_EQ(lease_deadline.until(), Instant());
  }
}

TEST(LeaseDeadline, KnowsWhetherItsOwnerEndedIt) {
  LeaseDeadline over(t(100));
  EXPECT_EQ(over.left(t(100)), Duration());
  EXPECT_FALSE(over.released());
  over.end();
  EXPECT_TRUE(over.released());
  EXPECT_EQ(over.until(), Instant());
  EXPECT_FALSE(over.prolong(t(200), t(1)));
  EXPECT_EQ(over.left(t(1)), Duration());
}

TEST(LeaseDeadline, OfALockThatLivesOnIsOverAndNotReleased) {
  LeaseDeadline lease_deadline(t(100));
  lease_deadline.transfer();
  EXPECT_TRUE(lease_deadline.transferred());
  EXPECT_FALSE(lease_deadline.released());
  EXPECT_EQ(lease_deadline.left(t(1)), Duration());
  EXPECT_EQ(lease_deadline.until(), Instant());
  EXPECT_FALSE(lease_deadline.prolong(t(200), t(1)));
  lease_deadline.lose(Loss::denied);
  EXPECT_EQ(lease_deadline.loss(), Loss::none);
}

TEST(LeaseDeadline, IsOverInOneWayAtATime) {
  LeaseDeadline transferred(t(100));
  transferred.transfer();
  EXPECT_FALSE(transferred.superseded());
  LeaseDeadline superseded(t(100));
  superseded.supersede();
  EXPECT_TRUE(superseded.superseded());
  EXPECT_FALSE(superseded.transferred());
  EXPECT_FALSE(superseded.released());
}

TEST(LeaseDeadline, RemembersTheLatestEndThatTheServersWereTold) {
  LeaseDeadline lease_deadline(t(90), t(100));
  EXPECT_FALSE(lease_deadline.may_outlast(Duration::ms(100), t(0)));
  EXPECT_TRUE(lease_deadline.may_outlast(Duration::ms(99), t(0)));
  lease_deadline.note_told(Duration::ms(200), t(10));
  lease_deadline.note_told(Duration::ms(50), t(20));
  EXPECT_TRUE(lease_deadline.may_outlast(Duration::ms(100), t(0)));
  EXPECT_FALSE(lease_deadline.may_outlast(Duration::ms(210), t(0)));
  EXPECT_EQ(lease_deadline.until(), t(90)) << "their answers are something else";
}

TEST(LeaseDeadline, NobodyIsToldATtlThatIsRefused) {
  LeaseDeadline lease_deadline(t(90), t(100));
  lease_deadline.note_told(kTtlMax + Duration::ns(1), t(0));
  lease_deadline.note_told(Duration::ms(-200), t(0));
  EXPECT_FALSE(lease_deadline.may_outlast(Duration::ms(100), t(0)));
}

TEST(LeaseDeadline, OfALockOfWhichNothingIsKnownMayBeOutlastedForEver) {
  EXPECT_TRUE(LeaseDeadline(t(90)).may_outlast(kTtlMax, t(0)));
}

TEST(LeaseDeadline, ThatIsSharedGoesOnAndTheLockLivesOnBesideIt) {
  LeaseDeadline lease_deadline(t(100));
  EXPECT_FALSE(lease_deadline.lives_on());
  lease_deadline.share();
  EXPECT_TRUE(lease_deadline.lives_on());
  EXPECT_FALSE(lease_deadline.transferred());
  EXPECT_EQ(lease_deadline.until(), t(100));
  lease_deadline.lose(Loss::silence);
  EXPECT_TRUE(lease_deadline.lives_on());
  LeaseDeadline transferred(t(100));
  transferred.transfer();
  EXPECT_TRUE(transferred.lives_on());
}

class SuccessorsOfADeadline : public testing::Test {
 protected:
  SuccessorsOfADeadline() {
    lease_deadline_.set_successor(first_);
    first_->set_successor(second_);
  }
  LeaseDeadline lease_deadline_{t(100)};
  std::shared_ptr<LeaseDeadline> first_ = std::make_shared<LeaseDeadline>(t(100));
  std::shared_ptr<LeaseDeadline> second_ = std::make_shared<LeaseDeadline>(t(100));
};

TEST_F(SuccessorsOfADeadline, AreLostWithIt) {
  EXPECT_TRUE(lease_deadline_.lives_on());
  lease_deadline_.end();
  lease_deadline_.lose_with_successors(Loss::silence);
  EXPECT_TRUE(lease_deadline_.released());
  EXPECT_EQ(first_->loss(), Loss::silence);
  EXPECT_EQ(second_->loss(), Loss::silence);
  EXPECT_FALSE(lease_deadline_.lives_on());
}

TEST_F(SuccessorsOfADeadline, ThatOthersHaveKeepItsVotesAlive) {
  second_->transfer();
  lease_deadline_.lose_with_successors(Loss::silence);
  EXPECT_EQ(first_->loss(), Loss::silence);
  EXPECT_TRUE(lease_deadline_.lives_on());
}

TEST(LeaseDeadline, ThatIsLostSaysWhy) {
  LeaseDeadline lease_deadline(t(100));
  lease_deadline.lose(Loss::denied);
  EXPECT_EQ(lease_deadline.left(t(1)), Duration());
  EXPECT_EQ(lease_deadline.loss(), Loss::denied);
  lease_deadline.lose(Loss::silence);
  EXPECT_EQ(lease_deadline.loss(), Loss::denied) << "the first reason counts";
}

}  // namespace
}  // namespace redlock::lease_deadline_test
