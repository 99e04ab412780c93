// Hashes and sorted sets: the simulated server answers like redis-server.
#include <initializer_list>

#include "sim/conformance.hpp"

namespace redlock::sim::collection_conformance_test {
namespace {

TEST_F(ConformanceTest, HashCommandsAnswerAlike) {
  for (const Words& words : std::initializer_list<Words>{{"HGET", "h", "f"},
                                                         {"HDEL", "h", "f"},
                                                         {"HSET", "h", "f", "v", "g", "w"},
                                                         {"HSET", "h", "f", "new", "i", "x"},
                                                         {"HSET", "h", "f", "v", "g"},
                                                         {"HSET", "h", "f"},
                                                         {"HGET", "h", "f"},
                                                         {"HGET", "h", "none"},
                                                         {"HLEN", "h"},
                                                         {"HLEN", "none"},
                                                         {"HLEN"},
                                                         {"HGET", "h"},
                                                         {"HDEL", "h", "none"},
                                                         {"HDEL", "h", "f", "none", "f"},
                                                         {"HDEL", "h"},
                                                         {"EXISTS", "h"},
                                                         {"HDEL", "h", "g", "i"},
                                                         {"EXISTS", "h"},
                                                         {"EXISTS"},
                                                         {"SET", "s", "v"},
                                                         {"EXISTS", "s", "none", "s"},
                                                         {"HSET", "s", "f", "v"},
                                                         {"HGET", "s", "f"},
                                                         {"HDEL", "s", "f"},
                                                         {"PTTL", "h"}}) {
    same(words);
  }
}

TEST_F(ConformanceTest, SortedSetCommandsAnswerAlike) {
  for (const Words& words :
       std::initializer_list<Words>{{"ZRANGE", "z", "0", "0"},
                                    {"ZRANK", "z", "a"},
                                    {"ZCARD", "z"},
                                    {"ZREM", "z", "a"},
                                    {"ZADD", "z", "2", "a"},
                                    {"ZADD", "z", "2", "a"},
                                    {"ZADD", "z", "1700000000123", "b"},
                                    {"ZADD", "z", "1", "c", "1", "d", "1", "c"},
                                    {"ZADD", "z", "1.5", "e"},
                                    {"ZADD", "z", "-inf", "f"},
                                    {"ZADD", "z", "0x10", "g"},
                                    {"ZADD", "z", "1"},
                                    {"ZADD", "z", "1", "a", "2"},
                                    {"ZADD", "z", "x", "a"},
                                    {"ZADD", "z", "", "a"},
                                    {"ZADD", "z", " 1", "a"},
                                    {"ZADD", "z", "1 ", "a"},
                                    {"ZADD", "z", "nan", "a"},
                                    {"ZADD", "z", "1e400", "a"},
                                    {"ZADD", "z", "9", "new", "x", "a"},
                                    {"ZCARD", "z"},
                                    {"ZRANGE", "z", "0", "-1"},
                                    {"ZRANGE", "z", "1", "2"},
                                    {"ZRANGE", "z", "-2", "-1"},
                                    {"ZRANGE", "z", "-100", "100"},
                                    {"ZRANGE", "z", "3", "1"},
                                    {"ZRANGE", "z", "7", "9"},
                                    {"ZRANGE", "z", "x", "1"},
                                    {"ZRANGE", "z", "0", "00"},
                                    {"ZRANGE", "z", "0"},
                                    {"ZRANGE", "z", "0", "1", "BOGUS"},
                                    {"ZRANK", "z", "b"},
                                    {"ZRANK", "z", "none"},
                                    {"ZRANK", "z"},
                                    {"ZADD", "z", "0", "b"},
                                    {"ZRANK", "z", "b"},
                                    {"ZREM", "z", "none", "a", "b"},
                                    {"ZREM", "z"},
                                    {"ZREM", "z", "c", "d", "e", "f", "g"},
                                    {"EXISTS", "z"}}) {
    same(words);
  }
}

TEST_F(ConformanceTest, MembersOfOneScoreStandInTheOrderOfTheirBytes) {
  using namespace std::string_view_literals;
  same({"ZADD", "z", "1", "b", "1", "\xff"sv, "1", "a", "1", "B", "1", "ab", "1", "\0"sv});
  same({"ZADD", "z", "1", "a\0"sv, "1", "", "1", "10", "1", "9"});
  same({"ZRANGE", "z", "0", "-1"});
}

TEST_F(ConformanceTest, CollectionsOfAWrongTypeAreRefusedAlike) {
  same({"SET", "s", "v"});
  same({"HSET", "h", "f", "v"});
  same({"ZADD", "z", "1", "a"});
  for (const std::string_view key : {"s", "h", "z"}) {
    for (const Words& words : std::initializer_list<Words>{{"GET", key},
                                                           {"HSET", key, "f", "v"},
                                                           {"HGET", key, "f"},
                                                           {"HLEN", key},
                                                           {"HDEL", key, "none"},
                                                           {"ZADD", key, "1", "b"},
                                                           {"ZADD", key, "x", "b"},
                                                           {"ZRANGE", key, "0", "0"},
                                                           {"ZRANGE", key, "x", "0"},
                                                           {"ZRANK", key, "a"},
                                                           {"ZCARD", key},
                                                           {"ZREM", key, "none"},
                                                           {"PTTL", key},
                                                           {"SET", key, "v", "NX"}}) {
      same(words);
    }
  }
  same({"SET", "z", "v"});
  same({"GET", "z"});
}

TEST_F(ConformanceTest, CollectionsExpireAlike) {
  same({"ZADD", "z", "1", "a"});
  same({"PEXPIRE", "z", "100000"});
  same({"ZADD", "z", "2", "b"});
  same({"ZREM", "z", "a"});
  same_within_tolerance({"PTTL", "z"});
  same({"HSET", "h", "f", "v"});
  same({"PEXPIRE", "h", "100000"});
  same({"HSET", "h", "g", "v"});
  same_within_tolerance({"PTTL", "h"});
  same({"PEXPIRE", "z", "0"});
  same({"ZRANGE", "z", "0", "-1"});
  same({"ZADD", "z", "1", "new"});
  same({"PTTL", "z"});
}

TEST_F(ConformanceTest, ScriptsSeeCollectionsAlike) {
  same({"ZADD", "z", "1", "a", "2", "b"});
  same({"HSET", "h", "f", "v"});
  for (const std::string_view text : std::initializer_list<std::string_view>{
           "return redis.call('ZRANGE', 'z', 0, 0)[1]", "return redis.call('ZRANGE', 'z', 5, 5)[1]",
           "return redis.call('ZRANGE', 'z', 0, -1)", "return redis.pcall('ZRANGE', 'h', 0, 0)[1]",
           "return redis.pcall('ZRANGE', 'h', 0, 0)", "return redis.call('ZRANK', 'z', 'b')",
           "return tostring(redis.call('ZRANK', 'z', 'x'))", "return redis.call('HGET', 'h', 'f')",
           "return tostring(redis.call('HGET', 'h', 'x'))", "return redis.call('ZREM', 'z', 'x')",
           "return redis.call('ZADD', 'z', 1.5, 'c')", "return string.format('%03d', 7.9)",
           "return 12345678901234 .. ' ' .. 3"}) {
    same({"EVAL", text, "0"});
  }
}

// As pass and join rely on it: what deletes first may set.
TEST_F(ConformanceTest, AScriptThatHasWrittenIsNotStoppedForWantOfMemory) {
  same({"SET", "k", "v"});
  EXPECT_EQ(ask({"CONFIG", "SET", "maxmemory", "1"}).real, "+OK\r\n");
  server_.conditions().out_of_memory = true;
  for (const std::string_view text : std::initializer_list<std::string_view>{
           "return redis.pcall('SET', 'a', '1')", "return redis.pcall('ZADD', 'z', '1', 'a')",
           "return redis.pcall('HSET', 'h', 'f', 'v')",
           "redis.call('GET', 'k') return redis.pcall('SET', 'a', '1')",
           "redis.call('PUBLISH', 'c', 'x') return redis.pcall('SET', 'a', '1')",
           "redis.call('DEL', 'k') return redis.pcall('SET', 'a', '1')",
           "redis.call('HDEL', 'none', 'x') return redis.pcall('SET', 'a', '1')",
           "redis.call('PEXPIRE', 'none', 1) return redis.pcall('ZADD', 'z', 1, 'a')",
           "return redis.pcall('SET', 'b', '1')"}) {
    same({"EVAL", text, "0"});
  }
  for (const Words& words : std::initializer_list<Words>{{"ZADD", "z", "1", "b"},
                                                         {"HSET", "h", "f", "v"},
                                                         {"ZREM", "z", "none"},
                                                         {"HDEL", "h", "none"}}) {
    same(words);
  }
}

}  // namespace
}  // namespace redlock::sim::collection_conformance_test
