// Scripts and refusals: the simulated server answers like redis-server.
#include <array>
#include <initializer_list>

#include "sim/conformance.hpp"

namespace redlock::sim::script_conformance_test {
namespace {

TEST_F(ConformanceTest, ScriptsConvertValuesAlike) {
  for (const std::string_view text :
       std::initializer_list<std::string_view>{"return 1",
                                               "return 3.99",
                                               "return -3.99",
                                               "return 'text'",
                                               "return nil",
                                               "return true",
                                               "return false",
                                               "return {1, 2, {3, 'x'}}",
                                               "return {1, nil, 3}",
                                               "return redis.call('SET', 'k', 'v')",
                                               "return redis.call('GET', 'k')",
                                               "return redis.call('GET', 'none')",
                                               "return redis.call('DEL', 'k')",
                                               "return redis.call('TIME')[3]",
                                               "return KEYS[1] .. ARGV[1] .. #KEYS .. #ARGV",
                                               "return redis.sha1hex('abc')",
                                               "return redis.sha1hex('')",
                                               "return redis.status_reply('FINE')",
                                               "return {ok='FINE'}",
                                               "return {err='MY error'}",
                                               "return redis.error_reply('MY error text')",
                                               "return redis.error_reply('-MY error')",
                                               "return redis.error_reply('lonely')",
                                               "return tostring(redis.call('GET', 'none'))",
                                               "return redis.pcall('GET')",
                                               "return redis.pcall('GET', 'h')",
                                               "return redis.pcall('BOGUS')",
                                               "return redis.pcall('GET', 'h')['err']",
                                               "return type(redis.pcall('GET', 'h'))",
                                               "return redis.call('SET', 'n', 3.5)",
                                               "return redis.call('GET', 'n')",
                                               "return redis.call('SET', 'n', 12345678901234)",
                                               "return redis.call('GET', 'n')",
                                               "return math.floor(7.9)",
                                               "return string.format('%.0f', 1700000000123)",
                                               "return tonumber('x')"}) {
    same({"EVAL", text, "1", "key", "argument"});
    if (text == "return true") same({"HSET", "h", "f", "v"});
  }
}

TEST_F(ConformanceTest, ScriptErrorsAnswerAlike) {
  same({"HSET", "h", "f", "v"});
  for (const Words& words :
       std::initializer_list<Words>{{"EVAL", "return redis.call('GET', 'h')", "0"},
                                    {"EVAL", "return redis.call('GET')", "0"},
                                    {"EVAL", "return redis.call('BOGUS')", "0"},
                                    {"EVAL", "return redis.call('EVAL', 'return 1', '0')", "0"},
                                    {"EVAL", "return redis.call()", "0"},
                                    {"EVAL", "\n\nreturn redis.call('GET', 'h')", "0"},
                                    {"EVAL", "return nil + 1", "0"},
                                    {"EVAL", "return unknown_global", "0"},
                                    {"EVAL", "error('raised')", "0"},
                                    {"EVAL", "this is no Lua", "0"},
                                    {"EVAL", "return 1", "x"},
                                    {"EVAL", "return 1", "-1"},
                                    {"EVAL", "return 1", "1"},
                                    {"EVAL", "return 1"},
                                    {"EVALSHA", "0000000000000000000000000000000000000000", "0"},
                                    {"EVALSHA", "short", "0"},
                                    {"SCRIPT", "LOAD", "this is no Lua"}}) {
    same(words);
  }
}

TEST_F(ConformanceTest, TheScriptCacheAnswersAlike) {
  const std::string_view sha1 = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";  // of "return 1"
  same({"SCRIPT", "EXISTS", sha1});
  same({"EVALSHA", sha1, "0"});
  same({"SCRIPT", "LOAD", "return 1"});
  same({"SCRIPT", "EXISTS", sha1, "x"});
  same({"EVALSHA", sha1, "0"});
  same({"EVALSHA", "E0E1F9FABFC9D4800C877A703B823AC0578FF8DB", "0"});
  same({"SCRIPT", "FLUSH"});
  same({"EVALSHA", sha1, "0"});
  same({"EVAL", "return 1", "0"});
  same({"EVALSHA", sha1, "0"});
}

TEST_F(ConformanceTest, TheQuorumLocksScriptsAnswerAlike) {
  const std::array all{&scripts::pass, &scripts::extend_if_equal, &scripts::swap_if_equal,
                       &scripts::check_equal};
  for (const Script* one : all) load(*one);
  script(scripts::check_equal, {"lock", "token"});
  script(scripts::pass, {"lock", "token"});
  script(scripts::extend_if_equal, {"lock", "token", "1000"});
  same({"SET", "lock", "token", "NX", "PX", "50000"});
  script(scripts::check_equal, {"lock", "token"});
  script(scripts::check_equal, {"lock", "other"});
  script(scripts::pass, {"lock", "other"});
  script(scripts::extend_if_equal, {"lock", "other", "900000"});
  same_within_tolerance({"PTTL", "lock"});
  script(scripts::extend_if_equal, {"lock", "token", "900000"});
  same_within_tolerance({"PTTL", "lock"});
  script(scripts::extend_if_equal, {"lock", "token", "1000"});
  same_within_tolerance({"PTTL", "lock"});
  script(scripts::swap_if_equal, {"lock", "other", "fresh", "1000"});
  script(scripts::swap_if_equal, {"lock", "token", "fresh", "20000"});
  script(scripts::swap_if_equal, {"lock", "token", "fresh", "1000"});
  same({"GET", "lock"});
  same_within_tolerance({"PTTL", "lock"});
  same({"HSET", "lock:redlock:waiters", "", "7 fresh", "other", "x", "fresh", "y"});
  same({"ZADD", "lock:redlock:line", "1", "fresh", "2", "other"});
  script(scripts::swap_if_equal, {"lock", "fresh", "token", "30000"});
  same({"HGET", "lock:redlock:waiters", ""});
  same({"HGET", "lock:redlock:waiters", "other"});
  same({"HGET", "lock:redlock:waiters", "fresh"});
  same({"ZRANGE", "lock:redlock:line", "0", "-1"});
  same({"DEL", "lock:redlock:line"});
  same({"DEL", "lock:redlock:waiters"});
  script(scripts::pass, {"lock", "token"});
  same({"GET", "lock"});
  same({"HSET", "lock", "f", "v"});
  for (const Script* one : all) script(*one, {"lock", "token", "1000", "1000"});
}

TEST_F(ConformanceTest, TheStampLocksScriptsAnswerAlike) {
  const std::string far = std::to_string(wall_ns() / 1'000'000 + 1'000'000);
  const std::string far_stamp = far + ".12345";
  for (const Script* one : {&scripts::stamp_take, &scripts::stamp_undo, &scripts::stamp_release,
                            &scripts::stamp_check}) {
    load(*one);
  }
  script(scripts::stamp_undo, {"pid", "777"});
  script(scripts::stamp_release, {"pid", far_stamp, "3", "1", "0"});
  script(scripts::stamp_check, {"pid", far_stamp, "0"});
  for (const std::string_view value : {std::string_view(far_stamp), std::string_view(far),
                                       std::string_view("no stamp"), std::string_view("1000.5x")}) {
    for (const std::string_view plain_counts : {"0", "1"}) {
      same({"SET", "pid", value});
      script(scripts::stamp_take, {"pid", "5000", "777", "1"});
      script(scripts::stamp_undo, {"pid", "777"});
      script(scripts::stamp_check, {"pid", far_stamp, plain_counts});
      script(scripts::stamp_check, {"pid", "1.2", plain_counts});
      script(scripts::stamp_release, {"pid", far_stamp, "3", "1", plain_counts});
      same({"GET", "pid"});
    }
  }
  same({"SET", "pid", far_stamp});
  script(scripts::stamp_release, {"pid", far_stamp, "90000000", "1", "0"});
  script(scripts::stamp_undo, {"pid", "12345"});
  same({"HSET", "pid", "f", "v"});
  script(scripts::stamp_take, {"pid", "5000", "777", "1"});
  script(scripts::stamp_release, {"pid", far_stamp, "3", "1", "0"});
}

TEST_F(ConformanceTest, ATakenStampIsWrittenAlike) {
  for (const std::string_view unit : {"1", "1000"}) {
    same({"SET", "pid", "1000.5"});
    const Answers answers =
        ask({"EVAL", scripts::stamp_take.text, "1", "pid", "5000", "04223", unit});
    const auto stamp = [](const std::string& answer) {
      return answer.substr(answer.find('\n') + 1);
    };
    EXPECT_EQ(answers.simulated.size(), answers.real.size());
    EXPECT_NEAR(std::atof(stamp(answers.simulated).c_str()), std::atof(stamp(answers.real).c_str()),
                kToleranceMs);
    EXPECT_TRUE(answers.simulated.ends_with(".04223\r\n"));
    EXPECT_TRUE(answers.real.ends_with(".04223\r\n"));
    same_within_tolerance({"PTTL", "pid"});
  }
}

TEST_F(ConformanceTest, WritesAreRefusedAlikeWithoutMemory) {
  same({"SET", "lock", "token"});
  load(scripts::pass);
  EXPECT_EQ(ask({"CONFIG", "SET", "maxmemory", "1"}).real, "+OK\r\n");
  server_.conditions().out_of_memory = true;
  same({"SET", "a", "1", "NX", "PX", "1000"});
  same({"EVAL", scripts::stamp_take.text, "1", "pid", "1", "0", "1"});
  same({"EVAL", "return redis.pcall('SET', 'a', 'b')", "0"});
  script(scripts::pass, {"lock", "token"});
}

TEST_F(ConformanceTest, WritesAreRefusedAlikeByAReplica) {
  same({"SET", "lock", "token"});
  load(scripts::pass);
  load(scripts::check_equal);
  // To a port that nobody serves.
  EXPECT_EQ(ask({"REPLICAOF", "127.0.0.1", "1"}).real, "+OK\r\n");
  server_.conditions().read_only = true;
  same({"SET", "a", "1", "NX", "PX", "1000"});
  same({"GET", "lock"});
  script(scripts::check_equal, {"lock", "token"});
  script(scripts::pass, {"lock", "token"});
  script(scripts::pass, {"lock", "other"});
}

TEST_F(ConformanceTest, EverybodyElseIsRefusedAlikeWhileAScriptRuns) {
  EXPECT_EQ(ask({"CONFIG", "SET", "busy-reply-threshold", "1"}).real, "+OK\r\n");
  std::string endless;
  append_command(endless, Words{"EVAL", "while true do end", "0"});
  real_.send(1, endless);
  const std::int64_t deadline_ns = wall_ns() + 10'000'000'000;
  while (!ask({"PING"}, 2).real.starts_with("-BUSY") && wall_ns() < deadline_ns) {
  }
  server_.conditions().busy = true;
  same({"PING"}, 2);
  same({"SET", "a", "1"}, 2);
  same({"GET", "a"}, 2);
  same({"CLIENT", "SETNAME", "x"}, 2);
  same({"EVAL", "return 1", "0"}, 2);
  EXPECT_EQ(ask({"SCRIPT", "KILL"}, 2).real, "+OK\r\n");
  EXPECT_TRUE(real_.receive(1).starts_with("-"));
}

}  // namespace
}  // namespace redlock::sim::script_conformance_test
