// Everything that decides what a production machine will do, as bytes.
//
// Times are relative to `now`, so that a machine that is asked the same question later is in the
// same state. What never changes during an operation (recipe, policy, times allowed) is left out:
// machines of one table share it.
#pragma once
#include <cstdint>
#include <string>

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/quorum_query.hpp"

namespace redlock::exhaustive {

[[nodiscard]] std::string machine_state(const Acquire& machine, Instant now);
[[nodiscard]] std::string machine_state(const QuorumQuery& machine, Instant now);

// One byte for what the machine's round has heard of the node.
[[nodiscard]] std::uint8_t node_view(const Acquire& machine, std::size_t node);
[[nodiscard]] std::uint8_t node_view(const QuorumQuery& machine, std::size_t node);

}  // namespace redlock::exhaustive
