// A lease that is shortened over a fake network: who believes what, and what is left on servers.
#include <gtest/gtest.h>

#include "redlock/lease/lease_rotation.hpp"
#include "support/renewal_scheduler_fixture.hpp"

namespace redlock::lease_rotation_test {
namespace {

using test::FakeServer;
using test::kTtl;
using test::RenewalSchedulerTest;

const Resource kResource("r");
constexpr Duration kShort = Duration::ms(500);

class AShortenedLease : public RenewalSchedulerTest {
 protected:
  AShortenedLease()
      : held_(lock(locks_)),
        lease_deadline_(std::make_shared<LeaseDeadline>(clock_.now() + held_.validity)) {}

  LeaseRotation prepare() {
    return LeaseRotation(locks_, kResource, held_.token, kShort, lease_deadline_);
  }
  void step_until_done(OperationId id) {
    while (!pool_.done(id)) pool_.step(Instant::never());
  }
  Outcome run(LeaseRotation& shorter) {
    (void)shorter.begin();
    step_until_done(shorter.id());
    return shorter.collect();
  }
  // Of all servers: what stands under the key; empty: nothing.
  std::vector<std::string> stored() {
    step_for(Duration::ms(200));
    std::vector<std::string> values;
    for (std::size_t i = 0; i < 3; ++i) values.push_back(server(i).keys["r"]);
    return values;
  }
  static std::vector<std::string> everywhere(const Token& token) {
    return {3, std::string(token.view())};
  }

  LockManager locks_ = manager(3);
  Outcome held_;
  std::shared_ptr<LeaseDeadline> lease_deadline_;
};

const std::vector<std::string> kNowhere(3);

TEST_F(AShortenedLease, IsTrustedForTheShortTtlFromBeforeTheCommandLeaves) {
  const LeaseRotation shorter = prepare();
  EXPECT_EQ(shorter.lease_deadline()->until(),
            clock_.now() + validity_of(kShort, Duration(), 0.01));
  EXPECT_NE(shorter.fresh(), shorter.held());
  EXPECT_EQ(stored(), everywhere(held_.token)) << "nothing has been sent";
}

TEST_F(AShortenedLease, MayOutlastNoMoreThanTheServersAreToldByThat) {
  const LeaseRotation shorter = prepare();
  EXPECT_TRUE(lease_deadline_->may_outlast(Duration::seconds(1'000), clock_.now()))
      << "nobody knows";
  EXPECT_FALSE(shorter.lease_deadline()->may_outlast(kShort, clock_.now()));
  EXPECT_TRUE(shorter.lease_deadline()->may_outlast(kShort - Duration::ns(1), clock_.now()));
}

TEST_F(AShortenedLease, IsNeverTrustedLongerByThatThanItWas) {
  const Instant soon = clock_.now() + Duration::ms(100);
  const auto little = std::make_shared<LeaseDeadline>(soon);
  EXPECT_EQ(LeaseRotation(locks_, kResource, held_.token, kTtl, little).lease_deadline()->until(),
            soon);
  little->end();
  const LeaseRotation over(locks_, kResource, held_.token, kTtl, little);
  EXPECT_EQ(over.lease_deadline()->left(clock_.now()), Duration());
}

TEST_F(AShortenedLease, IsTrustedForItsTtlOnceItIsConfirmedHoweverLittleItWasTrustedBefore) {
  const auto little = std::make_shared<LeaseDeadline>(clock_.now() + Duration::ms(100));
  LeaseRotation shorter(locks_, kResource, held_.token, kShort, little);
  const Instant begun = clock_.now();
  ASSERT_EQ(run(shorter).decision, Decision::granted);
  EXPECT_EQ(shorter.lease_deadline()->until(), begun + validity_of(kShort, Duration(), 0.01));
}

TEST_F(AShortenedLease, HasAnotherTokenEverywhereInOneRoundTripOfOneCommand) {
  std::vector<std::size_t> before;
  for (std::size_t i = 0; i < 3; ++i) before.push_back(server(i).log.size());
  LeaseRotation shorter = prepare();
  const Outcome outcome = run(shorter);
  ASSERT_EQ(outcome.decision, Decision::granted);
  EXPECT_EQ(outcome.token, shorter.fresh());
  EXPECT_EQ(stored(), everywhere(shorter.fresh()));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(server(i).log.size(), before[i] + 1) << i;
    EXPECT_EQ(server(i).log.back().back(), "500") << "its ttl";
  }
  EXPECT_EQ(shorter.lease_deadline()->until(), outcome.decided_at + outcome.validity);
}

TEST_F(AShortenedLease, KeepsTheNameOfItsOwner) {
  const Outcome taken = pool_.run(locks_.begin_lock(
      Resource("named"), kTtl, RetryPolicy::exact(1, Duration()), LockExtras{"web 7"}));
  const auto lease_deadline = std::make_shared<LeaseDeadline>(clock_.now() + taken.validity);
  const LeaseRotation shorter(locks_, Resource("named"), taken.token, kShort, lease_deadline);
  EXPECT_EQ(owner_of(shorter.fresh()), "web 7");
}

TEST_F(AShortenedLease, IsExtendedReleasedAndCheckedByTheFreshToken) {
  LeaseRotation shorter = prepare();
  ASSERT_EQ(run(shorter).decision, Decision::granted);
  EXPECT_EQ(pool_.run(locks_.begin_extend(kResource, held_.token, kTtl)).decision,
            Decision::denied);
  EXPECT_EQ(pool_.run(locks_.begin_extend(kResource, shorter.fresh(), kTtl)).decision,
            Decision::granted);
  EXPECT_EQ(unlock(locks_, shorter.fresh()).decision, Decision::granted);
}

TEST_F(AShortenedLease, LeavesNothingOfItsOldTokenOnAServerThatWasAway) {
  server(2).stopped = true;
  LeaseRotation shorter = prepare();
  ASSERT_EQ(run(shorter).decision, Decision::granted);
  transport_.resume(server(2));
  const std::vector<std::string> values = stored();
  EXPECT_EQ(values[0], shorter.fresh().view());
  EXPECT_NE(values[2], held_.token.view());
}

TEST_F(AShortenedLease, ThatOnlyAMinorityConfirmsIsLostAndLeavesNothing) {
  server(1).keys["r"] = "somebody else's";
  server(2).keys["r"] = "somebody else's";
  LeaseRotation shorter = prepare();
  EXPECT_EQ(run(shorter).decision, Decision::denied);
  EXPECT_EQ(shorter.lease_deadline()->loss(), Loss::denied);
  EXPECT_EQ(stored()[0], "");
  EXPECT_EQ(stored()[1], "somebody else's");
}

TEST_F(AShortenedLease, WithoutAMajorityThatAnswersIsLost) {
  server(1).stopped = server(2).stopped = true;
  LeaseRotation shorter = prepare();
  EXPECT_EQ(run(shorter).decision, Decision::unreachable);
  EXPECT_EQ(shorter.lease_deadline()->loss(), Loss::silence);
  for (const std::size_t i : {1U, 2U}) transport_.resume(server(i));
  EXPECT_EQ(stored(), kNowhere);
}

TEST_F(AShortenedLease, WhoseCallerLeavesIsLostAndLeavesNothing) {
  LeaseRotation shorter = prepare();
  (void)shorter.begin();
  EXPECT_GT(shorter.lease_deadline()->left(clock_.now()), Duration());
  EXPECT_EQ(shorter.collect().decision, Decision::aborted);
  EXPECT_EQ(shorter.lease_deadline()->left(clock_.now()), Duration());
  EXPECT_EQ(stored(), kNowhere);
}

// As signal handlers do it.
TEST_F(AShortenedLease, ThatIsReleasedMeanwhileIsNotHandedOut) {
  LeaseRotation shorter = prepare();
  (void)shorter.begin();
  shorter.lease_deadline()->end();
  EXPECT_EQ(unlock(locks_, shorter.fresh()).decision, Decision::granted);
  step_until_done(shorter.id());
  EXPECT_NE(shorter.collect().decision, Decision::granted);
  EXPECT_TRUE(shorter.lease_deadline()->released());
  EXPECT_EQ(stored(), kNowhere);
}

// By somebody who knows the token alone.
TEST_F(AShortenedLease, WhoseTokenIsReleasedMeanwhileIsTrustedNoMore) {
  LeaseRotation shorter = prepare();
  (void)shorter.begin();
  EXPECT_EQ(unlock(locks_, shorter.fresh()).decision, Decision::granted);
  step_until_done(shorter.id());
  EXPECT_NE(shorter.collect().decision, Decision::granted);
  EXPECT_EQ(shorter.lease_deadline()->left(clock_.now()), Duration());
}

TEST_F(AShortenedLease, ThatIsReleasedBeforeItsExchangeArrivesIsGivenBackOnceMore) {
  LeaseRotation shorter = prepare();
  (void)shorter.begin();
  step_until_done(shorter.id());
  shorter.lease_deadline()->end();
  EXPECT_EQ(unlock(locks_, shorter.fresh()).decision, Decision::granted);
  // The release has overtaken it, on another connection.
  for (std::size_t i = 0; i < 3; ++i) server(i).keys["r"] = shorter.fresh().view();
  EXPECT_NE(shorter.collect().decision, Decision::granted);
  EXPECT_EQ(stored(), kNowhere);
}

TEST_F(AShortenedLease, ThatIsTransferredMeanwhileIsNotGivenBackThoughItsCallerIsRefused) {
  LeaseRotation shorter = prepare();
  (void)shorter.begin();
  step_until_done(shorter.id());
  shorter.lease_deadline()->transfer();
  EXPECT_EQ(shorter.collect().decision, Decision::expired_unclaimed);
  EXPECT_EQ(stored(), everywhere(shorter.fresh()));
}

// A signal handler shortens it while that is under way.
TEST_F(AShortenedLease, ThatIsShortenedFurtherMeanwhileIsHeldByTheLatestToken) {
  LeaseRotation outer = prepare();
  const OperationId outer_id = outer.begin();
  LeaseRotation inner(locks_, kResource, outer.fresh(), Duration::ms(300), outer.lease_deadline());
  outer.lease_deadline()->end();
  const OperationId inner_id = inner.begin();
  step_until_done(inner_id);
  EXPECT_EQ(inner.collect().decision, Decision::granted);
  step_until_done(outer_id);
  EXPECT_NE(outer.collect().decision, Decision::granted);
  EXPECT_GT(inner.lease_deadline()->left(clock_.now()), Duration());
  EXPECT_EQ(stored(), everywhere(inner.fresh()));
}

class AShorteningWithinAnother : public AShortenedLease {
 protected:
  AShorteningWithinAnother()
      : outer_(prepare()),
        inner_(locks_, kResource, outer_.fresh(), Duration::ms(300), outer_.lease_deadline()) {}

  // One a little behind the other.
  void begin_both() {
    (void)outer_.begin();
    clock_.advance(Duration::ms(10));
    outer_.lease_deadline()->end();
    (void)inner_.begin();
  }
  void begin_both_while_two_servers_stand_still() {
    for (const std::size_t i : {1U, 2U}) server(i).stopped = true;
    begin_both();
  }
  Decision outer_decision() { return decision_of(outer_); }
  Decision inner_decision() { return decision_of(inner_); }
  bool inner_is_live() { return inner_.lease_deadline()->left(clock_.now()) > Duration(); }
  std::vector<std::string> stored_behind_that() {
    for (const std::size_t i : {1U, 2U}) transport_.resume(server(i));
    return stored();
  }

  LeaseRotation outer_;
  LeaseRotation inner_;

 private:
  Decision decision_of(LeaseRotation& shorter) {
    step_until_done(shorter.id());
    return shorter.collect().decision;
  }
};

TEST_F(AShorteningWithinAnother, IsLostBeforeThatRemovesAVoteOnWhichItRests) {
  for (const std::size_t i : {0U, 1U, 2U}) server(i).answer_time = Duration::ms(20);
  for (const std::size_t i : {1U, 2U}) server(i).keys["r"] = "somebody else's";
  begin_both();
  EXPECT_TRUE(inner_is_live());
  EXPECT_EQ(outer_decision(), Decision::denied);
  ASSERT_FALSE(pool_.done(inner_.id()));
  EXPECT_EQ(inner_.lease_deadline()->loss(), Loss::denied);
  EXPECT_NE(inner_decision(), Decision::granted);
  EXPECT_EQ(stored()[0], "");
}

TEST_F(AShorteningWithinAnother, ThatWasTransferredKeepsTheVotesOnWhichItRests) {
  begin_both_while_two_servers_stand_still();
  inner_.lease_deadline()->transfer();
  EXPECT_EQ(outer_decision(), Decision::unreachable);
  EXPECT_EQ(inner_decision(), Decision::unreachable);
  for (const std::string& value : stored_behind_that()) EXPECT_NE(value, "");
}

TEST_F(AShorteningWithinAnother, ThatIsConfirmedOutlivesTheCallAroundIt) {
  begin_both();
  EXPECT_TRUE(outer_.lease_deadline()->lives_on());
  EXPECT_EQ(inner_decision(), Decision::granted);
  EXPECT_FALSE(outer_.lease_deadline()->lives_on()) << "it has votes of its own";
  (void)outer_.collect();
  EXPECT_TRUE(inner_is_live());
  EXPECT_EQ(stored(), everywhere(inner_.fresh()));
}

// As signal handlers do it; whoever has it now trusts what the servers still hold.
TEST_F(AShortenedLease, ThatIsTransferredMeanwhileStaysThoughItsCallerLeaves) {
  LeaseRotation shorter = prepare();
  (void)shorter.begin();
  shorter.lease_deadline()->transfer();
  EXPECT_EQ(shorter.collect().decision, Decision::aborted);
  EXPECT_EQ(stored(), everywhere(shorter.fresh())) << "the commands were under way";
}

TEST_F(AShortenedLease, ThatIsTransferredMeanwhileStaysThoughNoMajorityAnswers) {
  server(1).stopped = server(2).stopped = true;
  LeaseRotation shorter = prepare();
  (void)shorter.begin();
  shorter.lease_deadline()->transfer();
  step_until_done(shorter.id());
  EXPECT_EQ(shorter.collect().decision, Decision::unreachable);
  for (const std::size_t i : {1U, 2U}) transport_.resume(server(i));
  for (const std::string& value : stored()) {
    EXPECT_TRUE(value == shorter.fresh().view() || value == held_.token.view()) << value;
  }
}

TEST_F(AShortenedLease, ThatOnlySomeOfItsOwnersPassedOnStaysToo) {
  LeaseRotation shorter = prepare();
  (void)shorter.begin();
  shorter.lease_deadline()->share();
  EXPECT_EQ(shorter.collect().decision, Decision::aborted);
  EXPECT_EQ(shorter.lease_deadline()->left(clock_.now()), Duration())
      << "of those that had it shortened";
  EXPECT_EQ(stored(), everywhere(shorter.fresh()));
}

TEST_F(AShortenedLease, GivesNoExtensionOfItsOldToken) {
  const OperationId extension = locks_.begin_extend(kResource, held_.token, kTtl);
  LeaseRotation shorter = prepare();
  ASSERT_EQ(run(shorter).decision, Decision::granted);
  step_until_done(extension);
  EXPECT_EQ(locks_.collect_extension(extension).decision, Decision::denied)
      << "it was granted before the exchange, and counts for nothing any more";
}

// By a signal handler, which then works for long.
TEST_F(AShortenedLease, ThatWasExtendedMeanwhileOutlivesItsShortTtl) {
  LeaseRotation shorter = prepare();
  (void)shorter.begin();
  step_until_done(shorter.id());
  const Outcome extended = pool_.run(locks_.begin_extend(kResource, shorter.fresh(), kTtl));
  ASSERT_EQ(extended.decision, Decision::granted);
  const Instant until = extended.decided_at + extended.validity;
  ASSERT_TRUE(shorter.lease_deadline()->prolong(until, clock_.now()));
  clock_.advance(kShort);
  const Outcome outcome = shorter.collect();
  EXPECT_EQ(outcome.decision, Decision::granted);
  EXPECT_EQ(outcome.decided_at + outcome.validity, until);
  EXPECT_EQ(stored(), everywhere(shorter.fresh()));
}

TEST_F(AShortenedLease, ThatOutlastedItsTtlIsLost) {
  LeaseRotation shorter = prepare();
  (void)shorter.begin();
  step_until_done(shorter.id());
  clock_.advance(kShort);
  EXPECT_EQ(shorter.collect().decision, Decision::expired_unclaimed);
  EXPECT_EQ(shorter.lease_deadline()->left(clock_.now()), Duration());
  EXPECT_EQ(stored(), kNowhere);
}

TEST_F(AShortenedLease, IsNotRepairedByItsOldToken) {
  ASSERT_EQ(unlock(locks_, held_.token).decision, Decision::granted);
  const KeptLease lease = take_and_repair();
  LeaseRotation shorter(locks_, kResource, lease.token, kShort, lease.lease_deadline);
  lease.lease_deadline->supersede();
  scheduler_.stop(*lease.lease_deadline);
  (void)shorter.begin();
  step_until_done(shorter.id());
  ASSERT_EQ(shorter.collect().decision, Decision::granted);
  keep_for(Duration::ms(300));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NE(server(i).keys["r"], lease.token.view()) << i;
}

TEST_F(AShortenedLease, AsksAServerThatIsBackedOffFromWhereItDecides) {
  server(2).reach = FakeServer::Reach::refuses;
  (void)pool_.run(locks_.begin_check(Resource("other"), Token("t")));
  transport_.drop_connections(server(2));
  (void)pool_.run(locks_.begin_check(Resource("other"), Token("t")));
  server(2).reach = FakeServer::Reach::accepts;
  server(1).keys.clear();
  LeaseRotation shorter = prepare();
  EXPECT_EQ(run(shorter).decision, Decision::granted) << "two of three have it";
}

TEST_F(AShortenedLease, RefusesWhatExtendRefuses) {
  EXPECT_THROW((void)LeaseRotation(locks_, kResource, held_.token, Duration(), lease_deadline_),
               ArgumentError);
  EXPECT_THROW(
      (void)LeaseRotation(locks_, kResource, held_.token, Duration::ms(1), lease_deadline_),
      ArgumentError);
  EXPECT_GT(lease_deadline_->left(clock_.now()), kShort);
}

}  // namespace
}  // namespace redlock::lease_rotation_test
