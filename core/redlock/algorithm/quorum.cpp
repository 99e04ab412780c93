// Majority arithmetic of one round.
#include "redlock/algorithm/quorum.hpp"

#include "redlock/algorithm/invariant.hpp"

namespace redlock {

Tally::Tally(std::size_t node_count) : node_count_(node_count) {
  REDLOCK_INVARIANT(node_count >= 1 && node_count <= kNodesMax);
}

void Tally::record(NodeIndex node, Vote vote) {
  REDLOCK_INVARIANT(node.value() < node_count_);
  REDLOCK_INVARIANT(!voted_.test(node.value()));
  voted_.set(node.value());
  if (vote == Vote::yes) ++yes_count_;
}

Verdict Tally::verdict_without(const NodeSet& suspected) const {
  const std::size_t majority = majority_of(node_count_);
  if (yes_count_ >= majority) return Verdict::won;
  const std::size_t silent = node_count_ - (voted_ | suspected).count();
  return yes_count_ + silent < majority ? Verdict::lost : Verdict::pending;
}

}  // namespace redlock
