// Sends what is owed, the oldest first.
#include "redlock/lease/release_outbox.hpp"

namespace redlock {

void ReleaseOutbox::add(OutboxEntry release) noexcept {
  if (watch_.forked()) owed_.clear();
  watch_.start_over();
  owed_.splice(owed_.end(), release);
}

void ReleaseOutbox::pay() noexcept {
  try {
    while (!owed_.empty() && !watch_.forked()) {
      releases_.send(locks_, owed_.front().resources, owed_.front().token);
      owed_.pop_front();
    }
  } catch (...) {
    // No memory: they stay owed.
  }
}

}  // namespace redlock
