// Which connections are looked at, and which are replaced.
#include "redlock/net/idle_look.hpp"

#include <algorithm>

namespace redlock {

bool IdleLook::is_due(const NodeList& nodes, Instant now, bool holds_back) {
  return std::ranges::any_of(nodes, [now, holds_back](const auto& node) {
    if (node->overdue(now) || node->outdated()) return true;
    if (!node->has_conversation() || (holds_back && node->has_output())) return false;
    return now - node->last_used() >= IdlePolicy::look_after(*node);
  });
}

IdleLook::IdleLook(const IdlePolicy& idle, const NodeList& nodes, Instant now) {
  for (const auto& node : nodes) {
    if (!idle.too_old(*node, now)) continue;
    (idle.silent(*node, now) ? silent_ : outdated_).push_back(node);
  }
}

void IdleLook::replace(LiveNodes& live) const {
  for (const auto& node : silent_) live.replace(*node);
  for (const auto& node : outdated_) {
    if (node->outdated()) live.replace(*node);
  }
}

}  // namespace redlock
