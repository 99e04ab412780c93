// Runs the library's scripts directly on a real server, also at a moment that the test chooses.
#pragma once
#include <string>

#include "io/support/redis_server.hpp"
#include "redlock/wire/scripts.hpp"

namespace redlock::test {

class ScriptRunner {
 public:
  explicit ScriptRunner(RedisServer& server) : server_(server) {}

  std::string run(const Script& script, const std::string& key, const Arguments& arguments) {
    return evaluate(std::string(script.text), key, arguments);
  }

  // As if the server's TIME were `now_us` microseconds: the text is the very same, only its
  // `redis` is one that answers TIME itself.
  std::string run_at(std::int64_t now_us, const Script& script, const std::string& key,
                     const Arguments& arguments) {
    const std::string clock = "{'" + std::to_string(now_us / 1'000'000) + "', '" +
                              std::to_string(now_us % 1'000'000) + "'}";
    const std::string prefix =
        "local real = redis\n"
        "local redis = setmetatable({call = function(...)\n"
        "  if (...) == 'TIME' then return " +
        clock +
        " end\n"
        "  return real.call(...)\n"
        "end}, {__index = real})\n";
    return evaluate(prefix + std::string(script.text), key, arguments);
  }

 private:
  std::string evaluate(const std::string& text, const std::string& key,
                       const Arguments& arguments) {
    Arguments request{"EVAL", text, "1", key};
    request.insert(request.end(), arguments.begin(), arguments.end());
    return server_.say(request);
  }

  RedisServer& server_;
};

}  // namespace redlock::test
