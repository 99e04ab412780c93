// Waits for what is unanswered, now and then.
#include "redlock/runtime/unawaited.hpp"

namespace redlock {

void UnawaitedReleases::send(LockManager& locks, const Resources& resources, const Token& token) {
  Pool& pool = locks.pool();
  // Taken at once: sent, and not waited for.
  (void)pool.take(locks.begin_unlock(resources, token));
  if (pool.clock().now() < wait_again_) return;
  if (locks.owes_removals()) {
    pool.deliver(Reactor::Chance::last);
  } else if (locks.unanswered_bytes() < kBytesUnawaitedMax || hears_all(locks)) {
    return;
  }
  wait_again_ = pool.clock().now() + kPauseAfterSilence;
}

// No longer than half of the time that an answer has: behind that the connection would be given up,
// and with it the place for what is released next.
bool UnawaitedReleases::hears_all(LockManager& locks) {
  Pool& pool = locks.pool();
  const Duration half = Duration::ns(locks.shortest_answer_time().count_ns() / 2);
  const Instant end = pool.clock().now() + half;
  while (locks.unanswered_bytes() > 0 && pool.clock().now() < end) pool.step(end);
  return locks.unanswered_bytes() == 0;
}

}  // namespace redlock
