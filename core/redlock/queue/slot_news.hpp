// What servers told a waiter of slots that were given back, and when he stands in line again where
// he was taken out of it.
//
// Whom a server tells of a slot it takes out of its line. At once he stands again, behind a try in
// vain, but where it has just been so: one server alone may have the slot free, and tells him of it
// each time that he gives it back. What a majority has told him of, another client was faster to
// take: to wait would give the next to those who do not. Pure. One thread; owned by a wait.
#pragma once
#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/quorum_rule.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

// So often on end, without a pause, a wait tries what two servers tell it of that is not the same.
inline constexpr std::size_t kSplitTriesMax = 100;

// A slot of which a node's server told us.
struct ToldSlot {
  NodeIndex node;
  std::size_t slot;
};

class SlotNews {
 public:
  SlotNews(std::size_t nodes, Instant now);

  // He is out of the line there; a slot that is not `usable` is none of his.
  void note_told(NodeIndex node, std::size_t slot, bool usable);
  // He stands in line there again.
  void note_joined(std::size_t node) { called_[node].reset(); }
  [[nodiscard]] bool is_called(std::size_t node) const { return called_[node].has_value(); }
  [[nodiscard]] bool told_any() const { return told_any_; }

  // The slot of which he was told first, if there is one that he has not tried.
  [[nodiscard]] std::optional<std::size_t> take_first();
  // It is tried, or his.
  void strike(std::size_t slot);
  // Those that he has not tried, for others.
  [[nodiscard]] const std::deque<ToldSlot>& told() const { return told_; }
  void forget_told() noexcept { told_.clear(); }

  // A try was in vain. False: he is out of no line.
  bool note_in_vain(QuorumRule quorum, Instant now);
  // Where he is out of the line, not sooner.
  [[nodiscard]] Instant stands_again_at() const { return stands_again_at_; }

 private:
  [[nodiscard]] bool told_by_majority(QuorumRule quorum) const;

  std::deque<ToldSlot> told_;
  // By node: the slot of which it was told as it was taken out of the line there.
  std::vector<std::optional<std::size_t>> called_;
  bool told_any_ = false;
  Instant stands_again_at_;
  Duration pause_;           // behind the latest try in vain
  std::size_t in_vain_ = 0;  // one close behind the other
};

}  // namespace redlock
