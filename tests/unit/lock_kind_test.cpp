// What the two kinds of lock send, and how long they may be trusted.
#include <gtest/gtest.h>

#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/stamp_kind.hpp"
#include "redlock/algorithm/validity.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::lock_kind_test {
namespace {

const Resource kResource("r");
const Token kToken("7");

TEST(QuorumKind, TakesWithTheTokenAndUndoesThatVeryToken) {
  const QuorumKind kind(kResource, Duration::ms(500), 0.01);
  const Command take = kind.acquire(kToken);
  const Command undo = undo_of(kind.acquire(kToken)).value();
  EXPECT_EQ(std::get<SetIfAbsent>(take).resources, kResource);
  EXPECT_EQ(std::get<SetIfAbsent>(take).token, kToken);
  EXPECT_EQ(std::get<SetIfAbsent>(take).ttl, Duration::ms(500));
  EXPECT_EQ(std::get<ReleaseAndHandOver>(undo).resources, kResource);
  EXPECT_EQ(std::get<ReleaseAndHandOver>(undo).token, kToken);
}

TEST(QuorumKind, ProvesItsLockByTheTokenInEveryVerb) {
  const QuorumKind kind(kResource, Duration::ms(500), 0.01);
  EXPECT_EQ(kind.proof(kToken, "whatever came"), kToken);
  EXPECT_EQ(std::get<ReleaseAndHandOver>(kind.release(kToken)).token, kToken);
  EXPECT_EQ(std::get<CheckEqual>(kind.check(kToken)).token, kToken);
  EXPECT_EQ(std::get<ExtendIfEqual>(kind.extend(kToken).value()).token, kToken);
  EXPECT_EQ(std::get<ExtendIfEqual>(kind.extend(kToken).value()).ttl, Duration::ms(500));
}

TEST(QuorumKind, ShortensByAnotherTokenAndItsOwnTtl) {
  const QuorumKind kind(kResource, Duration::ms(500), 0.01);
  const auto swap = std::get<RotateIfEqual>(kind.rotate(kToken, Token("8")).value());
  EXPECT_EQ(swap.resources, kResource);
  EXPECT_EQ(swap.held, kToken);
  EXPECT_EQ(swap.fresh, Token("8"));
  EXPECT_EQ(swap.ttl, Duration::ms(500));
}

TEST(QuorumKind, TrustsTheFormula) {
  const QuorumKind kind(kResource, Duration::ms(500), 0.02);
  EXPECT_EQ(kind.validity(Duration::ms(9)), validity_of(Duration::ms(500), Duration::ms(9), 0.02));
}

TEST(QuorumKind, IsDecidedByAMajority) {
  const QuorumKind kind(kResource, Duration::ms(500), 0.01);
  EXPECT_EQ(kind.quorum(5).grants(), 3U);
  EXPECT_EQ(kind.quorum(5).denials(), 3U);
}

TEST(QuorumKind, SeesWhatStandsUnderItsKey) {
  const QuorumKind kind(kResource, Duration::ms(500), 0.01);
  EXPECT_EQ(std::get<Inspect>(kind.inspect().value()).resources, kResource);
  EXPECT_EQ(std::get<CheckEndless>(kind.check_endless().value()).resources, kResource);
}

TEST(QuorumKind, WithFencesAnAcquireProposesOneAndARaiseNamesAnother) {
  const QuorumKind kind(kResource, Duration::ms(500), 0.01, "", FenceProposals{7, {}});
  EXPECT_EQ(std::get<SetAllIfAbsent>(kind.acquire(kToken)).fence->fence, 7);
  EXPECT_EQ(std::get<RaiseFence>(kind.raise_fence(kToken, 9).value()).proposal.fence, 9);
  EXPECT_FALSE(QuorumKind(kResource, Duration::ms(500), 0.01).raise_fence(kToken, 9));
}

TEST(QuorumKind, InSharedModeTakesAndWaitsAsAReader) {
  const QuorumKind kind(kResource, Duration::ms(500), 0.01, "", FenceProposals{7, {}},
                        LockMode::shared);
  EXPECT_EQ(std::get<ShareIfFree>(kind.acquire(kToken)).fence->fence, 7);
  EXPECT_EQ(std::get<Enqueue>(kind.enqueue(kToken, {}).value()).mode, LockMode::shared);
  const Command undo = undo_of(kind.acquire(kToken)).value();
  EXPECT_FALSE(std::get<ReleaseAndHandOver>(undo).hands_over);
}

TEST(QuorumKind, APromotionTakesUnderAFreshTokenAndUndoesThatOne) {
  const QuorumKind shared(kResource, Duration::ms(500), 0.01, "", {}, LockMode::shared);
  const QuorumKind kind = shared.promoting(Token("reader"));
  const Command promote = kind.acquire(kToken);
  EXPECT_EQ(std::get<Promote>(promote).held, Token("reader"));
  EXPECT_EQ(std::get<Promote>(promote).fresh, kToken);
  EXPECT_EQ(std::get<ReleaseAndHandOver>(undo_of(promote).value()).token, kToken);
}

TEST(QuorumKind, APromotionIsLostWhereNoMajorityCanKnowTheReader) {
  Outcome outcome;
  outcome.quorum = QuorumRule::majority(3);
  outcome.decision = Decision::denied;
  outcome.nodes = {{true, Reply::denied()}, {true, Reply::denied(BusyResource{0})}, {}};
  EXPECT_FALSE(is_lost_promotion(outcome));
  outcome.nodes[2] = {true, Reply::denied()};
  EXPECT_TRUE(is_lost_promotion(outcome));
  outcome.decision = Decision::granted;
  EXPECT_FALSE(is_lost_promotion(outcome));
}

TEST(QuorumKind, OfSeveralResourcesAcquiresAllOrNoneAndUndoesAll) {
  const Resources both(std::vector<Resource>{Resource("b"), Resource("a")});
  const QuorumKind kind(both, Duration::ms(500), 0.01, "me");
  EXPECT_EQ(std::get<SetAllIfAbsent>(kind.acquire(kToken)).resources, both);
  EXPECT_EQ(std::get<ReleaseAndHandOver>(undo_of(kind.acquire(kToken)).value()).resources, both);
}

TEST(QuorumKind, OfOneOfSeveralIsThatLockWithoutAFence) {
  const Resources both(std::vector<Resource>{Resource("b"), Resource("a")});
  const QuorumKind kind(both, Duration::ms(500), 0.01, "me", FenceProposals{7, {}});
  test::SeededEntropy entropy;
  const QuorumKind one = kind.of_one(1);
  EXPECT_EQ(std::get<SetIfAbsent>(one.acquire(kToken)).resources, Resource("b"));
  EXPECT_EQ(owner_of(one.fresh_token(entropy)), "me");
}

TEST(QuorumKind, WithATokenEveryAttemptHasThat) {
  test::SeededEntropy entropy;
  EXPECT_EQ(QuorumKind(kResource, Duration::ms(500), 0.01).with_token(kToken).fresh_token(entropy),
            kToken);
}

TEST(QuorumKind, DrawsAnUnguessableToken) {
  test::SeededEntropy entropy;
  const QuorumKind kind(kResource, Duration::ms(500), 0.01);
  EXPECT_EQ(kind.fresh_token(entropy).view().size(), 2 * kTokenRandomBytes);
}

TEST(StampKind, TheStampLastsForLeaseAndBuffer) {
  const StampKind kind(kResource, Duration::ms(500), Duration::ms(3), {StampUnit::seconds, 0});
  const Command take = kind.acquire(kToken);
  EXPECT_EQ(std::get<StampAcquire>(take).keys, kResource);
  EXPECT_EQ(std::get<StampAcquire>(take).token, kToken);
  EXPECT_EQ(std::get<StampAcquire>(take).lease, Duration::ms(503));
  EXPECT_EQ(std::get<StampAcquire>(take).unit, StampUnit::seconds);
}

TEST(StampKind, TheHolderTrustsTheLeaseWithoutTheBuffer) {
  const StampKind kind(kResource, Duration::ms(500), Duration::ms(3), {StampUnit::milliseconds, 0});
  EXPECT_EQ(kind.validity(Duration::ms(20)), Duration::ms(480));
  EXPECT_LE(kind.validity(Duration::ms(500)), Duration());
}

TEST(StampKind, TheHolderTrustsTheLeaseLessItsShareOfDriftAndNoFloor) {
  const StampKind kind(kResource, Duration::seconds(20), Duration::ms(1),
                       {StampUnit::milliseconds, 0.01});
  EXPECT_EQ(kind.validity(Duration()), Duration::ms(19'800));
  EXPECT_EQ(kind.validity(Duration::ms(19'799)), Duration::ms(1));
  EXPECT_LE(kind.validity(Duration::ms(19'800)), Duration());
  const StampKind shortest(kResource, Duration::ms(1), Duration(), {StampUnit::milliseconds, 0.01});
  EXPECT_EQ(shortest.validity(Duration()), Duration::us(990));
}

TEST(StampKind, AServerKeepsItForLeaseAndBufferAndWhatTheClocksDifferBy) {
  const StampKind kind(kResource, Duration::ms(900), Duration::ms(100),
                       {StampUnit::milliseconds, 0.01});
  EXPECT_EQ(kind.life_max(), longest_life(Duration::ms(1'000), 0.01));
}

TEST(StampKind, ProvesItsLockByTheStoredStampInEveryVerb) {
  const StampKind kind(kResource, Duration(), Duration::ms(3), {StampUnit::seconds, 0},
                       StampProof::exact_or_plain);
  const Token stamp = kind.proof(kToken, Token("12.7"));
  EXPECT_EQ(stamp, Token("12.7"));
  const auto release = std::get<StampRelease>(kind.release(stamp));
  EXPECT_EQ(release.stamp, stamp);
  EXPECT_EQ(release.margin, Duration::ms(3));
  EXPECT_EQ(release.unit, StampUnit::seconds);
  EXPECT_EQ(release.proof, StampProof::exact_or_plain);
  EXPECT_EQ(std::get<StampCheck>(kind.check(stamp)).stamp, stamp);
  EXPECT_EQ(std::get<StampCheck>(kind.check(stamp)).proof, StampProof::exact_or_plain);
  EXPECT_FALSE(kind.extend(stamp));
  EXPECT_FALSE(kind.rotate(stamp, kToken));
}

TEST(StampKind, UndoesByTheFractionAlone) {
  const StampKind kind(kResource, Duration::ms(500), Duration(), {StampUnit::milliseconds, 0.01});
  const Command undo = undo_of(kind.acquire(kToken)).value();
  EXPECT_EQ(std::get<StampUndo>(undo).keys, kResource);
  EXPECT_EQ(std::get<StampUndo>(undo).token, kToken);
}

TEST(StampKind, TheFractionIsDecimalAndCarriesAtLeast64Bits) {
  test::SeededEntropy entropy;
  const StampKind kind(kResource, Duration::ms(500), Duration(), {StampUnit::milliseconds, 0.01});
  const Token fraction = kind.fresh_token(entropy);
  EXPECT_GE(fraction.view().size(), 20U);
  EXPECT_EQ(fraction.view().find_first_not_of("0123456789"), std::string_view::npos);
}

}  // namespace
}  // namespace redlock::lock_kind_test
