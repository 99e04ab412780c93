// A real Lua interpreter on a simulated server, whose time stands still until the test moves it.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "redlock/wire/scripts.hpp"
#include "sim/record/deed.hpp"
#include "sim/servers.hpp"
#include "sim/twin_engine.hpp"

namespace redlock::sim {

inline constexpr std::int64_t kNowMs = 1'700'000'000'000;
inline constexpr std::string_view kYes = ":1\r\n";
inline constexpr std::string_view kNo = ":0\r\n";
inline constexpr std::string_view kNil = "$-1\r\n";

class ScriptRules : public testing::Test {
 protected:
  ScriptRules() { go_to(kNowMs); }

  void go_to(std::int64_t ms) { server_.set_time(ms * 1'000'000, ms * 1'000'000); }
  std::string run(const Arguments& arguments) {
    std::string answer;
    server_.execute(session_, arguments, answer);
    return answer;
  }
  // On the key "k".
  std::string run(const Script& script, const Arguments& given) {
    Arguments arguments{"EVAL", script.text, "1", "k"};
    arguments.insert(arguments.end(), given.begin(), given.end());
    return run(arguments);
  }
  std::string stored() { return run({"GET", "k"}); }
  static std::string bulk(const std::string& text) {
    std::string reply;
    append_bulk(reply, text);
    return reply;
  }
  static std::string stamp(std::int64_t ms, const std::string& fraction) {
    return std::to_string(ms) + "." + fraction;
  }

  TwinEngine engine_;
  Server server_{engine_};
  ServerSession session_ = server_.accept(1);
};

}  // namespace redlock::sim
