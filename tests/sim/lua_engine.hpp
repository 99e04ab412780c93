// Runs server-side scripts in a real Lua 5.1 interpreter, with the part of Redis' API that
// scripts of locks use: KEYS, ARGV, redis.call, pcall, error_reply, status_reply, sha1hex.
//
// One interpreter serves all simulated servers and all schedules of a thread: a script is
// compiled once, and what a server knows of it is the server's own affair. Scripts keep nothing
// between runs, because globals cannot be created. One thread.
#pragma once
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sim/servers.hpp"

struct lua_State;

namespace redlock::sim {

class LuaEngine final : public memory::ScriptEngine {
 public:
  LuaEngine();
  ~LuaEngine() override;
  LuaEngine(const LuaEngine&) = delete;
  LuaEngine& operator=(const LuaEngine&) = delete;

  // The SHA1 of a script's text; computed once.
  [[nodiscard]] std::string_view sha1_of(std::string_view text) override;
  // Compiles the script and remembers it under its SHA1. False: `error` says why not.
  bool load(const std::string& sha1, std::string_view text, std::string& error) override;
  // Requires that the script has been loaded. Appends the answer in RESP to `out`.
  void run(const std::string& sha1, std::span<const std::string_view> keys,
           std::span<const std::string_view> arguments, ScriptHost& host,
           std::string& out) override;

 private:
  void install_api();
  // A list that is filled anew for every run; made once, or there would be much to collect.
  struct List {
    int reference = 0;
    std::size_t size = 0;
  };
  List new_list(const char* name);
  void fill(List& list, std::span<const std::string_view> values);

  ScriptHost* host_ = nullptr;  // of the script that runs
  lua_State* lua_;
  List keys_;
  List arguments_;
  struct NamedText {
    std::string text;
    std::string sha1;
  };
  std::deque<NamedText> names_;  // few
  // Looked up, never iterated.
  std::unordered_map<std::string, int> functions_;
};

}  // namespace redlock::sim
