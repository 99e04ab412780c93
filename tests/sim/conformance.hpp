// The same requests to redis-server and to the simulated server, and their answers side by side.
#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "redlock/wire/codec.hpp"
#include "redlock/wire/scripts.hpp"
#include "sim/real_redis.hpp"
#include "sim/server.hpp"

namespace redlock::sim {

using Words = std::vector<std::string_view>;

inline constexpr std::size_t kConnections = 3;
inline constexpr double kToleranceMs = 2000;

inline std::int64_t wall_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

struct Answers {
  std::string real;
  std::string simulated;
};

class ConformanceTest : public testing::Test {
 protected:
  ConformanceTest() : real_(kConnections), server_(engine_) {
    for (std::size_t i = 0; i < kConnections; ++i) sessions_.push_back(server_.accept(i));
  }

  Answers ask(const Words& words, std::size_t connection = 0) {
    Answers answers;
    std::string request;
    append_command(request, words);
    real_.send(connection, request);
    answers.real = real_.receive(connection);
    server_.set_time(wall_ns(), wall_ns());
    server_.receive(sessions_[connection], request, answers.simulated);
    return answers;
  }
  void same(const Words& words, std::size_t connection = 0) {
    const Answers answers = ask(words, connection);
    EXPECT_EQ(answers.simulated, answers.real) << "asked: " << testing::PrintToString(words);
  }
  // Integers that depend on when they were asked for.
  void same_within_tolerance(const Words& words) {
    const Answers answers = ask(words);
    ASSERT_EQ(answers.real.front(), ':');
    ASSERT_EQ(answers.simulated.front(), ':');
    EXPECT_NEAR(std::atof(answers.simulated.c_str() + 1), std::atof(answers.real.c_str() + 1),
                kToleranceMs);
  }
  void script(const Script& script, Words arguments) {
    Words by_sha{"EVALSHA", script.sha1, "1"};
    by_sha.insert(by_sha.end(), arguments.begin(), arguments.end());
    same(by_sha);
  }
  void load(const Script& script) { same({"SCRIPT", "LOAD", script.text}); }

  RealRedis real_;
  LuaEngine engine_;
  Server server_;
  std::vector<ServerSession> sessions_;
};

}  // namespace redlock::sim
