// Which are owed, and until when.
#include "redlock/net/refused_removals.hpp"

#include <algorithm>

namespace redlock {

void RefusedRemovals::owe(const SharedCommand& removal, Instant until, Instant now) {
  repeat_at_ = now + kRepeatPause;
  well_ = false;
  until = std::min(until, now + kOwedFor);
  if (now >= until) return;
  // Whoever asks again and again for one release must not drive out all the others.
  std::erase_if(removals_, [&](const Refused& refused) {
    return lock_name(*refused.removal) == lock_name(*removal);
  });
  if (removals_.size() == kCarriedMax) removals_.pop_front();
  removals_.push_back({removal, until});
}

bool RefusedRemovals::has(const LockName& lock) const {
  return std::ranges::any_of(
      removals_, [&](const Refused& refused) { return lock_name(*refused.removal) == lock; });
}

void RefusedRemovals::drop_expired(Instant now) {
  std::erase_if(removals_, [now](const Refused& refused) { return now >= refused.until; });
}

void RefusedRemovals::forget() {
  removals_.clear();
  make_due();
  well_ = false;
}

}  // namespace redlock
