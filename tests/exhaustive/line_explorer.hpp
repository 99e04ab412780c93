// Breadth-first over all states of a world of one line, so that what is found is found shortest.
//
// One thread. Memory: the fingerprint and the origin of each state, and two levels of states.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "exhaustive/line_world.hpp"

namespace redlock::exhaustive {

struct LineResult {
  std::uint64_t states = 0;
  bool complete = false;  // all of them, not only `states_max`
  bool any_vote = false;
  std::string violation;              // the first; empty: none
  std::vector<std::string> schedule;  // how it comes about
};

[[nodiscard]] LineResult explore(const LineSettings& settings, std::uint64_t states_max);

}  // namespace redlock::exhaustive
