// Who shares a lock, and until when: the part that scripts of shared locks have in common.
//
// One script's run; wire/lua/part_readers.lua says what the set beside the key holds, and why.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "redlock/algorithm/ids.hpp"
#include "redlock/memory/script_call.hpp"

namespace redlock::memory {

class Readers {
 public:
  explicit Readers(ScriptCall& call)
      : call_(call), key_(call.key()), readers_(std::string(key_) + ":redlock:readers") {}

  // The server's clock, asked once. Throws ScriptError.
  [[nodiscard]] double now_ms();
  [[nodiscard]] std::optional<double> score(std::string_view who);
  // Until when one has it, where the key holds that; nothing: he has not.
  [[nodiscard]] std::optional<double> until(std::string_view who, const Value& held);
  // Strikes out who has ended. Nothing: nobody is left.
  std::optional<double> last_until(double now);
  // The key is shared already, or is not there.
  void enter(std::string_view who, std::string_view ttl, bool shared);
  // False: nobody is left, and neither is the key.
  bool go_out(std::string_view who, bool shared);
  [[nodiscard]] const std::string& name() const { return readers_; }

 private:
  ScriptCall& call_;
  std::string_view key_;
  std::string readers_;
  std::optional<double> now_ms_;
};

}  // namespace redlock::memory
