// What runs the scripts that a server is sent, and the server as a script sees it.
//
// One thread.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "redlock/memory/resp.hpp"

namespace redlock::memory {

// The server that a script talks to.
class ScriptHost {
 public:
  virtual ~ScriptHost() = default;
  // Executes one command and appends its answer, in RESP, to `reply`.
  virtual void call_from_script(const Arguments& arguments, std::string& reply) = 0;
};

class ScriptEngine {
 public:
  virtual ~ScriptEngine() = default;
  // The SHA1 of a script's text; valid until the next is asked for.
  [[nodiscard]] virtual std::string_view sha1_of(std::string_view text) = 0;
  // Makes the script ready to run under its SHA1. False: `error` says why not.
  virtual bool load(const std::string& sha1, std::string_view text, std::string& error) = 0;
  // Requires that the script has been loaded. Appends the answer in RESP to `out`.
  virtual void run(const std::string& sha1, std::span<const std::string_view> keys,
                   std::span<const std::string_view> arguments, ScriptHost& host,
                   std::string& out) = 0;
};

}  // namespace redlock::memory
