// What is to be said of servers that were examined: what harms locks, what may, and what to do.
//
// Pure functions.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "redlock/redlock.hpp"

namespace redlock::cli {

// An error costs locks or their safety. A warning is a risk, or something that goes on more slowly.
enum class Gravity { warning, error };

struct Finding {
  Gravity gravity = Gravity::warning;
  std::string server;  // empty: of all together
  std::string what;    // and what to do
};

// Locks last `longest_ttl` at most. The clock is that of the machine on which it is asked.
[[nodiscard]] std::vector<Finding> findings_of(const std::vector<ServerReport>& reports,
                                               std::chrono::milliseconds longest_ttl,
                                               const std::optional<ClockDiscipline>& clock);

}  // namespace redlock::cli
