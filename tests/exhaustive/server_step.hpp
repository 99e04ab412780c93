// What a server does with one command: the production request bytes, run by the simulated server,
// scripts in a real Lua 5.1, answers read by the production decoder.
//
// A step depends on the command, on whose value stands under the key and on how long it has to
// live, so each different input is run once and remembered. One thread.
#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>

#include "exhaustive/command_book.hpp"
#include "sim/lua_engine.hpp"
#include "sim/servers.hpp"

namespace redlock::exhaustive {

// Whose value stands under the key, as the command sees it.
enum class Standing : std::uint8_t {
  nothing,
  own,    // of the command's client and turn, with the token below
  other,  // somebody else's, or one's own of an earlier turn
  plain,  // a stamp without a fraction
};

struct KeyView {
  Standing standing = Standing::nothing;
  std::uint8_t token = 0;
  std::int8_t left = 0;
  bool persistent = false;
};

struct StepResult {
  bool granted = false;
  bool changed = false;
  KeyView after;
};

class ServerStep {
 public:
  ServerStep(const Settings& settings, const CommandBook& book);
  // Throws std::logic_error when the server or the decoder does what no lock can live with.
  // `own_left`: until the stamp that the command names ends, where another value stands. `phase`:
  // ticks of the server's clock into its second, where stamps count those.
  const StepResult& run(int command, const KeyView& before, int own_left, int phase);
  [[nodiscard]] std::size_t distinct() const { return known_.size(); }

 private:
  StepResult execute(int command, const KeyView& before, int own_left, int phase);
  // What the server's clock says when the command's own stamp has so long to go.
  [[nodiscard]] std::int64_t now_before(int own_left, int phase) const;
  [[nodiscard]] std::string value_of(const KeyView& view, std::int64_t now_ms) const;
  [[nodiscard]] KeyView view_of(const sim::Entry& entry, const BookedCommand& command,
                                std::int64_t now_ms, const KeyView& before,
                                const std::string& value_before) const;

  const Settings& settings_;
  const CommandBook& book_;
  std::int64_t ms_per_tick_;
  std::int64_t unit_ms_;  // that stamps count
  sim::LuaEngine engine_;
  std::unordered_map<std::uint32_t, StepResult> known_;
};

}  // namespace redlock::exhaustive
