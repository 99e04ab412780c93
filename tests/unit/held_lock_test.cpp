// A held lock from its grant to its way back, by all that its owner may tell it.
#include "redlock/lease/held_lock.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>

#include "redlock/algorithm/validity.hpp"
#include "redlock/wire/scripts.hpp"
#include "support/allocations.hpp"
#include "support/child.hpp"
#include "support/fake_world.hpp"
#include "support/machine.hpp"

namespace redlock::held_lock_test {
namespace {

using test::Arguments;
using test::FailingAllocations;
using test::FakeWorld;
using test::kOneNs;
using test::Shortage;

const Resource kResource("r");
constexpr Duration kTtl = Duration::ms(10'000);
constexpr Duration kShort = Duration::ms(500);
// Longer than what a string has room for by itself.
const Token kLongToken(std::string(100, 't'));

class AHeldLock : public FakeWorld {
 protected:
  HeldLock made() { return {{locks_, outbox_, renewal_}, kResource, kTtl}; }
  void take(HeldLock& lock) {
    Outcome granted = this->lock(locks_, "r", kTtl);
    ASSERT_EQ(granted.decision, Decision::granted);
    lock.begin(std::move(granted.token), granted.decided_at + granted.validity);
  }
  Outcome rotate(HeldLock& lock, Duration ttl = kShort) {
    lock.prepare_rotation(ttl);
    lock.take_next_token();
    return finish(lock, lock.begin_rotation());
  }
  Outcome finish(HeldLock& lock, OperationId id) {
    while (!pool_.done(id)) pool_.step(Instant::never());
    return lock.collect_rotation(id);
  }
  std::string stored() {
    step_for(Duration::ms(200));
    return server(0).keys["r"];
  }

  LockManager locks_ = manager(3);
  AsyncReleases releases_;
  ReleaseOutbox outbox_{locks_, releases_};
  RenewalThread renewal_;  // without a lease it has no thread
};

TEST_F(AHeldLock, IsOverUntilItHasBegunAndCannotBeEndedBeforeThat) {
  HeldLock lock = made();
  EXPECT_FALSE(lock.begun());
  EXPECT_EQ(lock.left(), Duration());
  lock.end(HeldLock::End::released);
  EXPECT_FALSE(lock.ended());
  take(lock);
  EXPECT_EQ(lock.left(), validity_of(kTtl, Duration(), 0.01));
  EXPECT_EQ(lock.taken_at(), clock_.now());
}

TEST_F(AHeldLock, IsProlongedOnlyWhileItLasts) {
  HeldLock lock = made();
  lock.begin(kLongToken, clock_.now() + Duration::ms(1'000));
  clock_.advance(Duration::ms(1'000) - kOneNs);
  EXPECT_TRUE(lock.prolong(clock_.now() + Duration::ms(1'000)));
  clock_.advance(Duration::ms(1'000));
  EXPECT_FALSE(lock.prolong(clock_.now() + Duration::ms(1'000)));
  EXPECT_EQ(lock.left(), Duration());
}

TEST_F(AHeldLock, IsLostByAMajoritysDenialAlone) {
  HeldLock lock = made();
  take(lock);
  server(0).keys.clear();
  EXPECT_FALSE(lock.note_denial(pool_.run(locks_.begin_check(kResource, lock.token()))));
  EXPECT_GT(lock.left(), Duration());
  server(1).keys.clear();
  EXPECT_TRUE(lock.note_denial(pool_.run(locks_.begin_check(kResource, lock.token()))));
  EXPECT_EQ(lock.left(), Duration());
  EXPECT_EQ(lock.deadline().loss(), Loss::denied);
}

TEST_F(AHeldLock, IsShorterByWhatItsServersWereTold) {
  HeldLock lock = made();
  take(lock);
  EXPECT_FALSE(lock.is_shorter(kTtl));
  EXPECT_TRUE(lock.is_shorter(kTtl - kOneNs));
  lock.note_told(kTtl * 2);
  EXPECT_TRUE(lock.is_shorter(kTtl)) << "the answers may be lost";
  HeldLock attached = made();
  attached.attach(kLongToken, clock_.now() + kShort);
  EXPECT_TRUE(attached.is_shorter(kTtl)) << "nobody knows what they were told";
}

TEST_F(AHeldLock, ThatIsSharedIsNeverMadeShorter) {
  HeldLock lock = made();
  take(lock);
  lock.share();
  EXPECT_FALSE(lock.is_shorter(kShort));
  EXPECT_GT(lock.left(), Duration()) << "its owner goes on trusting it";
  EXPECT_TRUE(lock.deadline().lives_on());
}

TEST_F(AHeldLock, HasAnotherTokenAndTtlOnceItIsRotated) {
  HeldLock lock = made();
  take(lock);
  const Token before = lock.token();
  EXPECT_EQ(rotate(lock).decision, Decision::granted);
  EXPECT_NE(lock.token(), before);
  EXPECT_EQ(lock.token_number(), 1U);
  EXPECT_EQ(lock.ttl(), kShort);
  EXPECT_LE(lock.left(), kShort);
  EXPECT_EQ(stored(), lock.token().view());
}

// A signal handler does so.
TEST_F(AHeldLock, ThatIsRotatedFurtherMeanwhileHasTheInnerTokenAndOutlivesTheOuterCall) {
  HeldLock lock = made();
  take(lock);
  lock.prepare_rotation(kShort);
  lock.take_next_token();
  const OperationId outer = lock.begin_rotation();
  EXPECT_TRUE(lock.is_being_rotated());
  EXPECT_EQ(rotate(lock, Duration::ms(300)).decision, Decision::granted);
  EXPECT_FALSE(lock.is_being_rotated()) << "what the outer one is about is no more";
  EXPECT_NE(finish(lock, outer).decision, Decision::granted);
  EXPECT_GT(lock.left(), Duration());
  EXPECT_EQ(lock.token_number(), 2U);
  EXPECT_EQ(stored(), lock.token().view());
}

TEST_F(AHeldLock, EndsOnceAndStaysOver) {
  HeldLock lock = made();
  take(lock);
  lock.end(HeldLock::End::released);
  EXPECT_TRUE(lock.deadline().released());
  lock.end(HeldLock::End::transferred);
  EXPECT_TRUE(lock.deadline().released());
  EXPECT_FALSE(lock.prolong(clock_.now() + kTtl));
  EXPECT_NE(stored(), "") << "that sends nothing";
  lock.send_release();
  EXPECT_EQ(stored(), "");
}

TEST_F(AHeldLock, ThatIsTransferredLivesOnUnderItsToken) {
  HeldLock lock = made();
  take(lock);
  lock.end(HeldLock::End::transferred);
  EXPECT_EQ(lock.left(), Duration());
  EXPECT_TRUE(lock.deadline().lives_on());
  EXPECT_EQ(stored(), lock.token().view());
}

TEST_F(AHeldLock, WhoseReleaseFindsNoMemoryOwesIt) {
  bool happened = true;
  for (std::size_t n = 0; happened && n < 200; ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    HeldLock lock = made();
    take(lock);
    lock.end(HeldLock::End::released);
    {
      const FailingAllocations failing(n, Shortage::lasting);
      lock.send_release();
      happened = failing.happened();
    }
    outbox_.pay();
    ASSERT_EQ(stored(), "");
  }
  EXPECT_FALSE(happened);
}

TEST_F(AHeldLock, ShowsItsTokenBehindItsRelease) {
  HeldLock lock = made();
  lock.begin(kLongToken, clock_.now() + kTtl);
  lock.end(HeldLock::End::released);
  lock.send_release();
  EXPECT_EQ(lock.token(), kLongToken);
}

TEST_F(AHeldLock, IsDeadInAChildAndItsEndThereDoesNothing) {
  HeldLock lock = made();
  take(lock);
  EXPECT_EQ(test::exit_status_of_child([&] {
              const std::size_t requests = server(0).log.size();
              const bool dead = lock.left() == Duration() && !lock.prolong(clock_.now() + kTtl);
              lock.end_renewal();
              lock.end(HeldLock::End::released);
              lock.send_release();
              outbox_.pay();
              return dead && !lock.deadline().released() && server(0).log.size() == requests;
            }),
            0);
  EXPECT_GT(lock.left(), Duration());
}

class APromotedLock : public AHeldLock {
 protected:
  // A reader that is trusted for a minute.
  APromotedLock() {
    for (std::size_t i = 0; i < 3; ++i) {
      server(i).say = [this](const Arguments& asked) -> std::optional<std::string> {
        const auto is = [&](const Script& script) {
          return asked.size() > 1 && (asked[1] == script.text || asked[1] == script.sha1);
        };
        if (is(scripts::promote)) {
          ++asked_;
          return others_read_ ? "+BUSY 1\r\n" : "+PROMOTED\r\n";
        }
        if (is(scripts::demote)) return ":1\r\n";
        if (is(scripts::raise_fence)) return "+RAISED " + asked.at(5) + "\r\n";
        return std::nullopt;
      };
    }
    reader_.begin(kLongToken, clock_.now() + Duration::ms(60'000));
  }
  Outcome promote(const std::function<void()>& meanwhile = [] {}, bool fence = false) {
    reader_.prepare_promotion(kTtl, fence);
    const OperationId id = reader_.begin_promotion();
    meanwhile();
    while (!pool_.done(id)) pool_.step(Instant::never());
    return reader_.collect_promotion(id);
  }

  bool others_read_ = false;
  int asked_ = 0;
  HeldLock reader_{{locks_, outbox_, renewal_}, kResource, kTtl, LockMode::shared};
};

TEST_F(APromotedLock, IsTrustedByThePromotionAloneHoweverLongTheReaderWas) {
  const Instant begun = clock_.now();
  ASSERT_EQ(promote().decision, Decision::granted);
  EXPECT_EQ(reader_.mode(), LockMode::exclusive);
  EXPECT_NE(reader_.token(), kLongToken);
  EXPECT_EQ(reader_.left(), begun + validity_of(kTtl, Duration(), 0.01) - clock_.now());
}

TEST_F(APromotedLock, IsAskedForOnceWhereOthersRead) {
  others_read_ = true;
  EXPECT_EQ(promote().decision, Decision::denied);
  step_for(Duration::ms(100));
  EXPECT_EQ(asked_, 3) << "by each server";
  EXPECT_EQ(reader_.token(), kLongToken);
}

TEST_F(APromotedLock, HasTheFenceThatItIsPromotedWith) {
  const Outcome promoted = promote([] {}, true);
  ASSERT_EQ(promoted.decision, Decision::granted);
  ASSERT_TRUE(promoted.fence);
  EXPECT_EQ(reader_.fence(), promoted.fence);
}

TEST_F(APromotedLock, IsNoneWhereTheReaderWasGivenToOthersMeanwhile) {
  EXPECT_EQ(promote([&] { reader_.share(); }).decision, Decision::expired_unclaimed);
  EXPECT_EQ(reader_.mode(), LockMode::shared);
  EXPECT_EQ(reader_.token(), kLongToken);
  EXPECT_GT(reader_.left(), kTtl) << "it reads on";
}

TEST_F(APromotedLock, ThatIsDemotedAgainIsKeptAliveOnlyWhereItWasBefore) {
  ASSERT_EQ(promote().decision, Decision::granted);
  const OperationId id = reader_.begin_demotion();
  EXPECT_EQ(reader_.mode(), LockMode::shared);
  EXPECT_FALSE(reader_.is_renewed());
  while (!pool_.done(id)) pool_.step(Instant::never());
  EXPECT_EQ(reader_.collect_demotion(id).decision, Decision::granted);
}

}  // namespace
}  // namespace redlock::held_lock_test
