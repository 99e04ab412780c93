// One look at the connections that an operation is about to use: whether it is worth one, and which
// of them are to be replaced when what came on them has been read.
//
// No I/O of its own. One for each look. One thread.
#pragma once
#include "redlock/net/idle_policy.hpp"
#include "redlock/net/live_nodes.hpp"

namespace redlock {

class IdleLook {
 public:
  // An answer is overdue there, or nothing was sent for long. What a caller that `holds_back`
  // requests has for them was looked at when the first of those was begun.
  [[nodiscard]] static bool is_due(const NodeList& nodes, Instant now, bool holds_back);
  // Notes which are too old. Their time does not begin anew by what is read meanwhile.
  IdleLook(const IdlePolicy& idle, const NodeList& nodes, Instant now);
  // Those that were silent whatever went on them since, the others if they are too old yet.
  void replace(LiveNodes& live) const;

 private:
  NodeList silent_;
  NodeList outdated_;
};

}  // namespace redlock
