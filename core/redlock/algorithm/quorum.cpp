// Counting in one round.
#include "redlock/algorithm/quorum.hpp"

#include "redlock/algorithm/invariant.hpp"

namespace redlock {

Tally::Tally(std::size_t node_count, std::size_t needed)
    : node_count_(static_cast<std::uint32_t>(node_count)),
      needed_(static_cast<std::uint32_t>(needed)) {
  REDLOCK_INVARIANT(node_count <= kNodesMax);
  REDLOCK_INVARIANT(needed >= 1 && needed <= node_count);
}

void Tally::record(NodeIndex node, Vote vote) {
  REDLOCK_INVARIANT(node.value() < node_count_);
  REDLOCK_INVARIANT(!voted_.test(node.value()));
  voted_.set(node.value());
  if (vote == Vote::yes) ++yes_count_;
}

Verdict Tally::verdict_without(const NodeSet& suspected) const {
  if (yes_count_ >= needed_) return Verdict::won;
  const std::size_t silent = node_count_ - (voted_ | suspected).count();
  return yes_count_ + silent < needed_ ? Verdict::lost : Verdict::pending;
}

}  // namespace redlock
