// One node's line: which votes count, and when to join again.
#include "redlock/queue/node_queue_state.hpp"

#include <gtest/gtest.h>

#include "redlock/wire/line_codec.hpp"
#include "support/machine.hpp"

namespace redlock::node_queue_state_test {
namespace {

using test::kOneNs;
using test::t;

constexpr Duration kStale = Duration::ms(250);
constexpr Instant kBy = t(1'000'000);

class Place : public testing::Test {
 protected:
  Place() { place_.on_subscription({"here", Fault::none, {}}, t(0)); }
  void join(AttemptNumber attempt, Instant now, Instant answer_by = kBy) {
    ASSERT_TRUE(place_.can_join(now));
    place_.note_joined(attempt, now, answer_by);
  }
  void stand(AttemptNumber attempt, const std::string& standing, Instant now) {
    place_.on_reply(attempt, Reply::denied(parse_queue_position(standing).value()), now);
  }
  static Push granted(std::uint64_t echo) { return {Push::Kind::granted, Token("t"), echo, {}}; }
  static Push next(std::int64_t left_ms) {
    return {Push::Kind::next, Token("t"), 0, Duration::ms(left_ms)};
  }
  // Whoever is told so in the answer to a join.
  static Duration asks_after(const std::string& standing) {
    NodeQueueState place(kStale, NodeReport());
    place.on_subscription({"here", Fault::none, {}}, t(0));
    place.note_joined(1, t(0), kBy);
    place.on_reply(1, Reply::denied(parse_queue_position(standing).value()), t(10));
    return place.next_deadline() - t(10);
  }
  static Reply silence() { return Reply::unknown(Fault::timeout, "no answer"); }

  NodeQueueState place_{kStale, NodeReport()};
};

TEST_F(Place, IsJoinedOnlyWhereItCanBeHeard) {
  NodeQueueState unsubscribed(kStale, NodeReport());
  EXPECT_FALSE(unsubscribed.can_join(t(0)));
  EXPECT_EQ(unsubscribed.next_deadline(), Instant::never());
  EXPECT_TRUE(unsubscribed.pending());
  EXPECT_TRUE(place_.can_join(t(0)));
}

TEST_F(Place, AnswersToTheLatestJoinVote) {
  join(3, t(1));
  EXPECT_FALSE(place_.voted());
  EXPECT_FALSE(place_.can_join(t(2)));
  place_.on_reply(2, Reply::granted(), t(2));
  EXPECT_FALSE(place_.voted());
  place_.on_reply(3, Reply::granted(), t(2));
  EXPECT_TRUE(place_.voted());
  EXPECT_FALSE(place_.handed_over());
  EXPECT_EQ(place_.joined_at(), t(1));
}

TEST_F(Place, APushVotesWhereItCarriesTheLatestEcho) {
  join(3, t(1));
  stand(3, "500 3 0", t(2));
  place_.on_push(granted(2), t(3));
  EXPECT_FALSE(place_.voted());
  place_.on_push(granted(3), t(4));
  EXPECT_TRUE(place_.voted());
  EXPECT_TRUE(place_.handed_over());
}

TEST_F(Place, APushBeforeTheAnswerVotesAndTheAnswerTakesNothingBack) {
  join(3, t(1));
  place_.on_push(granted(3), t(2));
  EXPECT_TRUE(place_.voted());
  stand(3, "500 3 0", t(3));
  EXPECT_TRUE(place_.voted());
}

TEST_F(Place, WhoHasTheVoteNoLongerAsksAtTheKeysEnd) {
  join(3, t(1));
  stand(3, "500 0 0", t(2));
  ASSERT_NE(place_.next_deadline(), Instant::never());
  place_.on_push(granted(3), t(3));
  place_.on_time(t(600));
  EXPECT_FALSE(place_.can_join(t(600)));
  EXPECT_TRUE(place_.voted());
}

TEST_F(Place, AVoteSurvivesTheSilenceThatFollowsIt) {
  join(3, t(1), t(50));
  place_.on_push(granted(3), t(2));
  place_.on_time(t(50));
  EXPECT_TRUE(place_.voted());
  place_.on_subscription({{}, Fault::closed, "gone"}, t(60));
  EXPECT_TRUE(place_.voted());
}

TEST_F(Place, WhoHasTheVoteDoesNotAskAgainForWhatIsPushedBehindIt) {
  join(3, t(1));
  place_.on_reply(3, Reply::granted(), t(2));
  const Instant deadline = place_.next_deadline();
  place_.on_push(next(0), t(3));
  EXPECT_EQ(place_.next_deadline(), deadline);
  EXPECT_FALSE(place_.can_join(t(3)));
}

TEST_F(Place, AVoteIsVoidAsSoonAsItIsJoinedAgain) {
  join(3, t(1));
  place_.on_reply(3, Reply::granted(), t(2));
  place_.hurry();
  join(4, t(3));
  EXPECT_FALSE(place_.voted());
  // What was handed over behind the earlier join may be somebody else's by now.
  place_.on_push(granted(3), t(4));
  EXPECT_FALSE(place_.voted());
  place_.on_reply(3, Reply::granted(), t(4));
  EXPECT_FALSE(place_.voted());
}

TEST_F(Place, TheFirstAsksWhenTheKeyEnds) {
  join(1, t(0));
  stand(1, "500 0 0", t(10));
  EXPECT_EQ(place_.next_deadline(), t(512));
  EXPECT_FALSE(place_.can_join(t(512) - kOneNs));
  EXPECT_TRUE(place_.can_join(t(512)));
}

TEST_F(Place, TheFirstAsksEverySecondHoweverLongTheKeyLives) {
  join(1, t(0));
  stand(1, "60000 0 0", t(10));
  EXPECT_EQ(place_.next_deadline(), t(1'010));
}

TEST_F(Place, TheFirstAsksAKeyWithoutEndEverySecond) {
  join(1, t(0));
  stand(1, "-1 0 0", t(10));
  EXPECT_EQ(place_.next_deadline(), t(1'010));
}

TEST_F(Place, TheOthersSayThatTheyAreThere) {
  EXPECT_EQ(asks_after("60000 200 0"), kHeartbeat);
  EXPECT_EQ(asks_after("-1 200 0"), kHeartbeat);
}

// The lock may change hands meanwhile, to a lease that ends sooner.
TEST_F(Place, WhoseTurnMayComeSoonAsksMoreOften) {
  for (const std::string left : {"60000", "-1"}) {
    EXPECT_EQ(asks_after(left + " 1 0"), kFirstAsksEvery);
    EXPECT_EQ(asks_after(left + " 10 0"), kFirstAsksEvery);
    EXPECT_EQ(asks_after(left + " 11 0"), kEachPositionAsksLater * 11);
    EXPECT_EQ(asks_after(left + " 9223372036854775807 0"), kHeartbeat);
  }
}

TEST_F(Place, TheOthersAskBehindTheEndOneAfterTheOther) {
  EXPECT_EQ(asks_after("500 3 0"), Duration::ms(500) + kEachPositionAsksLater * 3);
}

// The place is that of the join, and may be a better one by the time the key ends.
TEST_F(Place, TheOthersAskSoonBehindTheEndHoweverFarBackTheyStood) {
  for (const std::string place : {"5", "6", "40", "100000"}) {
    EXPECT_EQ(asks_after("400 " + place + " 0"), Duration::ms(400) + kOthersAskWithin);
  }
}

TEST_F(Place, WhoBecomesTheNextAsksWhenTheKeyEnds) {
  join(1, t(0));
  stand(1, "60000 3 0", t(10));
  place_.on_push(next(300), t(100));
  EXPECT_EQ(place_.next_deadline(), t(402));
}

TEST_F(Place, WhoBecomesTheNextOfAFreeKeyAsksAtOnce) {
  join(1, t(0));
  stand(1, "60000 3 0", t(10));
  place_.on_push(next(0), t(100));
  EXPECT_TRUE(place_.can_join(t(100)));
}

TEST_F(Place, WhoBecomesTheNextWithAnOldEntryJoinsAgain) {
  join(1, t(0));
  stand(1, "60000 3 0", t(10));
  place_.on_push(next(60'000), t(0) + kStale);
  EXPECT_FALSE(place_.can_join(t(0) + kStale));
  place_.on_push(next(60'000), t(0) + kStale + kOneNs);
  EXPECT_TRUE(place_.can_join(t(0) + kStale + kOneNs));
}

TEST_F(Place, WhatIsPushedBeforeTheAnswerIsRemembered) {
  join(1, t(0));
  place_.on_push(next(300), t(1));
  stand(1, "400 3 0", t(2));
  EXPECT_EQ(place_.next_deadline(), t(303));
}

TEST_F(Place, WhatWasPushedBehindAnEarlierJoinIsForgottenWithIt) {
  join(3, t(1));
  stand(3, "9000 4 0", t(2));
  place_.on_push(next(0), t(3));
  join(4, t(3));
  stand(4, "9000 4 0", t(4));
  EXPECT_FALSE(place_.can_join(t(4)));
}

TEST_F(Place, WhoIsFirstThoughNothingStandsThereDoesNotHurry) {
  join(1, t(0));
  stand(1, "-2 0 0", t(10));
  EXPECT_EQ(place_.next_deadline(), t(10) + kTroublePauseFirst);
}

TEST_F(Place, WhoIsFirstAsksBehindTheLastMillisecondOfTheKey) {
  join(1, t(0));
  stand(1, "0 0 0", t(10));
  EXPECT_TRUE(place_.held_by_another(t(10)));
  EXPECT_EQ(place_.next_deadline(), t(11) + kAfterTheEnd);
}

TEST_F(Place, TroubleIsTriedAgainLaterEachTime) {
  Instant now = t(0);
  Duration pause = kTroublePauseFirst;
  for (AttemptNumber attempt = 1; attempt < 8; ++attempt) {
    join(attempt, now);
    place_.on_reply(attempt, silence(), now);
    EXPECT_EQ(place_.next_deadline(), now + pause);
    now = now + pause;
    pause = std::min(pause * 2, kTroublePauseMax);
  }
  join(8, now);
  stand(8, "10 0 0", now);
  now = now + Duration::ms(12);
  join(9, now);
  place_.on_reply(9, silence(), now);
  EXPECT_EQ(place_.next_deadline(), now + kTroublePauseFirst);
}

TEST_F(Place, TroubleBehindAVoteIsTheFirstAgain) {
  join(1, t(0));
  place_.on_reply(1, silence(), t(0));
  join(2, t(0) + kTroublePauseFirst);
  place_.on_reply(2, Reply::granted(), t(500));
  place_.hurry();
  join(3, t(500));
  place_.on_reply(3, silence(), t(500));
  EXPECT_EQ(place_.next_deadline(), t(500) + kTroublePauseFirst);
}

TEST_F(Place, AnAnswerThatIsOverdueIsNone) {
  join(1, t(0), t(50));
  EXPECT_EQ(place_.next_deadline(), t(50));
  place_.on_time(t(50) - kOneNs);
  EXPECT_TRUE(place_.joining());
  place_.on_time(t(50));
  EXPECT_FALSE(place_.joining());
  EXPECT_EQ(place_.report().reply.fault, Fault::timeout);
  // It comes after all: too late, for nobody knows what it was worth.
  place_.on_reply(1, Reply::granted(), t(51));
  EXPECT_FALSE(place_.voted());
}

TEST_F(Place, MayHoldWhateverMayHaveArrived) {
  EXPECT_FALSE(place_.may_hold());
  join(1, t(0));
  EXPECT_TRUE(place_.may_hold());
  place_.on_reply(1, Reply::not_sent(Fault::refused, "down"), t(0));
  EXPECT_FALSE(place_.may_hold());
  join(2, t(50));
  place_.on_reply(2, silence(), t(51));
  EXPECT_TRUE(place_.may_hold());
}

TEST_F(Place, AnEarlierJoinStandsThoughTheLatestWasNotSent) {
  join(1, t(0));
  stand(1, "10 0 0", t(1));
  join(2, t(13));
  place_.on_reply(2, Reply::not_sent(Fault::refused, "down"), t(13));
  EXPECT_TRUE(place_.may_hold());
}

TEST_F(Place, ANewChannelIsToldToTheServerAtOnce) {
  join(1, t(0));
  stand(1, "60000 3 0", t(1));
  place_.on_subscription({{}, Fault::closed, "gone"}, t(2));
  EXPECT_FALSE(place_.can_join(t(30'000)));
  place_.on_subscription({"there", Fault::none, {}}, t(3));
  EXPECT_TRUE(place_.can_join(t(3)));
  EXPECT_EQ(place_.channel(), "there");
}

TEST_F(Place, ANewChannelIsToldToNoServerWhoseVoteItHas) {
  join(3, t(1));
  place_.on_reply(3, Reply::granted(), t(2));
  place_.on_subscription({"new", Fault::none, {}}, t(3));
  EXPECT_FALSE(place_.can_join(t(3)));
  EXPECT_TRUE(place_.voted());
}

TEST_F(Place, AChannelThatChangesUnderAJoinIsToldBehindIt) {
  join(1, t(0));
  place_.on_subscription({{}, Fault::closed, "gone"}, t(1));
  place_.on_subscription({"there", Fault::none, {}}, t(2));
  stand(1, "60000 3 0", t(3));
  EXPECT_TRUE(place_.can_join(t(3)));
}

TEST_F(Place, IsRefusedWhereSubscriptionsOrScriptsAre) {
  for (const Fault fault : {Fault::acl, Fault::rejected, Fault::bound, Fault::maxclients}) {
    NodeQueueState place(kStale, NodeReport());
    place.on_subscription({{}, fault, "no"}, t(0));
    EXPECT_TRUE(place.refused());
  }
  join(1, t(0));
  place_.on_reply(1, Reply::unknown(Fault::acl, "NOPERM"), t(1));
  EXPECT_TRUE(place_.refused());
  EXPECT_EQ(place_.next_deadline(), Instant::never());
}

TEST_F(Place, IsRefusedUntilItIsHeardAfterAll) {
  for (const Fault fault : {Fault::acl, Fault::rejected, Fault::bound, Fault::maxclients}) {
    NodeQueueState place(kStale, NodeReport());
    place.on_subscription({{}, fault, "no"}, t(0));
    place.on_subscription({{}, Fault::timeout, "trouble"}, t(1));
    EXPECT_TRUE(place.refused());
    place.on_subscription({"room", Fault::none, {}}, t(2));
    EXPECT_FALSE(place.refused());
    EXPECT_TRUE(place.can_join(t(2)));
  }
}

TEST_F(Place, IsRefusedByAServerThatTurnsAwayWhoListensUntilItIsHeardAfterAll) {
  place_.on_subscription({{}, Fault::closed, "trouble"}, t(0));
  EXPECT_FALSE(place_.refused());
  place_.on_subscription({{}, Fault::closed, "no room", true}, t(1));
  EXPECT_TRUE(place_.refused());
  EXPECT_EQ(place_.report().reply.reason(), "no room");
  place_.on_subscription({{}, Fault::closed, "trouble"}, t(2));
  EXPECT_TRUE(place_.refused());
  place_.on_subscription({"room", Fault::none, {}}, t(3));
  EXPECT_FALSE(place_.refused());
  EXPECT_TRUE(place_.can_join(t(3)));
}

TEST_F(Place, WhereScriptsAreRefusedItIsOfNoUseToBeHeard) {
  join(1, t(0));
  place_.on_reply(1, Reply::unknown(Fault::acl, "NOPERM"), t(1));
  place_.on_subscription({{}, Fault::maxclients, "full"}, t(2));
  place_.on_subscription({"room", Fault::none, {}}, t(3));
  EXPECT_TRUE(place_.refused());
  EXPECT_FALSE(place_.can_join(t(3)));
}

TEST_F(Place, WhatIsToBeSaidAnewIsSaidBehindTheAnswerThatIsUnderWay) {
  join(1, t(0));
  place_.say_anew();
  EXPECT_FALSE(place_.can_join(t(1)));
  stand(1, "9000 4 1700000000000", t(1));
  EXPECT_TRUE(place_.can_join(t(1)));
  join(2, t(1));
  stand(2, "9000 4 1700000000000", t(2));
  EXPECT_FALSE(place_.can_join(t(2)));
}

TEST_F(Place, IsRefusedWhereEverySubscriptionIsCutSoon) {
  for (int i = 1; i <= kBriefSubscriptionsMax; ++i) {
    EXPECT_FALSE(place_.refused()) << i;
    place_.on_subscription({{}, Fault::closed, "cut"}, t(i * 100));
    place_.on_subscription({"again", Fault::none, {}}, t(i * 100));
  }
  EXPECT_TRUE(place_.refused());
}

TEST_F(Place, ASubscriptionThatStoodForLongStartsTheCountAnew) {
  Instant now = t(0);
  for (int i = 1; i <= kBriefSubscriptionsMax * 2; ++i) {
    now =
        now + (i % kBriefSubscriptionsMax == 0 ? kBriefSubscription : kBriefSubscription - kOneNs);
    // The end and the beginning in one turn: only the new channel is told.
    place_.on_subscription({"again", Fault::none, {}}, now);
  }
  EXPECT_FALSE(place_.refused());
}

TEST_F(Place, AServerInTroubleRefusesNothing) {
  for (const Fault fault : {Fault::refused, Fault::timeout, Fault::closed, Fault::loading}) {
    NodeQueueState place(kStale, NodeReport());
    place.on_subscription({{}, fault, "trouble"}, t(0));
    EXPECT_FALSE(place.refused());
    EXPECT_FALSE(place.pending());
  }
  join(1, t(0));
  place_.on_reply(1, Reply::unknown(Fault::bound, "too many"), t(1));
  EXPECT_FALSE(place_.refused());
}

}  // namespace
}  // namespace redlock::node_queue_state_test
