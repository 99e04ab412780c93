// Checks what is asked for, and starts the machine that does it.
#include "redlock/runtime/lock_manager.hpp"

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/extend.hpp"
#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/runtime/server_list.hpp"

namespace redlock {

namespace {

void check_options(const LockOptions& options) {
  check_drift_factor(options.drift_factor);
  const RetryPolicy& retry = options.retry;
  if (retry.pause_low < Duration() || retry.pause_high < retry.pause_low ||
      retry.pause_high > kPauseMax) {
    throw ArgumentError("retryDelay must be between 0 and 3600000 ms");
  }
}

}  // namespace

LockManager::LockManager(Pool& pool, const std::vector<ServerSpec>& servers, LockOptions options)
    : pool_(pool), options_(std::move(options)) {
  check_options(options_);
  check_servers(servers);
  answer_times_ = answer_times(servers, options_.timeout);
  nodes_ = connect_nodes(pool_, servers, options_.timeout, options_.client_name);
}

void LockManager::check_ttl(Duration ttl) const {
  if (ttl <= Duration()) throw ArgumentError("ttl must be greater than 0");
  if (ttl > kTtlMax) throw ArgumentError("ttl must be at most 3153600000000 ms");
  if (validity_of(ttl, Duration(), options_.drift_factor) <= Duration()) {
    throw ArgumentError("ttl is too small: clock drift leaves no validity");
  }
}

OperationId LockManager::begin(std::unique_ptr<Operation> operation) {
  return pool_.begin(std::move(operation), nodes_);
}

QuorumKind LockManager::kind_of(const Resource& resource, const Token& token) const {
  check_resource(resource);
  check_token(token);
  return {resource, Duration(), options_.drift_factor};
}

std::shared_ptr<const LockKind> LockManager::kind_for(const Resource& resource,
                                                      Duration ttl) const {
  check_resource(resource);
  check_ttl(ttl);
  return std::make_shared<const QuorumKind>(resource, ttl, options_.drift_factor);
}

OperationId LockManager::begin_lock(const Resource& resource, Duration ttl) {
  return begin(std::make_unique<Acquire>(answer_times_, kind_for(resource, ttl), options_.retry,
                                         pool_.entropy()));
}

OperationId LockManager::begin_extend(const Resource& resource, const Token& token, Duration ttl) {
  check_token(token);
  return pool_.begin(std::make_unique<Extend>(answer_times_, kind_for(resource, ttl), token),
                     nodes_, token);
}

OperationId LockManager::begin_unlock(const Resource& resource, const Token& token) {
  const QuorumKind kind = kind_of(resource, token);
  pool_.give_up(token);
  return begin(std::make_unique<Inquiry>(answer_times_, kind.release(token), LossDetail::none));
}

OperationId LockManager::begin_check(const Resource& resource, const Token& token) {
  return pool_.begin(std::make_unique<Inquiry>(answer_times_, kind_of(resource, token).check(token),
                                               LossDetail::reason),
                     nodes_, token);
}

std::optional<OperationId> LockManager::begin_look_after(const Resource& resource,
                                                         const Outcome& refused) {
  if (refused.decision != Decision::denied || options_.retry.attempts_max <= 1) return std::nullopt;
  check_resource(resource);
  return begin(std::make_unique<Inquiry>(answer_times_, CheckEndless{resource}, LossDetail::none));
}

Outcome LockManager::take_extension(OperationId id) {
  Outcome outcome = pool_.take(id);
  if (outcome.decision != Decision::granted) return outcome;
  const Instant now = pool_.clock().now();
  outcome.validity = outcome.validity - (now - outcome.decided_at);
  outcome.decided_at = now;
  if (outcome.validity <= Duration()) outcome.decision = Decision::outlasted;
  return outcome;
}

Outcome LockManager::take_lock(OperationId id, const Resource& resource, Caller caller) {
  Outcome outcome = take_extension(id);
  if (outcome.decision == Decision::granted && caller == Caller::left) {
    outcome.decision = Decision::outlasted;
  }
  if (outcome.decision == Decision::outlasted) {
    // Taken at once: sent, and not waited for.
    (void)pool_.take(begin_unlock(resource, outcome.token));
  }
  return outcome;
}

std::vector<ServerTrouble> LockManager::troubles(const Outcome& outcome) const {
  return troubles_of(outcome, nodes_, answer_times_);
}

}  // namespace redlock
