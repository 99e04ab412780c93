// Why a guard gives a server no vote, by the words of INFO.
#include "redlock/wire/objection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redlock::objection_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Duration kMinute = Duration::seconds(60);

std::optional<Objection> told(const std::string& info, const Guard& guard,
                              Duration longest_ttl = kMinute) {
  ServerFacts facts;
  return objection_to(RespValue{RespKind::bulk, 0, info}, {guard, longest_ttl, {}},
                      Secrets(Endpoint()), facts);
}
std::string reason(const std::string& info, const Guard& guard) {
  const auto objection = told(info, guard);
  return objection ? objection->reason : "none";
}
std::string up(int seconds) {
  return "redis_version:7.0.0\r\nuptime_in_seconds:" + std::to_string(seconds) + "\r\n";
}

constexpr Guard kRestart{true, false, false, false};
constexpr Guard kRole{false, true, false, false};
constexpr Guard kEviction{false, false, true, false};
constexpr Guard kIdentity{false, false, false, true};

// A server that tells 60 s may be 59 s and a little old: both ends of the span are cut off.
TEST(ObjectionTest, ASecondMoreIsWantedThanALockLasts) {
  EXPECT_TRUE(told(up(0), kRestart));
  EXPECT_TRUE(told(up(60), kRestart));
  EXPECT_FALSE(told(up(61), kRestart));
  EXPECT_TRUE(told(up(1), kRestart, Duration::ms(1)));
  EXPECT_FALSE(told(up(2), kRestart, Duration::ms(1)));
  EXPECT_FALSE(told(up(2), kRestart, Duration::ms(1000)));
  EXPECT_TRUE(told(up(2), kRestart, Duration::ms(1001)));
}

TEST(ObjectionTest, AYoungServerIsOverItInTimeAndSaysWhen) {
  const auto young = told(up(12), kRestart);
  ASSERT_TRUE(young);
  EXPECT_EQ(young->reason,
            "guard: restarted 12 s ago, locks may last 60 s: it has no vote for 49 s more");
  EXPECT_EQ(young->again_after, Duration::seconds(49));
  EXPECT_TRUE(young->reply().passes);
  EXPECT_FALSE(young->reply().sent);
  EXPECT_EQ(young->reply().fault, Fault::guard);
}

TEST(ObjectionTest, ItIsLookedAtAgainNoSoonerThanInASecond) {
  EXPECT_EQ(told(up(1), kRestart, Duration::ms(1))->again_after, kLookAgainAfter);
  EXPECT_EQ(told("role:slave\r\n", kRole)->again_after, kLookAgainAfter);
}

TEST(ObjectionTest, ATimeThatIsNoneIsHeldAgainstIt) {
  EXPECT_TRUE(told(up(-5), kRestart));
  EXPECT_TRUE(told("redis_version:7\r\nuptime_in_seconds:-9223372036854775808\r\n", kRestart));
  EXPECT_EQ(reason("redis_version:7\r\nuptime_in_seconds:many\r\n", kRestart),
            "guard: INFO does not tell uptime_in_seconds");
}

TEST(ObjectionTest, AMasterHasAVoteAndAReplicaHasNone) {
  EXPECT_EQ(reason("role:master\r\n", kRole), "none");
  EXPECT_EQ(reason("role:slave\r\n", kRole), "guard: it is a replica");
  EXPECT_FALSE(told("role:slave\r\n", kRole)->passes);
}

TEST(ObjectionTest, OnlyAPolicyThatMayDeleteAndABoundMakeAnObjection) {
  EXPECT_EQ(reason("maxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n", kEviction), "none");
  EXPECT_EQ(reason("maxmemory:0\r\n", kEviction), "none");
  EXPECT_EQ(reason("maxmemory:9\r\nmaxmemory_policy:noeviction\r\n", kEviction), "none");
  for (const char* policy : {"allkeys-lru", "volatile-ttl", "allkeys-lfu", "volatile-random"}) {
    EXPECT_THAT(
        reason(std::string("maxmemory:9\r\nmaxmemory_policy:") + policy + "\r\n", kEviction),
        HasSubstr(policy));
  }
}

TEST(ObjectionTest, WhatIsNotToldIsHeldAgainstIt) {
  EXPECT_EQ(reason("", kRole), "guard: INFO does not tell role");
  EXPECT_EQ(reason("", kEviction), "guard: INFO does not tell maxmemory");
  EXPECT_EQ(reason("maxmemory:9\r\n", kEviction), "guard: INFO does not tell maxmemory_policy");
  EXPECT_EQ(reason("", kIdentity), "guard: INFO does not tell run_id");
  EXPECT_EQ(reason("", kRestart), "guard: INFO does not tell uptime_in_seconds");
}

TEST(ObjectionTest, ARefusalIsOneForItsOwnReason) {
  ServerFacts facts;
  const auto refused = objection_to(RespValue{RespKind::error, 0, "NOPERM this user may not"},
                                    {Guard::all(), kMinute, {}}, Secrets(Endpoint()), facts);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->fault, Fault::acl);
  EXPECT_EQ(refused->reason, "guard: INFO was refused: NOPERM this user may not");
}

std::span<const std::string_view> asked_for(const Guard& parts) {
  return guard_question({parts, kMinute, {}});
}

TEST(ObjectionTest, NobodyIsAskedForMoreSectionsThanAreWanted) {
  EXPECT_THAT(asked_for(Guard::all()), ElementsAre("INFO"));
  EXPECT_THAT(asked_for(kRole), ElementsAre("INFO", "replication"));
  EXPECT_THAT(asked_for(kEviction), ElementsAre("INFO", "memory"));
  EXPECT_THAT(asked_for(kRestart), ElementsAre("INFO", "server"));
  EXPECT_THAT(asked_for({true, false, false, true}), ElementsAre("INFO", "server"));
  EXPECT_THAT(asked_for({true, true, false, false}), ElementsAre("INFO"));
}

TEST(ObjectionTest, WhoHasFewerReplicasThanMustHaveEachVoteSaysHowMany) {
  GuardDemands two;
  two.replicas = 2;
  EXPECT_THAT(guard_question(two), ElementsAre("INFO", "replication"));
  ServerFacts facts;
  const auto objection = [&](std::string info) {
    return objection_to(RespValue{.kind = RespKind::bulk, .text = std::move(info)}, two,
                        Secrets(Endpoint()), facts);
  };
  EXPECT_FALSE(objection("role:master\r\nconnected_slaves:2\r\n"));
  const auto few = objection("role:master\r\nconnected_slaves:1\r\n");
  ASSERT_TRUE(few);
  EXPECT_EQ(few->fault, Fault::noreplicas);
  EXPECT_EQ(few->reason, "replicas: it has 1, 2 must have each vote");
  EXPECT_EQ(objection("role:master\r\n")->reason, "replicas: INFO does not tell connected_slaves");
}

}  // namespace
}  // namespace redlock::objection_test
