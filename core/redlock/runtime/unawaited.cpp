// Asks what is cheap to answer, now and then.
#include "redlock/runtime/unawaited.hpp"

#include <algorithm>

namespace redlock {

void UnawaitedReleases::send(LockManager& locks, const Resources& resources, const Token& token) {
  Pool& pool = locks.pool();
  // Taken at once: sent, and not waited for.
  (void)pool.take(locks.begin_unlock(resources, token));
  if (locks.unanswered_bytes() < kBytesUnawaitedMax || pool.clock().now() < wait_again_) return;
  const Outcome heard = pool.run(locks.begin_inspect(resources));
  const bool silence = std::ranges::any_of(
      heard.nodes, [](const NodeReport& report) { return report.reply.fault == Fault::timeout; });
  if (silence) wait_again_ = pool.clock().now() + kPauseAfterSilence;
}

}  // namespace redlock
