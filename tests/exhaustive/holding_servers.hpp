// What servers do with any command: the production bytes, run by the simulated server with its
// scripts in a real Lua 5.1, answers read by the production decoder.
//
// What a server remembers has a number, and so has each command: a step is run the first time and
// looked up from then on. Servers' clocks show the same. One thread.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "redlock/algorithm/command.hpp"
#include "sim/lua_engine.hpp"
#include "sim/servers.hpp"

namespace redlock::exhaustive {

enum class Vote : std::uint8_t { granted, busy, denied, closed };

class HoldingServers {
 public:
  HoldingServers();
  HoldingServers(const HoldingServers&) = delete;
  HoldingServers& operator=(const HoldingServers&) = delete;

  static constexpr std::uint32_t kEmpty = 0;
  struct Step {
    std::uint32_t state = kEmpty;
    Vote vote = Vote::granted;
  };
  [[nodiscard]] std::uint16_t number_of(const Command& command);
  [[nodiscard]] const Command& command(std::uint16_t number) const { return commands_[number]; }
  // Throws std::logic_error when the answer is none that the command can have.
  Step run(std::uint32_t state, std::uint16_t command, std::int64_t now_ms);
  // What is left once it is so late.
  std::uint32_t at(std::uint32_t state, std::int64_t now_ms);
  // So many keys hold the token.
  [[nodiscard]] std::size_t keys_with(std::uint32_t state, std::string_view token) const;

 private:
  std::uint32_t enter(sim::Server& server);
  static Vote ask(sim::Server& server, const Command& command);
  [[nodiscard]] sim::Server restored(std::uint32_t state, std::int64_t now_ms);

  sim::LuaEngine engine_;
  std::deque<Command> commands_;  // they stay where they are
  std::unordered_map<std::string, std::uint16_t> command_numbers_;
  std::vector<std::vector<sim::Entry>> states_;
  std::unordered_map<std::string, std::uint32_t> state_numbers_;
  std::unordered_map<std::uint64_t, Step> steps_;
};

}  // namespace redlock::exhaustive
