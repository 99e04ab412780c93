// Trust ends once and for good, whoever notices first.
#include "redlock/runtime/trust.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <thread>

#include "support/machine.hpp"

namespace redlock {
namespace {

using test::kOneNs;
using test::t;

TEST(Trust, LastsUntilItsEndAndNotLonger) {
  Trust trust(t(100));
  EXPECT_EQ(trust.left(t(40)), Duration::ms(60));
  EXPECT_EQ(trust.left(t(100) - kOneNs), kOneNs);
  EXPECT_EQ(trust.left(t(100)), Duration());
}

TEST(Trust, OfWhichSomebodyWasToldTheEndIsNotProlonged) {
  Trust trust(t(100));
  EXPECT_EQ(trust.left(t(100)), Duration());
  EXPECT_FALSE(trust.prolong(t(200), t(99)));
  EXPECT_EQ(trust.left(t(50)), Duration()) << "not even by a clock that stood still";
}

TEST(Trust, ThatEndedUnseenIsNotProlongedEither) {
  Trust trust(t(100));
  EXPECT_FALSE(trust.prolong(t(200), t(100)));
  EXPECT_TRUE(trust.prolong(t(200), t(100) - kOneNs));
  EXPECT_EQ(trust.left(t(150)), Duration::ms(50));
}

TEST(Trust, IsNeverShortened) {
  Trust trust(t(100));
  EXPECT_TRUE(trust.prolong(t(60), t(1)));
  EXPECT_EQ(trust.until(), t(100));
}

TEST(Trust, EndsWithItsOwnersReleaseAndThatIsNoLoss) {
  Trust trust(t(100));
  trust.end();
  EXPECT_EQ(trust.left(t(1)), Duration());
  EXPECT_EQ(trust.loss(), Loss::none);
  trust.lose(Loss::denied);
  EXPECT_EQ(trust.loss(), Loss::none) << "what was released cannot be lost";
}

TEST(Trust, IsLostThoughItIsProlongedAtThatMoment) {
  constexpr int kRounds = 20'000;
  // On a machine that is busy each of them may take a while.
  const auto enough = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  std::deque<Trust> trusts;
  std::atomic<Trust*> prolonged = nullptr;
  std::jthread keeper([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      if (Trust* const trust = prolonged.load()) (void)trust->prolong(t(200 + i), t(1));
    }
  });
  for (int i = 0; i < kRounds && std::chrono::steady_clock::now() < enough; ++i) {
    Trust& trust = trusts.emplace_back(t(100));
    prolonged = &trust;
    while (trust.until() == t(100)) std::this_thread::yield();
    trust.lose(Loss::denied);
    ASSERT_EQ(trust.until(), Instant());
  }
}

TEST(Trust, KnowsWhetherItsOwnerEndedIt) {
  Trust over(t(100));
  EXPECT_EQ(over.left(t(100)), Duration());
  EXPECT_FALSE(over.released());
  over.end();
  EXPECT_TRUE(over.released());
  EXPECT_EQ(over.until(), Instant());
  EXPECT_FALSE(over.prolong(t(200), t(1)));
  EXPECT_EQ(over.left(t(1)), Duration());
}

TEST(Trust, OfALockThatLivesOnIsOverAndNotReleased) {
  Trust trust(t(100));
  trust.pass_on();
  EXPECT_TRUE(trust.passed_on());
  EXPECT_FALSE(trust.released());
  EXPECT_EQ(trust.left(t(1)), Duration());
  EXPECT_EQ(trust.until(), Instant());
  EXPECT_FALSE(trust.prolong(t(200), t(1)));
  trust.lose(Loss::denied);
  EXPECT_EQ(trust.loss(), Loss::none);
}

TEST(Trust, RemembersTheLatestEndThatTheServersWereTold) {
  Trust trust(t(90), t(100));
  EXPECT_FALSE(trust.may_outlast(Duration::ms(100), t(0)));
  EXPECT_TRUE(trust.may_outlast(Duration::ms(99), t(0)));
  trust.note_told(Duration::ms(200), t(10));
  trust.note_told(Duration::ms(50), t(20));
  EXPECT_TRUE(trust.may_outlast(Duration::ms(100), t(0)));
  EXPECT_FALSE(trust.may_outlast(Duration::ms(210), t(0)));
  EXPECT_EQ(trust.until(), t(90)) << "their answers are something else";
}

TEST(Trust, NobodyIsToldATtlThatIsRefused) {
  Trust trust(t(90), t(100));
  trust.note_told(kTtlMax + Duration::ns(1), t(0));
  trust.note_told(Duration::ms(-200), t(0));
  EXPECT_FALSE(trust.may_outlast(Duration::ms(100), t(0)));
}

TEST(Trust, OfALockOfWhichNothingIsKnownMayBeOutlastedForEver) {
  EXPECT_TRUE(Trust(t(90)).may_outlast(kTtlMax, t(0)));
}

TEST(Trust, ThatIsSharedGoesOnAndTheLockLivesOnBesideIt) {
  Trust trust(t(100));
  EXPECT_FALSE(trust.lives_on());
  trust.share();
  EXPECT_TRUE(trust.lives_on());
  EXPECT_FALSE(trust.passed_on());
  EXPECT_EQ(trust.until(), t(100));
  trust.lose(Loss::silence);
  EXPECT_TRUE(trust.lives_on());
  Trust passed_on(t(100));
  passed_on.pass_on();
  EXPECT_TRUE(passed_on.lives_on());
}

class HeirsOfTrust : public testing::Test {
 protected:
  HeirsOfTrust() {
    trust_.pass_to(first_);
    first_->pass_to(second_);
  }
  Trust trust_{t(100)};
  std::shared_ptr<Trust> first_ = std::make_shared<Trust>(t(100));
  std::shared_ptr<Trust> second_ = std::make_shared<Trust>(t(100));
};

TEST_F(HeirsOfTrust, AreLostWithIt) {
  EXPECT_TRUE(trust_.lives_on());
  trust_.end();
  trust_.lose_with_heirs(Loss::silence);
  EXPECT_TRUE(trust_.released());
  EXPECT_EQ(first_->loss(), Loss::silence);
  EXPECT_EQ(second_->loss(), Loss::silence);
  EXPECT_FALSE(trust_.lives_on());
}

TEST_F(HeirsOfTrust, ThatOthersHaveKeepItsVotesAlive) {
  second_->pass_on();
  trust_.lose_with_heirs(Loss::silence);
  EXPECT_EQ(first_->loss(), Loss::silence);
  EXPECT_TRUE(trust_.lives_on());
}

TEST(Trust, ThatIsLostSaysWhy) {
  Trust trust(t(100));
  trust.lose(Loss::denied);
  EXPECT_EQ(trust.left(t(1)), Duration());
  EXPECT_EQ(trust.loss(), Loss::denied);
  trust.lose(Loss::silence);
  EXPECT_EQ(trust.loss(), Loss::denied) << "the first reason counts";
}

}  // namespace
}  // namespace redlock
