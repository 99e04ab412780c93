// The production machines that take, promote and extend a lock, looked up by number.
//
// A machine is made anew and told all again the first time that something is heard; what it asks
// for then, and what has become of it, is written down. Pure but for what it remembers; one thread.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "exhaustive/holding_servers.hpp"
#include "redlock/algorithm/line_commands.hpp"
#include "redlock/algorithm/operation.hpp"
#include "redlock/algorithm/resources.hpp"

namespace redlock::exhaustive {

inline constexpr std::size_t kHoldingServers = 3;
inline constexpr std::int64_t kTickMs = 10'000;
// Two ticks behind its setting a key has just gone.
inline constexpr std::int64_t kHoldingTtlMs = 2 * kTickMs - 1;

// Of a call; 0: none.
using TokenCode = std::uint8_t;
[[nodiscard]] Token token_of(TokenCode code);

enum class CallKind : std::uint8_t { acquire, promote, extend };

struct CallRecipe {
  CallKind kind = CallKind::acquire;
  std::string resources;  // a letter each
  LockMode mode = LockMode::exclusive;
  TokenCode fresh = 0;  // of an acquire or a promotion
  TokenCode held = 0;   // of a promotion or an extend
};

class HoldingCalls {
 public:
  explicit HoldingCalls(HoldingServers& servers) : servers_(servers), calls_(1) {}

  struct Asked {
    std::uint8_t node = 0;
    std::uint16_t command = 0;
    bool wants_answer = false;
  };
  struct Step {
    std::uint16_t call = 0;
    std::vector<Asked> asks;
  };
  struct Call {
    std::string bytes;  // but for what it has heard of each node
    std::array<std::uint8_t, kHoldingServers> heard{};
    bool done = false;
    bool granted = false;
    std::int64_t validity_ms = 0;  // of a grant, from when it was decided
    bool lost = false;             // a promotion of somebody who is not in
  };
  const Step& begin(const CallRecipe& recipe);
  const Step& hear(std::uint16_t call, std::size_t node, Vote vote);
  // A tick has passed.
  const Step& turn(std::uint16_t call);
  [[nodiscard]] const Call& at(std::uint16_t call) const { return calls_[call].call; }

 private:
  struct Told {
    std::uint8_t node = kHoldingServers;  // no node: a tick has passed
    Vote vote = Vote::granted;
  };
  struct Known {
    Call call;
    std::uint16_t recipe = 0;
    std::vector<Told> history;
  };
  const Step& tell(std::uint16_t call, const Told& told);
  Step run(std::uint16_t recipe, std::vector<Told> history);
  std::uint16_t enter(Known known);

  HoldingServers& servers_;
  std::vector<CallRecipe> recipes_;
  std::vector<Known> calls_;  // by number, from 1
  std::unordered_map<std::string, std::uint16_t> numbers_;
  std::unordered_map<std::uint32_t, Step> steps_;
};

}  // namespace redlock::exhaustive
