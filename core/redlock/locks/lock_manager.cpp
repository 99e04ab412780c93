// Checks what is asked for, and starts the machine that does it.
#include "redlock/locks/lock_manager.hpp"

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/extend.hpp"
#include "redlock/algorithm/fenced_acquire.hpp"
#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/vote_repair.hpp"
#include "redlock/locks/server_plan.hpp"
#include "redlock/queue/permit_wait.hpp"
#include "redlock/queue/queued_acquire.hpp"
#include "redlock/queue/several_wait.hpp"

namespace redlock {

namespace {

const RetryPolicy& checked(const RetryPolicy& retry) {
  if (retry.pause_low < Duration() || retry.pause_high < retry.pause_low ||
      retry.pause_high > kPauseMax) {
    throw ArgumentError("retryDelay must be between 0 and 3600000 ms");
  }
  if (retry.wait_max < Duration()) throw ArgumentError("wait must be at least 0");
  return retry;
}

LockOptions checked(LockOptions options) {
  check_drift_factor(options.drift_factor);
  checked(options.retry);
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

void check_ttl(Duration ttl, const LockOptions& options) {
  check_ttl(ttl, options.drift_factor);
  // A server that began anew would vote while such a lock may be held elsewhere.
  if (!options.guard.restart || ttl <= options.longest_ttl) return;
  throw ArgumentError("ttl must be at most longestTtl, " +
                      std::to_string(options.longest_ttl.count_ms()) +
                      " ms, with the guard 'restart'");
}

LockPlan::LockPlan(const std::vector<ServerSpec>& server_list, LockOptions lock_options,
                   ServerBook* book)
    : options(checked(std::move(lock_options))),
      servers(server_list, {options.timeout, options.connect_timeout}, options.client_name, book,
              {options.guard, options.longest_ttl, {}, options.replicas}) {}

LockManager::LockManager(Pool& pool, std::shared_ptr<const LockPlan> plan)
    : pool_(pool), plan_(std::move(plan)), nodes_(plan_->servers.bind(pool)) {}

OperationId LockManager::begin(std::unique_ptr<Operation> operation) {
  return pool_.begin(std::move(operation), nodes_);
}

std::unique_ptr<Operation> LockManager::query(const LockKind& kind, Command command,
                                              LossDetail detail) const {
  const AnswerTimes& answer_times = plan_->servers.answer_times();
  return std::make_unique<QuorumQuery>(answer_times, kind.quorum(answer_times->size()),
                                       std::move(command), detail);
}

QuorumKind LockManager::kind_of_one(const Resources& resources) const {
  if (!resources.single()) throw ArgumentError("resource must be one, several given");
  check_resources(resources);
  return {resources, Duration(), plan_->options.drift_factor};
}

QuorumKind LockManager::kind_of(const Resources& resources, const Token& token) const {
  check_resources(resources);
  check_token(token);
  return {resources, Duration(), plan_->options.drift_factor};
}

std::shared_ptr<const QuorumKind> LockManager::kind_for(
    const Resources& resources, Duration ttl, const LockExtras& extras,
    std::optional<FenceProposals> fences) const {
  check_resources(resources);
  check_ttl(ttl, plan_->options);
  if (extras.owner.size() > kOwnerBytesMax) {
    throw ArgumentError("owner must be at most 256 bytes long");
  }
  check_mode(extras.mode, resources);
  return std::make_shared<const QuorumKind>(resources, ttl, plan_->options.drift_factor,
                                            extras.owner, fences, extras.mode);
}

void LockManager::check_mode(LockMode mode, const Resources& resources) {
  if (mode == LockMode::shared && !resources.single()) {
    throw ArgumentError("a shared lock is one on one resource, several given");
  }
}

PermitKind LockManager::permit_for(const Resources& resources, Duration ttl,
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

std::optional<FenceProposals> LockManager::fences_for(const LockExtras& extras,
                                                      Duration ttl) const {
  if (!extras.fence) return std::nullopt;
  // Forgotten while the lock lives, it would be of no use.
  const Duration remembered = std::max(plan_->options.fence_ttl, std::min(ttl, kTtlMax));
  return FenceProposals{wall_us(), pool_.clock().now(), remembered};
}

OperationId LockManager::begin_acquire(std::unique_ptr<Operation> acquire,
                                       std::shared_ptr<const LockKind> kind,
                                       const std::optional<FenceProposals>& fences) {
  if (!fences) return begin(std::move(acquire));
  return begin(std::make_unique<FencedAcquire>(plan_->servers.answer_times(), std::move(kind),
                                               *fences, std::move(acquire)));
}

OperationId LockManager::begin_lock(const Resources& resources, Duration ttl,
                                    const RetryPolicy& retry, const LockExtras& extras) {
  if (extras.permits > 0) {
    return begin(std::make_unique<PermitSearch>(plan_->servers.answer_times(),
                                                permit_for(resources, ttl, extras), checked(retry),
                                                pool_.entropy()));
  }
  const std::optional<FenceProposals> fences = fences_for(extras, ttl);
  const auto kind = kind_for(resources, ttl, extras, fences);
  return begin_acquire(std::make_unique<Acquire>(plan_->servers.answer_times(), kind,
                                                 checked(retry), pool_.entropy()),
                       kind, fences);
}

OperationId LockManager::begin_wait(const Resources& resources, Duration ttl, Duration wait,
                                    std::int64_t retry_delay_ms, const LockExtras& extras) {
  checked(RetryPolicy::waiting(wait, retry_delay_ms));
  const AnswerTimes& times = plan_->servers.answer_times();
  WaitRequest request{resources, wait, retry_delay_ms, wall_ms()};
  request.confirms = plan_->options.replicas > 0;
  if (extras.permits > 0) {
    return begin(std::make_unique<PermitWait>(times, permit_for(resources, ttl, extras),
                                              std::move(request), pool_.line_memory(),
                                              pool_.entropy()));
  }
  const std::optional<FenceProposals> fences = fences_for(extras, ttl);
  const auto kind = kind_for(resources, ttl, extras, fences);
  std::unique_ptr<Operation> acquire;
  if (resources.single()) {
    acquire = std::make_unique<QueuedAcquire>(times, kind, std::move(request), pool_.line_memory(),
                                              pool_.entropy());
  } else {
    acquire = std::make_unique<SeveralWait>(times, kind, std::move(request), pool_.line_memory(),
                                            pool_.entropy());
  }
  return begin_acquire(std::move(acquire), kind, fences);
}

OperationId LockManager::begin_inspect(const Resources& resources) {
  const QuorumKind kind = kind_of_one(resources);
  return begin(query(kind, kind.inspect().value(), LossDetail::each));
}

OperationId LockManager::begin_extend(const Resources& resources, const Token& token, Duration ttl,
                                      LossDetail detail) {
  check_token(token);
  return begin(std::make_unique<Extend>(plan_->servers.answer_times(), kind_for(resources, ttl),
                                        token, detail),
               token);
}

void LockManager::forget(const Resources& resources, const Token& token) noexcept {
  try {
    // Taken at once: sent, and not waited for.
    (void)pool_.collect(begin_unlock(resources, token));
  } catch (...) {
    // No memory: it ends with its ttl, as where a process is killed.
  }
}

std::optional<OperationId> LockManager::begin_repair(const Resources& resources, const Token& token,
                                                     Duration ttl, const Outcome& extended,
                                                     LockMode mode) {
  if (extended.decision != Decision::granted) return std::nullopt;
  std::vector<NodeIndex> lost;
  for (std::size_t i = 0; i < extended.nodes.size(); ++i) {
    const NodeReport& report = extended.nodes[i];
    if (report.answered && report.reply.answer == Answer::denied) lost.emplace_back(i);
  }
  if (lost.empty()) return std::nullopt;
  check_token(token);
  return begin(std::make_unique<VoteRepair>(plan_->servers.answer_times(),
                                            *kind_for(resources, ttl, {.mode = mode}), token,
                                            std::move(lost)));
}

OperationId LockManager::begin_promotion(const Resources& resources, const Token& held,
                                         Duration ttl, const LockExtras& extras) {
  check_token(held);
  check_mode(LockMode::shared, resources);
  const std::optional<FenceProposals> fences = fences_for(extras, ttl);
  const LockExtras owned{.owner = std::string(owner_of(held))};
  const auto kind =
      std::make_shared<const QuorumKind>(kind_for(resources, ttl, owned, fences)->promoting(held));
  return begin_acquire(std::make_unique<Acquire>(plan_->servers.answer_times(), kind,
                                                 RetryPolicy::jittered(1, 0), pool_.entropy()),
                       kind, fences);
}

OperationId LockManager::begin_demotion(const Resources& resources, const Token& token) {
  check_mode(LockMode::shared, resources);
  const QuorumKind kind = kind_of(resources, token);
  return begin(query(kind, Demote{resources, token}, LossDetail::reason), token);
}

OperationId LockManager::begin_unlock(const Resources& resources, const Token& token,
                                      LossDetail detail) {
  const QuorumKind kind = kind_of(resources, token);
  pool_.give_up(token);
  return begin(query(kind, kind.release(token), detail));
}

OperationId LockManager::begin_check(const Resources& resources, const Token& token) {
  const QuorumKind kind = kind_of(resources, token);
  return begin(query(kind, kind.check(token), LossDetail::reason), token);
}

std::optional<OperationId> LockManager::begin_look_after(const Resources& resources,
                                                         const Outcome& refused) {
  if (refused.decision != Decision::denied || plan_->options.retry.attempts_max <= 1)
    return std::nullopt;
  const QuorumKind kind = kind_of_one(resources);
  return begin(query(kind, kind.check_endless().value(), LossDetail::none));
}

std::size_t LockManager::unanswered_bytes() const {
  std::size_t most = 0;
  for (const auto& node : nodes_) most = std::max(most, node->unanswered_bytes());
  return most;
}

bool LockManager::owes_removals() const {
  return std::ranges::any_of(nodes_, [](const auto& node) {
    return node->owes_removal() || (node->has_carried() && !node->has_conversation());
  });
}

Outcome LockManager::collect_extension(OperationId id) {
  Outcome outcome = pool_.collect(id);
  if (outcome.decision != Decision::granted) return outcome;
  const Instant now = pool_.clock().now();
  outcome.validity = outcome.validity - (now - outcome.decided_at);
  outcome.decided_at = now;
  if (outcome.validity <= Duration()) outcome.decision = Decision::expired_unclaimed;
  return outcome;
}

Outcome LockManager::collect_lock(OperationId id, const Resources& resources, Caller caller) {
  Outcome outcome = collect_extension(id);
  if (outcome.decision == Decision::granted && caller == Caller::left) {
    outcome.decision = Decision::expired_unclaimed;
  }
  if (outcome.decision == Decision::expired_unclaimed) {
    forget(outcome.slot.value_or(resources), outcome.token);
  }
  return outcome;
}

}  // namespace redlock
