// When a waiter who was told of a slot in vain stands in line again.
#include "redlock/queue/slot_news.hpp"

#include <algorithm>

#include "redlock/queue/node_queue_state.hpp"
#include "redlock/queue/permit_search.hpp"

namespace redlock {

SlotNews::SlotNews(std::size_t nodes, Instant now)
    : called_(nodes), stands_again_at_(now - kTooFewFor) {}

void SlotNews::note_told(NodeIndex node, std::size_t slot, bool usable) {
  if (usable) told_.push_back({node, slot});
  called_[node.value()] = slot;
  told_any_ = true;
}

std::optional<std::size_t> SlotNews::take_first() {
  if (told_.empty()) return std::nullopt;
  const std::size_t slot = told_.front().slot;
  strike(slot);
  return slot;
}

void SlotNews::strike(std::size_t slot) {
  std::erase_if(told_, [slot](const ToldSlot& told) { return told.slot == slot; });
}

bool SlotNews::note_in_vain(QuorumRule quorum, Instant now) {
  const auto told = static_cast<std::size_t>(std::ranges::count_if(
      called_, [](const std::optional<std::size_t>& slot) { return slot.has_value(); }));
  if (told == 0) return false;
  if (told_by_majority(quorum) || now >= stands_again_at_ + kTooFewFor) in_vain_ = 0;
  // Where slots are given back one close behind the other, servers tell of several.
  const std::size_t at_once = told >= quorum.grants() ? kSplitTriesMax : 1;
  const bool pauses = in_vain_++ >= at_once;
  pause_ = pauses ? std::clamp(pause_ * 2, kSlotPauseMin, kTooFewFor) : Duration();
  stands_again_at_ = now + pause_;
  return true;
}

// Of one slot: two that have another one free each say nothing of any that could be taken.
bool SlotNews::told_by_majority(QuorumRule quorum) const {
  return std::ranges::any_of(called_, [&](const std::optional<std::size_t>& slot) {
    const auto same = static_cast<std::size_t>(std::ranges::count(called_, slot));
    return slot && same >= quorum.grants();
  });
}

}  // namespace redlock
