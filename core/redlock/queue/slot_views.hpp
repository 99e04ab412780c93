// What the nodes said last of a resource's slots, and which of them a quorum calls free.
//
// Pure. One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "redlock/algorithm/outcome.hpp"
#include "redlock/algorithm/permit.hpp"
#include "redlock/algorithm/quorum_rule.hpp"

namespace redlock {

class SlotViews {
 public:
  explicit SlotViews(std::size_t node_count) : nodes_(node_count) {}

  // What came of a try of that slot: where it was granted it is free again.
  void note(const std::vector<NodeReport>& tried, std::size_t slot);
  // A node's answer; one that says nothing of slots leaves it unknown.
  void note(NodeIndex node, const Reply& reply);
  void forget();
  // Free by a quorum's word. A node that granted the slot that was tried has said nothing of the
  // others, and does not contradict.
  [[nodiscard]] SlotSet free(QuorumRule quorum) const;
  // How many nodes have said something.
  [[nodiscard]] std::size_t known() const;

 private:
  struct View {
    std::optional<SlotSet> free;
    std::optional<std::size_t> granted;
  };
  std::vector<View> nodes_;
};

// The slot at that place among the free ones, from 0. Requires that there are so many.
[[nodiscard]] std::size_t nth_free(const SlotSet& free, std::size_t place);

}  // namespace redlock
