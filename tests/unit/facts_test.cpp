// What servers of all versions answer about themselves, and what is read out of it.
#include "redlock/wire/facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace redlock::facts_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

RespValue text(std::string said) { return {RespKind::bulk, 0, std::move(said)}; }
RespValue list(const std::vector<std::string>& said) {
  RespValue value{RespKind::array, 0, {}};
  for (const std::string& one : said) value.elements.push_back(text(one));
  return value;
}

const Question& about(Topic topic, std::string_view last = {}) {
  const auto all = questions();
  return *std::ranges::find_if(all, [&](const Question& question) {
    return question.topic == topic && (last.empty() || question.request().back() == last);
  });
}

ServerFacts facts_of(const Question& question, const RespValue& answer) {
  ServerFacts facts;
  read_answer(facts, question, answer);
  return facts;
}

TEST(FactsTest, RedisAndValkeyAreToldApartByTheirVersions) {
  const ServerFacts redis = facts_of(
      about(Topic::server),
      text("# Server\r\nredis_version:5.0.14\r\nredis_mode:cluster\r\nuptime_in_seconds:77\r\n"));
  EXPECT_EQ(redis.software, "redis");
  EXPECT_EQ(redis.version, "5.0.14");
  EXPECT_EQ(redis.mode, "cluster");
  EXPECT_EQ(redis.uptime_s, 77);
  const ServerFacts valkey =
      facts_of(about(Topic::server),
               text("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\n"
                    "server_mode:standalone\r\n"));
  EXPECT_EQ(valkey.software, "valkey");
  EXPECT_EQ(valkey.version, "8.0.1");
  EXPECT_EQ(valkey.mode, "standalone");
}

TEST(FactsTest, AFieldIsFoundByItsWholeName) {
  const ServerFacts facts =
      facts_of(about(Topic::memory), text("xmaxmemory:1\r\nmaxmemory_human:2\r\nmaxmemory:3\r\n"
                                          "maxmemory_policy:allkeys-lru\r\n"));
  EXPECT_EQ(facts.memory_max, 3);
  EXPECT_EQ(facts.memory_policy, "allkeys-lru");
}

TEST(FactsTest, WhatIsWrittenToDiskIsRead) {
  ServerFacts facts = facts_of(about(Topic::persistence), text("loading:1\r\naof_enabled:1\r\n"));
  EXPECT_EQ(facts.loading, true);
  EXPECT_EQ(facts.appends, true);
  read_answer(facts, about(Topic::setting, "appendfsync"), list({"appendfsync", "everysec"}));
  read_answer(facts, about(Topic::setting, "save"), list({"save", ""}));
  read_answer(facts, about(Topic::setting, "maxmemory-policy"),
              list({"maxmemory-policy", "noeviction"}));
  EXPECT_EQ(facts.append_sync, "everysec");
  EXPECT_EQ(facts.memory_policy, "noeviction");
  EXPECT_EQ(facts.saves, false);
}

TEST(FactsTest, AUserIsWhoTheServerSaysItIs) {
  EXPECT_EQ(facts_of(about(Topic::user), text("app")).user, "app");
}

TEST(FactsTest, ARoleHasItsNewName) {
  EXPECT_EQ(facts_of(about(Topic::role), list({"master", "0", ""})).role, "master");
  EXPECT_EQ(facts_of(about(Topic::role), list({"slave", "10.0.0.1"})).role, "replica");
}

TEST(FactsTest, AProcessIsKnownByItsRunId) {
  EXPECT_EQ(facts_of(about(Topic::server), text("redis_version:7.0.15\r\nrun_id:ab12\r\n")).run_id,
            "ab12");
}

TEST(FactsTest, OfAClusterItIsReadHowManyShardsHaveHowManySlots) {
  const ServerFacts facts =
      facts_of(about(Topic::cluster),
               text("cluster_state:ok\r\ncluster_slots_assigned:16384\r\ncluster_size:3\r\n"));
  EXPECT_EQ(facts.cluster_slots, 16'384);
  EXPECT_EQ(facts.cluster_shards, 3);
}

TEST(FactsTest, OnlyANodeOfAClusterOwesAWordOfIt) {
  const RespValue refusal{RespKind::error, 0, "ERR This instance has cluster support disabled"};
  ServerFacts facts = facts_of(about(Topic::cluster), refusal);
  EXPECT_THAT(facts.untold, IsEmpty());
  facts.mode = "cluster";
  read_answer(facts, about(Topic::cluster), refusal);
  EXPECT_THAT(facts.untold, ElementsAre(testing::StartsWith("CLUSTER INFO: ")));
}

TEST(FactsTest, WhatIsRefusedIsToldOnce) {
  ServerFacts facts;
  const RespValue refusal{RespKind::error, 0, "NOPERM no"};
  read_answer(facts, about(Topic::time), refusal);
  read_answer(facts, about(Topic::time), refusal);
  read_answer(facts, about(Topic::setting, "save"), refusal);
  EXPECT_THAT(facts.untold, ElementsAre("TIME: NOPERM no", "CONFIG GET save: NOPERM no"));
}

TEST(FactsTest, NonsenseIsNoFact) {
  for (const Question& question : questions()) {
    for (const RespValue& answer :
         {text(""), text("redis_version"), text("loading:2\r\nmaxmemory:many\r\n"), list({}),
          RespValue{RespKind::integer, 7, {}}, RespValue{RespKind::nil, 0, {}}}) {
      const ServerFacts facts = facts_of(question, answer);
      EXPECT_THAT(facts.version, IsEmpty());
      EXPECT_THAT(facts.role, IsEmpty());
      EXPECT_EQ(facts.loading, std::nullopt);
      EXPECT_EQ(facts.memory_max, std::nullopt);
      EXPECT_EQ(facts.saves, std::nullopt);
      EXPECT_THAT(facts.untold, IsEmpty());
    }
  }
}

TEST(FactsTest, WhatWouldMoveATerminalsCursorIsNotKept) {
  const ServerFacts facts = facts_of(about(Topic::server), text("redis_version:7\x1b[2J\r\n"));
  EXPECT_EQ(facts.version.find('\x1b'), std::string::npos);
}

TEST(FactsTest, TheTimeIsReadToTheMicrosecond) {
  EXPECT_EQ(time_in(list({"1700000000", "000042"})), 1'700'000'000'000'042);
  EXPECT_EQ(time_in(list({"100000000000", "999999"})), 100'000'000'000'999'999);
  for (const auto& wrong :
       {list({}), list({"1"}), list({"x", "1"}), list({"1", "1000000"}), list({"-1", "0"}),
        list({"100000000001", "0"}), list({"99999999999999999", "0"}), text("1")}) {
    EXPECT_EQ(time_in(wrong), std::nullopt);
  }
}

}  // namespace
}  // namespace redlock::facts_test
