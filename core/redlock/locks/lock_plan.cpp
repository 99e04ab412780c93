// Checks what locks are asked for.
#include "redlock/locks/lock_plan.hpp"

#include <algorithm>
#include <utility>

namespace redlock {

namespace {

LockOptions checked(LockOptions options) {
  check_drift_factor(options.drift_factor);
  check_retry(options.retry);
  if (options.fence_ttl <= Duration() || options.fence_ttl > kTtlMax) {
    throw ArgumentError("fenceTtl must be between 1 and 3153600000000 ms");
  }
  if (options.longest_ttl <= Duration() || options.longest_ttl > kTtlMax) {
    throw ArgumentError("longestTtl must be between 1 and 3153600000000 ms");
  }
  if (options.replicas < 0 || options.replicas > kReplicasMax) {
    throw ArgumentError("replicas must be between 0 and " + std::to_string(kReplicasMax));
  }
  return options;
}

}  // namespace

void check_retry(const RetryPolicy& retry) {
  if (retry.pause_low < Duration() || retry.pause_high < retry.pause_low ||
      retry.pause_high > kPauseMax) {
    throw ArgumentError("retryDelay must be between 0 and 3600000 ms");
  }
  if (retry.wait_max < Duration()) throw ArgumentError("wait must be at least 0");
}

void check_ttl(Duration ttl, const LockOptions& options) {
  check_ttl(ttl, options.drift_factor);
  // A server that began anew would vote while such a lock may be held elsewhere.
  if (!options.guard.restart || ttl <= options.longest_ttl) return;
  throw ArgumentError("ttl must be at most longestTtl, " +
                      std::to_string(options.longest_ttl.count_ms()) +
                      " ms, with the guard 'restart'");
}

void check_mode(LockMode mode, const Resources& resources) {
  if (mode == LockMode::shared && !resources.single()) {
    throw ArgumentError("a shared lock is one on one resource, several given");
  }
}

LockPlan::LockPlan(const std::vector<ServerSpec>& server_list, LockOptions lock_options,
                   ServerBook* book)
    : options(checked(std::move(lock_options))),
      servers(server_list, {options.timeout, options.connect_timeout}, options.client_name, book,
              {options.guard, options.longest_ttl, {}, options.replicas}) {}

QuorumKind LockPlan::kind_of_one(const Resources& resources) const {
  if (!resources.single()) throw ArgumentError("resource must be one, several given");
  check_resources(resources);
  return {resources, Duration(), options.drift_factor};
}

QuorumKind LockPlan::kind_of(const Resources& resources, const Token& token) const {
  check_resources(resources);
  check_token(token);
  return {resources, Duration(), options.drift_factor};
}

std::shared_ptr<const QuorumKind> LockPlan::kind_for(const Resources& resources, Duration ttl,
                                                     const LockExtras& extras,
                                                     std::optional<FenceProposals> fences) const {
  check_resources(resources);
  check_ttl(ttl, options);
  if (extras.owner.size() > kOwnerBytesMax) {
    throw ArgumentError("owner must be at most 256 bytes long");
  }
  check_mode(extras.mode, resources);
  return std::make_shared<const QuorumKind>(resources, ttl, options.drift_factor, extras.owner,
                                            fences, extras.mode);
}

PermitKind LockPlan::permit_for(const Resources& resources, Duration ttl,
                                const LockExtras& extras) const {
  if (extras.permits > kPermitsMax) throw ArgumentError("permits must be between 1 and 1024");
  if (extras.fence) throw ArgumentError("fence is for locks without permits only");
  if (!resources.single()) throw ArgumentError("resource must be one, several given");
  if (resources.only().view().size() + kSlotNameBytesMax > kResourceBytesMax) {
    throw ArgumentError("resource must be at most " +
                        std::to_string(kResourceBytesMax - kSlotNameBytesMax) +
                        " bytes long to have permits");
  }
  return {kind_for(resources, ttl, extras), extras.permits};
}

std::optional<FenceProposals> LockPlan::fences_for(const LockExtras& extras, Duration ttl,
                                                   Clock& clock) const {
  if (!extras.fence) return std::nullopt;
  // Forgotten while the lock lives, it would be of no use.
  const Duration remembered = std::max(options.fence_ttl, std::min(ttl, kTtlMax));
  return FenceProposals{wall_us(), clock.now(), remembered};
}

}  // namespace redlock
