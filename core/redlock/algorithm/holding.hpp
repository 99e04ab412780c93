// What stands under a lock's key, and how many wait for it: on one node, and by what a majority of
// them says.
//
// Read out of the reports of an inquiry with the command Inspect. Pure functions.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/outcome.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

struct Holding {
  Token token;
  // Until its key expires, as the node said; nothing: it never does, so it is nobody's lock.
  std::optional<Duration> left;
};

// Nothing where the node said that nothing stands there, or did not say.
[[nodiscard]] std::optional<Holding> holding_of(const NodeReport& report);
// What a majority of all nodes holds, with the time left until the first of them too few keep it;
// nothing where no majority holds the same.
[[nodiscard]] std::optional<Holding> majority_holding(const std::vector<NodeReport>& reports);

// How many stand in the node's line; nothing where it did not say, or could not.
[[nodiscard]] std::optional<std::int64_t> waiters_of(const NodeReport& report);
// How many stand in the lines of a majority of all nodes, at least; nothing where no majority has
// said it.
[[nodiscard]] std::optional<std::int64_t> majority_waiters(const std::vector<NodeReport>& reports);

}  // namespace redlock
