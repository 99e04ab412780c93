// Counts the votes of one round and says, as early as is sound, whether it is decided.
//
// Invariants: what is needed is counted of the configured nodes, never of the reachable ones; a
// decided verdict never changes; a node votes once.
// Pure: no clock, no I/O, no allocation. One thread; lives for one round.
#pragma once
#include <bitset>
#include <cstddef>
#include <cstdint>

#include "redlock/algorithm/ids.hpp"

namespace redlock {

// Bit i is node i.
using NodeSet = std::bitset<kNodesMax>;

enum class Vote { yes, no };
enum class Verdict { pending, won, lost };

class Tally {
 public:
  // Won by so many votes. Requires 1 <= needed <= node_count <= kNodesMax; the managers have
  // checked it before.
  Tally(std::size_t node_count, std::size_t needed);
  // A second vote by the same node is our own bug, and asserts.
  void record(NodeIndex node, Vote vote);
  [[nodiscard]] bool has_voted(NodeIndex node) const { return voted_.test(node.value()); }
  [[nodiscard]] const NodeSet& voted() const { return voted_; }
  [[nodiscard]] std::size_t yes_count() const { return yes_count_; }
  bool operator==(const Tally&) const = default;
  [[nodiscard]] bool complete() const { return voted_.count() == node_count_; }
  // Lost as soon as the silent nodes can no longer complete what is needed.
  [[nodiscard]] Verdict verdict() const { return verdict_without({}); }
  // The same, where nothing is expected of `suspected` nodes that are silent.
  [[nodiscard]] Verdict verdict_without(const NodeSet& suspected) const;

 private:
  NodeSet voted_;
  std::uint32_t node_count_;
  std::uint32_t needed_;
  std::uint32_t yes_count_ = 0;
};

}  // namespace redlock
