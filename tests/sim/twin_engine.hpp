// Runs every script of redlock twice: its text in Lua, and its commands as memory:// does them.
//
// Lua talks to the server. The native script is then asked the same and given the same answers: it
// must send the same commands in the same order and say the same in the end. One thread.
#pragma once
#include "redlock/memory/native_scripts.hpp"
#include "sim/lua_engine.hpp"

namespace redlock::sim {

class TwinEngine final : public memory::ScriptEngine {
 public:
  [[nodiscard]] std::string_view sha1_of(std::string_view text) override {
    return lua_.sha1_of(text);
  }
  bool load(const std::string& sha1, std::string_view text, std::string& error) override;
  // Throws std::logic_error where the two differ.
  void run(const std::string& sha1, std::span<const std::string_view> keys,
           std::span<const std::string_view> arguments, ScriptHost& host,
           std::string& out) override;

 private:
  LuaEngine lua_;
  memory::NativeScripts native_;
  std::vector<std::string> natives_;  // SHA1s of the scripts that there are twice
};

}  // namespace redlock::sim
