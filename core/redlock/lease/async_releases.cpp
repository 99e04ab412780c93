// Waits for what is unanswered, now and then.
#include "redlock/lease/async_releases.hpp"

namespace redlock {

namespace {

// Behind the whole of the time that an answer has the connection would be given up, and with it the
// place for what is released next.
Duration moment(const LockManager& locks) {
  return Duration::ns(locks.shortest_answer_time().count_ns() / 2);
}

}  // namespace

void AsyncReleases::send(LockManager& locks, const Resources& resources, const Token& token) {
  Pool& pool = locks.pool();
  // Taken at once: sent, and not waited for.
  (void)pool.collect(locks.begin_unlock(resources, token));
  if (locks.owes_removals()) return deliver(locks);
  if (pool.clock().now() < wait_again_) return;
  if (locks.unanswered_bytes() < kBytesAsyncMax || hears_all(locks)) return;
  wait_again_ = pool.clock().now() + kPauseAfterSilence;
}

// Mostly that takes no time: also a server that stands still is connected to.
void AsyncReleases::deliver(LockManager& locks) {
  Pool& pool = locks.pool();
  if (pool.clock().now() < deliver_again_) return;
  locks.deliver_removals(moment(locks));
  if (locks.owes_removals()) deliver_again_ = pool.clock().now() + kPauseAfterSilence;
}

bool AsyncReleases::hears_all(LockManager& locks) {
  Pool& pool = locks.pool();
  const Instant end = pool.clock().now() + moment(locks);
  while (locks.unanswered_bytes() > 0 && pool.clock().now() < end) pool.step(end);
  return locks.unanswered_bytes() == 0;
}

}  // namespace redlock
