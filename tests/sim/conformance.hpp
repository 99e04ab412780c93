// The same requests to redis-server and to the simulated server, and their answers side by side.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "redlock/wire/codec.hpp"
#include "redlock/wire/scripts.hpp"
#include "sim/real_redis.hpp"
#include "sim/servers.hpp"
#include "sim/twin_engine.hpp"

namespace redlock::sim {

using Words = std::vector<std::string_view>;

inline constexpr std::size_t kConnections = 4;
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

class ConformanceTest : public testing::Test, public PushSink {
 protected:
  ConformanceTest() : real_(kConnections), server_(engine_) {
    server_.push_to(this);
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
  // What an ACL refuses is worded otherwise from version to version; how it begins is not.
  static std::string_view code_of(std::string_view error) {
    return error.starts_with('-') ? error.substr(0, error.find(' ')) : error;
  }
  static void refused_alike(const Answers& answers) {
    EXPECT_EQ(answers.simulated.front(), '-');
    EXPECT_EQ(code_of(answers.simulated), code_of(answers.real)) << answers.real;
  }
  void same_refusal(const Words& words, std::size_t connection = 0) {
    refused_alike(ask(words, connection));
  }
  // Integers that depend on when they were asked for.
  void same_within_tolerance(const Words& words) {
    const Answers answers = ask(words);
    ASSERT_EQ(answers.real.front(), ':');
    ASSERT_EQ(answers.simulated.front(), ':');
    EXPECT_NEAR(std::atof(answers.simulated.c_str() + 1), std::atof(answers.real.c_str() + 1),
                kToleranceMs);
  }
  static Words by_sha(const Script& script, const Words& arguments) {
    Words words{"EVALSHA", script.sha1, "1"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
  }
  void script(const Script& script, const Words& arguments) { same(by_sha(script, arguments)); }
  // What a subscribed connection was told unasked, by both.
  Answers pushed(std::size_t connection) {
    Answers answers;
    answers.real = real_.receive(connection);
    const std::size_t size = answer_size(pushes_[connection]);
    answers.simulated = pushes_[connection].substr(0, size);
    pushes_[connection].erase(0, size);
    return answers;
  }
  void same_push(std::size_t connection) {
    const Answers answers = pushed(connection);
    EXPECT_EQ(answers.simulated, answers.real);
  }
  // Nothing was pushed there that was not looked at: an answer comes behind all of it.
  void no_push(std::size_t connection) {
    EXPECT_EQ(pushes_[connection], "");
    same({"PING"}, connection);
  }
  // The connection, which was subscribed to this channel alone, has ended, and both know it.
  void hang_up(std::size_t connection, std::string_view channel) {
    real_.hang_up(connection);
    gone_[connection] = true;
    const std::int64_t deadline_ns = wall_ns() + 10'000'000'000;
    std::string request;
    append_command(request, Words{"PUBSUB", "NUMSUB", channel});
    do {
      ASSERT_LT(wall_ns(), deadline_ns) << "the server does not notice";
      real_.send(0, request);
    } while (!real_.receive(0).ends_with(":0\r\n"));
  }
  void load(const Script& script) { same({"SCRIPT", "LOAD", script.text}); }

  bool push(std::uint64_t session, std::string_view bytes) override {
    if (gone_[session]) return false;
    pushes_[session].append(bytes);
    return true;
  }

  RealRedis real_;
  TwinEngine engine_;
  Server server_;
  std::vector<ServerSession> sessions_;
  std::array<std::string, kConnections> pushes_;
  std::array<bool, kConnections> gone_{};
};

}  // namespace redlock::sim
