// Starts the machine that does what is asked for.
#include "redlock/locks/lock_manager.hpp"

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/extend.hpp"
#include "redlock/algorithm/fenced_acquire.hpp"
#include "redlock/algorithm/vote_repair.hpp"
#include "redlock/queue/permit_wait.hpp"
#include "redlock/queue/queued_acquire.hpp"
#include "redlock/queue/several_wait.hpp"

namespace redlock {

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

OperationId LockManager::begin_acquire(std::unique_ptr<Operation> acquire,
                                       std::shared_ptr<const LockKind> kind,
                                       const std::optional<FenceProposals>& fences) {
  if (!fences) return begin(std::move(acquire));
  return begin(std::make_unique<FencedAcquire>(plan_->servers.answer_times(), std::move(kind),
                                               *fences, std::move(acquire)));
}

OperationId LockManager::begin_lock(const Resources& resources, Duration ttl,
                                    const RetryPolicy& retry, const LockExtras& extras) {
  check_retry(retry);
  if (extras.permits > 0) {
    return begin(std::make_unique<PermitSearch>(plan_->servers.answer_times(),
                                                plan_->permit_for(resources, ttl, extras), retry,
                                                pool_.entropy()));
  }
  const std::optional<FenceProposals> fences = plan_->fences_for(extras, ttl, pool_.clock());
  const auto kind = plan_->kind_for(resources, ttl, extras, fences);
  return begin_acquire(
      std::make_unique<Acquire>(plan_->servers.answer_times(), kind, retry, pool_.entropy()), kind,
      fences);
}

OperationId LockManager::begin_wait(const Resources& resources, Duration ttl, Duration wait,
                                    std::int64_t retry_delay_ms, const LockExtras& extras) {
  check_retry(RetryPolicy::waiting(wait, retry_delay_ms));
  const AnswerTimes& times = plan_->servers.answer_times();
  WaitRequest request{resources, wait, retry_delay_ms, wall_ms()};
  request.confirms = plan_->options.replicas > 0;
  if (extras.permits > 0) {
    return begin(std::make_unique<PermitWait>(times, plan_->permit_for(resources, ttl, extras),
                                              std::move(request), pool_.line_memory(),
                                              pool_.entropy()));
  }
  const std::optional<FenceProposals> fences = plan_->fences_for(extras, ttl, pool_.clock());
  const auto kind = plan_->kind_for(resources, ttl, extras, fences);
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
  const QuorumKind kind = plan_->kind_of_one(resources);
  return begin(query(kind, kind.inspect().value(), LossDetail::each));
}

OperationId LockManager::begin_extend(const Resources& resources, const Token& token, Duration ttl,
                                      LossDetail detail) {
  check_token(token);
  return begin(std::make_unique<Extend>(plan_->servers.answer_times(),
                                        plan_->kind_for(resources, ttl), token, detail),
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
                                            *plan_->kind_for(resources, ttl, {.mode = mode}), token,
                                            std::move(lost)));
}

OperationId LockManager::begin_promotion(const Resources& resources, const Token& held,
                                         Duration ttl, const LockExtras& extras) {
  check_token(held);
  check_mode(LockMode::shared, resources);
  const std::optional<FenceProposals> fences = plan_->fences_for(extras, ttl, pool_.clock());
  const LockExtras owned{.owner = std::string(owner_of(held))};
  const auto kind = std::make_shared<const QuorumKind>(
      plan_->kind_for(resources, ttl, owned, fences)->promoting(held));
  return begin_acquire(std::make_unique<Acquire>(plan_->servers.answer_times(), kind,
                                                 RetryPolicy::jittered(1, 0), pool_.entropy()),
                       kind, fences);
}

OperationId LockManager::begin_demotion(const Resources& resources, const Token& token) {
  check_mode(LockMode::shared, resources);
  const QuorumKind kind = plan_->kind_of(resources, token);
  return begin(query(kind, Demote{resources, token}, LossDetail::reason), token);
}

OperationId LockManager::begin_unlock(const Resources& resources, const Token& token,
                                      LossDetail detail) {
  const QuorumKind kind = plan_->kind_of(resources, token);
  pool_.give_up(token);
  return begin(query(kind, kind.release(token), detail));
}

OperationId LockManager::begin_check(const Resources& resources, const Token& token) {
  const QuorumKind kind = plan_->kind_of(resources, token);
  return begin(query(kind, kind.check(token), LossDetail::reason), token);
}

std::optional<OperationId> LockManager::begin_look_after(const Resources& resources,
                                                         const Outcome& refused) {
  if (refused.decision != Decision::denied || plan_->options.retry.attempts_max <= 1)
    return std::nullopt;
  const QuorumKind kind = plan_->kind_of_one(resources);
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
