// The scripts of redlock, and no others, without an interpreter.
#pragma once
#include "redlock/memory/script_engine.hpp"

namespace redlock::memory {

class NativeScripts final : public ScriptEngine {
 public:
  // Empty of a script that is not known.
  [[nodiscard]] std::string_view sha1_of(std::string_view text) override;
  bool load(const std::string& sha1, std::string_view text, std::string& error) override;
  void run(const std::string& sha1, std::span<const std::string_view> keys,
           std::span<const std::string_view> arguments, ScriptHost& host,
           std::string& out) override;
};

}  // namespace redlock::memory
