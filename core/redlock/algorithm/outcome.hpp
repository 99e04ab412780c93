// What an operation came to, with a reason per node.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/quorum_rule.hpp"
#include "redlock/algorithm/reply.hpp"
#include "redlock/algorithm/resources.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/types.hpp"

namespace redlock {

// The servers could be asked, and the caller has not got what it asked for.
[[nodiscard]] constexpr bool is_refusal(Decision decision) {
  return decision == Decision::denied || decision == Decision::split ||
         decision == Decision::expired_in_flight || decision == Decision::expired_unclaimed;
}

struct NodeReport {
  // False while the node is silent; the rest is then empty.
  bool answered = false;
  Reply reply;

  bool operator==(const NodeReport&) const = default;
};

struct Outcome {
  Decision decision = Decision::aborted;
  // Of the acquire or extend that was granted: what the lock's keys hold, which proves whose it is,
  // and how long it may be trusted, counted from `decided_at`.
  Token token;
  Duration validity;
  Instant decided_at;
  // Of the acquire that was granted: from then on no server has it, unless it was extended.
  Instant gone_by;
  // Of an acquire that was granted: another's release passed it on.
  bool handed_over = false;
  // Of an acquire that was granted with one; see fence.hpp.
  std::optional<std::int64_t> fence = {};
  // Of a permit that was granted: the slot's lock. Nothing: what was asked for.
  std::optional<Resources> slot = {};
  // By which it was decided.
  QuorumRule quorum;
  // One entry a node, of the last round.
  std::vector<NodeReport> nodes;
  // Of an acquire that could not wait in line: what each node said to that; else empty.
  std::vector<NodeReport> line;

  bool operator==(const Outcome&) const = default;
};

}  // namespace redlock
