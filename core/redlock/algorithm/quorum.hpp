// Counts the votes of one round and says, as early as is sound, whether it is decided.
//
// Invariants: the majority is of the configured nodes, floor(N/2)+1, never of the
// reachable ones; a decided verdict never changes; a node votes once.
// Pure: no clock, no I/O, no allocation. One thread; lives for one round.
#pragma once
#include <bitset>
#include <cstddef>

#include "redlock/algorithm/ids.hpp"

namespace redlock {

// Bit i is node i.
using NodeSet = std::bitset<kNodesMax>;

enum class Vote { yes, no };
enum class Verdict { pending, won, lost };

// Requires node_count >= 1.
[[nodiscard]] constexpr std::size_t majority_of(std::size_t node_count) {
  return node_count / 2 + 1;
}

class Tally {
 public:
  // Requires 1 <= node_count <= kNodesMax; the managers have checked it before.
  explicit Tally(std::size_t node_count);
  // A second vote by the same node is our own bug, and asserts.
  void record(NodeIndex node, Vote vote);
  [[nodiscard]] bool has_voted(NodeIndex node) const { return voted_.test(node.value()); }
  [[nodiscard]] bool complete() const { return voted_.count() == node_count_; }
  // Lost as soon as the silent nodes can no longer complete a majority.
  [[nodiscard]] Verdict verdict() const { return verdict_without({}); }
  // The same, where nothing is expected of `suspected` nodes that are silent.
  [[nodiscard]] Verdict verdict_without(const NodeSet& suspected) const;

 private:
  std::size_t node_count_;
  NodeSet voted_;
  std::size_t yes_count_ = 0;
};

}  // namespace redlock
