// Breadth-first over all states of a small world, so that what is found is found shortest.
//
// A world can be copied, lists its moves(), makes one, tells its violation(), whether what it is
// about has happened(), and its bytes(): two worlds with the same bytes have the same future.
// One thread. Memory: the fingerprint and the origin of each state, and two levels of states.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "exhaustive/visited.hpp"

namespace redlock::exhaustive {

struct SearchResult {
  std::uint64_t states = 0;
  bool complete = false;  // all of them, not only `states_max`
  bool happened = false;
  std::string violation;              // the first; empty: none
  std::vector<std::string> schedule;  // how it comes about
};

template <class World, class Settings>
class BreadthFirst {
 public:
  explicit BreadthFirst(const Settings& settings) : level_{{0, World(settings)}} {
    seen_.insert(fingerprint_of(level_.front().second.bytes()));
  }

  SearchResult run(std::uint64_t states_max) {
    SearchResult result;
    while (!level_.empty() && reached_.size() < states_max && result.violation.empty()) {
      next_.clear();
      for (const auto& [state, world] : level_) {
        if (result.violation.empty()) step(state, world, result);
      }
      level_.swap(next_);
    }
    result.complete = level_.empty();
    result.states = reached_.size();
    return result;
  }

 private:
  struct Reached {
    std::uint64_t parent = 0;
    typename World::Move move;
  };
  struct Hash {
    std::size_t operator()(const Fingerprint& fingerprint) const { return fingerprint.low; }
  };

  void step(std::uint64_t state, const World& world, SearchResult& result) {
    for (const typename World::Move& move : world.moves()) {
      World made = world;
      made.make(move);
      if (!seen_.insert(fingerprint_of(made.bytes())).second) continue;
      reached_.push_back({state, move});
      result.happened = result.happened || made.happened();
      result.violation = made.violation();
      if (!result.violation.empty()) {
        result.schedule = schedule_to(reached_.size() - 1);
        return;
      }
      next_.emplace_back(reached_.size() - 1, std::move(made));
    }
  }

  std::vector<std::string> schedule_to(std::uint64_t state) const {
    std::vector<std::string> schedule;
    for (; state != 0; state = reached_[state].parent) {
      schedule.push_back(World::to_string(reached_[state].move));
    }
    std::ranges::reverse(schedule);
    return schedule;
  }

  std::unordered_set<Fingerprint, Hash> seen_;
  std::vector<Reached> reached_{{}};
  std::vector<std::pair<std::uint64_t, World>> level_;
  std::vector<std::pair<std::uint64_t, World>> next_;
};

}  // namespace redlock::exhaustive
