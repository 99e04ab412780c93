// Counting what the nodes say of slots.
#include "redlock/queue/slot_views.hpp"

#include <algorithm>
#include <memory>

namespace redlock {

void SlotViews::note(NodeIndex node, const Reply& reply) {
  const auto* const view = reply.said<std::shared_ptr<const PermitView>>();
  View& known = nodes_[node.value()];
  known = {};
  if (view != nullptr) known.free = (*view)->free;
}

void SlotViews::note(const std::vector<NodeReport>& tried, std::size_t slot) {
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (!tried[i].answered || tried[i].reply.answer != Answer::granted) {
      note(NodeIndex(i), tried[i].reply);
      continue;
    }
    nodes_[i].granted = slot;
    if (nodes_[i].free) nodes_[i].free->set(slot);
  }
}

void SlotViews::forget() { std::ranges::fill(nodes_, View{}); }

SlotSet SlotViews::free(QuorumRule quorum) const {
  SlotSet free;
  for (std::size_t slot = 0; slot < kPermitsMax; ++slot) {
    std::size_t said = 0;
    std::size_t silent = 0;
    for (const View& node : nodes_) {
      const bool granted = node.granted == slot;
      if (granted || (node.free && node.free->test(slot))) ++said;
      if (!granted && !node.free && node.granted) ++silent;
    }
    free[slot] = said > 0 && said + silent >= quorum.grants();
  }
  return free;
}

std::size_t SlotViews::known() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(nodes_, [](const View& node) { return node.free || node.granted; }));
}

std::size_t nth_free(const SlotSet& free, std::size_t place) {
  std::size_t slot = 0;
  for (; slot + 1 < kPermitsMax; ++slot) {
    if (free[slot] && place-- == 0) break;
  }
  return slot;
}

}  // namespace redlock
