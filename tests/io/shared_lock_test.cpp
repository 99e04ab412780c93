// Shared locks on real servers: readers together, writers alone, and from one to the other.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "io/support/fleet.hpp"
#include "redlock/algorithm/holding.hpp"
#include "redlock/lease/held_lock.hpp"

namespace redlock::shared_lock_test {
namespace {

using test::eventually;
using test::Fleet;

constexpr Duration kTtl = Duration::seconds(60);
const LockExtras kShared{.owner = {}, .fence = false, .mode = LockMode::shared};

class SharedLock : public Fleet {
 protected:
  Outcome finish(OperationId id) {
    runtime_.pool().run_until_done(id);
    return locks_.collect_lock(id, Resource("r"), Caller::waits);
  }
  // Where it is granted, all three servers have heard of it: two would do.
  Outcome share(Duration ttl = kTtl, const LockExtras& extras = kShared) {
    const Outcome outcome =
        finish(locks_.begin_lock(Resource("r"), ttl, RetryPolicy::jittered(1, 0), extras));
    const std::string token(outcome.token.view());
    settle(outcome, [token](std::size_t i) {
      return server(i).say({"ZSCORE", "r:redlock:readers", token}) != "nil";
    });
    return outcome;
  }
  Outcome write() {
    const Outcome outcome = lock(runtime_, locks_);
    const std::string token(outcome.token.view());
    settle(outcome, [token](std::size_t i) { return server(i).say({"GET", "r"}) == token; });
    return outcome;
  }
  void settle(const Outcome& outcome, const std::function<bool(std::size_t)>& has) {
    if (outcome.decision != Decision::granted) return;
    EXPECT_TRUE(eventually([&] {
      runtime_.pool().step(runtime_.pool().clock().now() + Duration::ms(5));
      return has(0) && has(1) && has(2);
    }));
  }
  Outcome extend(const Token& token, Duration ttl = kTtl) {
    const OperationId id = locks_.begin_extend(Resource("r"), token, ttl);
    runtime_.pool().run_until_done(id);
    return locks_.collect_extension(id);
  }
  bool is_held(const Token& token) {
    return runtime_.pool().run(locks_.begin_check(Resource("r"), token)).decision ==
           Decision::granted;
  }
  OperationId wait_for(const LockExtras& extras) {
    return locks_.begin_wait(Resource("r"), kTtl, Duration::seconds(30), 50, extras);
  }
  bool decided(OperationId id) {
    return eventually([&] {
      runtime_.pool().step(runtime_.pool().clock().now() + Duration::ms(5));
      return runtime_.pool().done(id);
    });
  }
  // Who waits for so many servers' locks.
  bool in_line(std::size_t count) {
    return eventually([&] {
      runtime_.pool().step(runtime_.pool().clock().now() + Duration::ms(5));
      for (std::size_t i = 0; i < 3; ++i) {
        if (server(i).say({"ZCARD", "r:redlock:line"}) != std::to_string(count)) return false;
      }
      return true;
    });
  }
  Outcome release(const Token& token) { return unlock(runtime_, locks_, token); }
  bool all_gone() {
    return eventually([&] {
      runtime_.pool().step(runtime_.pool().clock().now() + Duration::ms(5));
      return values(3) == std::vector<std::string>(3, "nil");
    });
  }
  static std::vector<std::string> marked() {
    return std::vector<std::string>(3, std::string(kSharedMark));
  }

  Runtime runtime_;
  LockManager locks_{runtime_.pool(), specs(3), once()};
};

TEST_F(SharedLock, ReadersHoldItTogetherAndNobodyAlone) {
  const Outcome a = share();
  const Outcome b = share();
  ASSERT_EQ(a.decision, Decision::granted);
  ASSERT_EQ(b.decision, Decision::granted);
  EXPECT_NE(a.token, b.token);
  EXPECT_EQ(write().decision, Decision::denied);
  EXPECT_EQ(server(0).say({"SET", "r", "x", "NX", "PX", "9"}), "nil");
  EXPECT_EQ(release(a.token).decision, Decision::granted);
  EXPECT_EQ(write().decision, Decision::denied);
  EXPECT_EQ(release(b.token).decision, Decision::granted);
  EXPECT_EQ(write().decision, Decision::granted);
  EXPECT_EQ(share().decision, Decision::denied);
}

TEST_F(SharedLock, AWriterWaitsAndIsServedWhenTheLastReaderLeaves) {
  const Outcome a = share();
  const Outcome b = share();
  const OperationId waiting = wait_for({});
  ASSERT_TRUE(in_line(1));
  EXPECT_EQ(share().decision, Decision::denied) << "no reader overtakes him";
  EXPECT_EQ(extend(a.token).decision, Decision::granted) << "who is in stays in";
  release(a.token);
  EXPECT_FALSE(runtime_.pool().done(waiting));
  release(b.token);
  ASSERT_TRUE(decided(waiting));
  const Outcome writer = finish(waiting);
  EXPECT_EQ(writer.decision, Decision::granted);
  EXPECT_TRUE(writer.handed_over);
}

TEST_F(SharedLock, AllReadersInLineAreLetInTogether) {
  const Outcome writer = write();
  const OperationId a = wait_for(kShared);
  const OperationId b = wait_for(kShared);
  ASSERT_TRUE(in_line(2));
  release(writer.token);
  ASSERT_TRUE(decided(a));
  ASSERT_TRUE(decided(b));
  EXPECT_EQ(finish(a).decision, Decision::granted);
  EXPECT_EQ(finish(b).decision, Decision::granted);
  EXPECT_EQ(values(3), marked());
}

TEST_F(SharedLock, AnExtendNeverProlongsAnother) {
  const Outcome brief = share(Duration::ms(400));
  const Outcome lasting = share();
  EXPECT_EQ(extend(lasting.token).decision, Decision::granted);
  EXPECT_TRUE(eventually([&] { return !is_held(brief.token); }));
  EXPECT_EQ(extend(lasting.token).decision, Decision::granted);
}

TEST_F(SharedLock, WhereServersLostItAndAWriterCameBetweenItIsOver) {
  const Outcome reader = share();
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"DEL", "r"});
  const Outcome writer = write();
  ASSERT_EQ(writer.decision, Decision::granted);
  EXPECT_EQ(extend(reader.token).decision, Decision::denied);
  release(writer.token);
  const Outcome another = share();
  ASSERT_EQ(another.decision, Decision::granted);
  EXPECT_EQ(extend(reader.token).decision, Decision::denied);
}

TEST_F(SharedLock, EachReaderHasAFenceOfItsOwn) {
  LockExtras fenced = kShared;
  fenced.fence = true;
  const Outcome a = share(kTtl, fenced);
  const Outcome b = share(kTtl, fenced);
  ASSERT_TRUE(a.fence && b.fence);
  EXPECT_LT(*a.fence, *b.fence);
}

TEST_F(SharedLock, InspectCountsTheReaders) {
  (void)share();
  (void)share();
  const OperationId id = locks_.begin_inspect(Resource("r"));
  runtime_.pool().run_until_done(id);
  const LockState seen = seen_by_majority(runtime_.pool().collect(id));
  ASSERT_TRUE(seen.holding);
  EXPECT_EQ(seen.holding->token.view(), kSharedMark);
  EXPECT_EQ(seen.readers, 2);
}

TEST_F(SharedLock, IsOneOnOneResource) {
  const Resources two({Resource("a"), Resource("b")});
  EXPECT_THROW((void)locks_.begin_lock(two, kTtl, RetryPolicy::jittered(1, 0), kShared),
               ArgumentError);
}

TEST_F(SharedLock, TheOnlyReaderIsPromotedAndNothingIsLeftBehindIt) {
  const Outcome reader = share();
  const OperationId id = locks_.begin_promotion(Resource("r"), reader.token, kTtl);
  const Outcome promoted = finish(id);
  ASSERT_EQ(promoted.decision, Decision::granted);
  EXPECT_NE(promoted.token, reader.token);
  EXPECT_EQ(share().decision, Decision::denied);
  release(reader.token);
  EXPECT_TRUE(eventually([&] {
    return values(3) == std::vector<std::string>(3, std::string(promoted.token.view()));
  }));
  release(promoted.token);
  EXPECT_TRUE(all_gone());
}

TEST_F(SharedLock, AmongOthersNobodyIsPromotedAndEverybodyStaysIn) {
  const Outcome a = share();
  const Outcome b = share();
  const Outcome promoted = finish(locks_.begin_promotion(Resource("r"), a.token, kTtl));
  EXPECT_EQ(promoted.decision, Decision::denied);
  EXPECT_FALSE(is_lost_promotion(promoted));
  EXPECT_EQ(extend(a.token).decision, Decision::granted);
  EXPECT_EQ(extend(b.token).decision, Decision::granted);
  const Outcome stranger = finish(locks_.begin_promotion(Resource("r"), Token("stranger"), kTtl));
  EXPECT_TRUE(is_lost_promotion(stranger));
}

// Of three servers one promotes him: another reader is on the other two.
TEST_F(SharedLock, APromotionWithoutAMajorityIsUndone) {
  const Outcome a = share();
  for (std::size_t i = 1; i < 3; ++i) {
    server(i).say({"ZADD", "r:redlock:readers", "9999999999999", "another"});
  }
  const Outcome promoted = finish(locks_.begin_promotion(Resource("r"), a.token, kTtl));
  EXPECT_EQ(promoted.decision, Decision::denied);
  EXPECT_TRUE(eventually([&] {
    runtime_.pool().step(runtime_.pool().clock().now() + Duration::ms(5));
    return values(3) == marked();
  }));
  EXPECT_EQ(extend(a.token).decision, Decision::granted);
}

TEST_F(SharedLock, APromotionThatIsGivenUpIsUndone) {
  const Outcome a = share();
  const OperationId id = locks_.begin_promotion(Resource("r"), a.token, kTtl);
  (void)runtime_.pool().collect(id);
  EXPECT_TRUE(eventually([&] {
    runtime_.pool().step(runtime_.pool().clock().now() + Duration::ms(5));
    return values(3) == marked() && server(0).say({"ZCARD", "r:redlock:readers"}) == "1";
  }));
  EXPECT_EQ(extend(a.token).decision, Decision::granted);
}

TEST_F(SharedLock, ADemotionLetsWaitingReadersIn) {
  const Outcome writer = write();
  const OperationId waiting = wait_for(kShared);
  ASSERT_TRUE(in_line(1));
  const OperationId id = locks_.begin_demotion(Resource("r"), writer.token);
  runtime_.pool().run_until_done(id);
  EXPECT_EQ(runtime_.pool().collect(id).decision, Decision::granted);
  ASSERT_TRUE(decided(waiting));
  EXPECT_EQ(finish(waiting).decision, Decision::granted);
  EXPECT_EQ(extend(writer.token).decision, Decision::granted);
  EXPECT_EQ(write().decision, Decision::denied);
}

class SharedLease : public SharedLock {
 protected:
  std::unique_ptr<HeldLock> take(const Outcome& outcome, LockMode mode) {
    auto held = std::make_unique<HeldLock>(context_, Resource("r"), kTtl, mode);
    held->begin(outcome.token, outcome.decided_at + outcome.validity, outcome.fence);
    return held;
  }
  Outcome promote(HeldLock& held, Duration ttl = kTtl) {
    held.prepare_promotion(ttl, false);
    const OperationId id = held.begin_promotion();
    runtime_.pool().run_until_done(id);
    return held.collect_promotion(id);
  }

  AsyncReleases releases_;
  ReleaseOutbox outbox_{locks_, releases_};
  RenewalThread renewal_;
  LeaseContext context_{locks_, outbox_, renewal_};
};

TEST_F(SharedLease, APromotionHasADeadlineOfItsOwn) {
  const auto held = take(share(), LockMode::shared);
  ASSERT_EQ(promote(*held, Duration::seconds(5)).decision, Decision::granted);
  EXPECT_EQ(held->mode(), LockMode::exclusive);
  EXPECT_LT(held->left(), Duration::seconds(5));
  EXPECT_GT(held->left(), Duration::seconds(1));
  EXPECT_EQ(share().decision, Decision::denied);
  held->end(HeldLock::End::released);
  held->send_release();
  EXPECT_TRUE(all_gone());
}

TEST_F(SharedLease, ADeniedPromotionChangesNothing) {
  const auto held = take(share(), LockMode::shared);
  const Outcome other = share();
  const Token token = held->token();
  EXPECT_EQ(promote(*held).decision, Decision::denied);
  EXPECT_EQ(held->mode(), LockMode::shared);
  EXPECT_EQ(held->token(), token);
  EXPECT_GT(held->left(), Duration::seconds(30));
  release(other.token);
  EXPECT_EQ(promote(*held).decision, Decision::granted);
  EXPECT_NE(held->token(), token);
}

TEST_F(SharedLease, WhatIsGivenBackMeanwhileIsNotPromoted) {
  const auto held = take(share(), LockMode::shared);
  held->prepare_promotion(kTtl, false);
  const OperationId id = held->begin_promotion();
  runtime_.pool().run_until_done(id);
  held->end(HeldLock::End::released);
  held->send_release();
  EXPECT_NE(held->collect_promotion(id).decision, Decision::granted);
  EXPECT_TRUE(all_gone());
}

TEST_F(SharedLease, ADemotionKeepsTokenAndDeadline) {
  const auto held = take(write(), LockMode::exclusive);
  const Token token = held->token();
  const OperationId id = held->begin_demotion();
  EXPECT_EQ(held->mode(), LockMode::shared);
  runtime_.pool().run_until_done(id);
  EXPECT_EQ(held->collect_demotion(id).decision, Decision::granted);
  EXPECT_EQ(held->token(), token);
  EXPECT_GT(held->left(), Duration::seconds(30));
  EXPECT_EQ(share().decision, Decision::granted);
  EXPECT_EQ(promote(*held).decision, Decision::denied);
}

}  // namespace
}  // namespace redlock::shared_lock_test
