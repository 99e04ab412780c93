// Commands on keys and connections: the simulated server answers like redis-server.
#include <initializer_list>
#include <thread>

#include "sim/conformance.hpp"

namespace redlock::sim::conformance_test {
namespace {

TEST_F(ConformanceTest, StringCommandsAnswerAlike) {
  for (const Words& words :
       std::initializer_list<Words>{{"PING"},
                                    {"PING", "hello"},
                                    {"PING", "a", "b"},
                                    {"GET", "a"},
                                    {"SET", "a", "1"},
                                    {"GET", "a"},
                                    {"get", "a"},
                                    {"SETNX", "a", "2"},
                                    {"SETNX", "b", "2"},
                                    {"GET", "b"},
                                    {"GETSET", "b", "3"},
                                    {"GETSET", "c", "4"},
                                    {"DEL", "a", "b", "nothing"},
                                    {"DEL", "c"},
                                    {"SET", "a", "1", "NX"},
                                    {"SET", "a", "2", "NX"},
                                    {"SET", "a", "3", "XX"},
                                    {"SET", "z", "3", "XX"},
                                    {"SET", "a", "1", "NX", "XX"},
                                    {"SET", "a"},
                                    {"SET", "a", "1", "PX"},
                                    {"SET", "a", "1", "PX", "0"},
                                    {"SET", "a", "1", "PX", "-5"},
                                    {"SET", "a", "1", "PX", "x"},
                                    {"SET", "a", "1", "PX", "010"},
                                    {"SET", "a", "1", "PX", "9223372036854775807"},
                                    {"SET", "a", "1", "BOGUS"},
                                    {"SET", "a", "1", "EX", "9223372036854775807"},
                                    {"SET", "", "empty name"},
                                    {"GET", ""},
                                    {"GET"},
                                    {"GET", "a", "b"},
                                    {"BOGUS"},
                                    {"BOGUS", "x", "y"},
                                    {"FLUSHALL"},
                                    {"GET", "a"}}) {
    same(words);
  }
}

TEST_F(ConformanceTest, ValuesAreBinarySafe) {
  using namespace std::string_view_literals;
  const std::string large(100'000, '\xff');
  same({"SET", "\0\r\n\xff"sv, "a\0b\r\n$5\r\n"sv});
  same({"GET", "\0\r\n\xff"sv});
  same({"SET", "large", large});
  same({"GET", "large"});
}

TEST_F(ConformanceTest, ExpiryAnswersAlike) {
  for (const Words& words : std::initializer_list<Words>{{"PTTL", "a"},
                                                         {"SET", "a", "1"},
                                                         {"PTTL", "a"},
                                                         {"PEXPIRE", "none", "10"},
                                                         {"PEXPIRE", "a", "100000"},
                                                         {"PEXPIRE", "a", "9223372036854775807"},
                                                         {"EXPIRE", "a", "9223372036854775807"},
                                                         {"PEXPIRE", "a", "x"},
                                                         {"PEXPIRE", "a", "10", "BOGUS"},
                                                         {"PEXPIRE", "a", "-1"},
                                                         {"GET", "a"},
                                                         {"SET", "a", "1", "PX", "100000"},
                                                         {"SET", "a", "1", "NX", "PX", "50"},
                                                         {"GETSET", "a", "2"},
                                                         {"PTTL", "a"}}) {
    same(words);
  }
  same({"SET", "a", "1", "PX", "100000"});
  same_within_tolerance({"PTTL", "a"});
  same({"EXPIRE", "a", "200"});
  same_within_tolerance({"PTTL", "a"});
  same({"SET", "a", "1", "KEEPTTL"});
  same_within_tolerance({"PTTL", "a"});
  same({"SET", "a", "1", "EX", "10"});
  same_within_tolerance({"PTTL", "a"});
}

TEST_F(ConformanceTest, AKeyIsGoneWhenItsTimeHasPassed) {
  same({"SET", "a", "1", "NX", "PX", "20"});
  const std::int64_t deadline_ns = wall_ns() + 10'000'000'000;
  Answers answers;
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    answers = ask({"GET", "a"});
  } while ((answers.real != "$-1\r\n" || answers.simulated != "$-1\r\n") &&
           wall_ns() < deadline_ns);
  EXPECT_EQ(answers.real, "$-1\r\n");
  EXPECT_EQ(answers.simulated, "$-1\r\n");
  same({"PTTL", "a"});
}

TEST_F(ConformanceTest, WrongTypesAreRefusedAlike) {
  same({"HSET", "h", "f", "v"});
  same({"HSET", "h", "f"});
  for (const Words& words : std::initializer_list<Words>{{"GET", "h"},
                                                         {"GETSET", "h", "x"},
                                                         {"SETNX", "h", "x"},
                                                         {"SET", "h", "x", "NX"},
                                                         {"SET", "s", "x"},
                                                         {"HSET", "s", "f", "v"},
                                                         {"DEL", "h"}}) {
    same(words);
  }
}

TEST_F(ConformanceTest, ConnectionCommandsAnswerAlike) {
  for (const Words& words : std::initializer_list<Words>{{"SELECT", "3"},
                                                         {"SET", "a", "in 3"},
                                                         {"SELECT", "0"},
                                                         {"GET", "a"},
                                                         {"SELECT", "16"},
                                                         {"SELECT", "-1"},
                                                         {"SELECT", "x"},
                                                         {"SELECT"},
                                                         {"CLIENT", "GETNAME"},
                                                         {"CLIENT", "SETNAME", "worker-1"},
                                                         {"CLIENT", "GETNAME"},
                                                         {"CLIENT", "SETNAME", "two words"},
                                                         {"CLIENT", "SETNAME"},
                                                         {"CLIENT", "BOGUS"},
                                                         {"AUTH", "x"},
                                                         {"AUTH", "default", "x"},
                                                         {"AUTH", "nobody", "x"},
                                                         {"AUTH", "a", "b", "c"}}) {
    same(words);
  }
}

TEST_F(ConformanceTest, APasswordIsAskedForAlike) {
  // Sessions that stood before keep their rights, as in Redis.
  EXPECT_EQ(ask({"CONFIG", "SET", "requirepass", "secret"}).real, "+OK\r\n");
  server_.conditions().password = "secret";
  same({"GET", "a"});
  for (const Words& words : std::initializer_list<Words>{{"AUTH", "wrong"},
                                                         {"AUTH", "nobody", "secret"},
                                                         {"AUTH", "secret"},
                                                         {"AUTH", "default", "secret"},
                                                         {"GET", "a"}}) {
    same(words, 1);
  }
}

TEST_F(ConformanceTest, UnauthenticatedSessionsAreRefusedAlike) {
  EXPECT_EQ(ask({"CONFIG", "SET", "requirepass", "secret"}).real, "+OK\r\n");
  server_.conditions().password = "secret";
  // RESET takes a session back to how it was accepted.
  EXPECT_EQ(ask({"RESET"}, 1).real, "+RESET\r\n");
  sessions_[1] = server_.accept(1);
  for (const Words& words : std::initializer_list<Words>{{"GET", "a"},
                                                         {"PING"},
                                                         {"SELECT", "1"},
                                                         {"CLIENT", "SETNAME", "x"},
                                                         {"BOGUS"},
                                                         {"EVAL", "return 1", "0"},
                                                         {"AUTH", "wrong"},
                                                         {"GET", "a"},
                                                         {"AUTH", "secret"},
                                                         {"GET", "a"}}) {
    same(words, 1);
  }
}

TEST_F(ConformanceTest, TimeHasSecondsAndMicroseconds) {
  const Answers answers = ask({"TIME"});
  const auto seconds = [](const std::string& answer) { return std::atoll(answer.c_str() + 9); };
  EXPECT_EQ(answers.real.substr(0, 9), "*2\r\n$10\r\n");
  EXPECT_EQ(answers.simulated.substr(0, 9), "*2\r\n$10\r\n");
  EXPECT_NEAR(static_cast<double>(seconds(answers.simulated)),
              static_cast<double>(seconds(answers.real)), 2.0);
}

TEST_F(ConformanceTest, WhatIsNoRequestIsRefusedAlike) {
  std::size_t connection = 0;
  for (const std::string_view bytes : {"*1\r\n:5\r\n", "*x\r\n", "*2\r\n$3\r\nGET\r\n$-5\r\n"}) {
    real_.send(connection, bytes);
    std::string simulated;
    server_.receive(sessions_[connection], bytes, simulated);
    EXPECT_EQ(simulated, real_.receive(connection));
    ++connection;
  }
}

}  // namespace
}  // namespace redlock::sim::conformance_test
