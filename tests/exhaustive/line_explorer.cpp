// The search, and the way back to the beginning from what it finds.
#include "exhaustive/line_explorer.hpp"

#include <algorithm>
#include <unordered_set>

#include "exhaustive/visited.hpp"

namespace redlock::exhaustive {

namespace {

struct Reached {
  std::uint64_t parent = 0;
  LineWorld::Move move;
};

struct Hash {
  std::size_t operator()(const Fingerprint& fingerprint) const { return fingerprint.low; }
};

std::vector<std::string> schedule_to(const std::vector<Reached>& reached, std::uint64_t state) {
  std::vector<std::string> schedule;
  for (; state != 0; state = reached[state].parent) {
    schedule.push_back(LineWorld::to_string(reached[state].move));
  }
  std::ranges::reverse(schedule);
  return schedule;
}

}  // namespace

LineResult explore(const LineSettings& settings, std::uint64_t states_max) {
  LineResult result;
  std::unordered_set<Fingerprint, Hash> seen;
  std::vector<Reached> reached{{}};
  std::vector<std::pair<std::uint64_t, LineWorld>> level{{0, LineWorld(settings)}};
  seen.insert(fingerprint_of(level.front().second.bytes()));
  while (!level.empty() && reached.size() < states_max) {
    std::vector<std::pair<std::uint64_t, LineWorld>> next;
    for (const auto& [state, world] : level) {
      for (const LineWorld::Move& move : world.moves()) {
        LineWorld made = world;
        made.make(move);
        if (!seen.insert(fingerprint_of(made.bytes())).second) continue;
        reached.push_back({state, move});
        result.any_vote = result.any_vote || made.anybody_voted();
        result.violation = made.violation();
        if (!result.violation.empty()) {
          result.schedule = schedule_to(reached, reached.size() - 1);
          result.states = reached.size();
          return result;
        }
        next.emplace_back(reached.size() - 1, std::move(made));
      }
    }
    level = std::move(next);
  }
  result.complete = level.empty();
  result.states = reached.size();
  return result;
}

}  // namespace redlock::exhaustive
