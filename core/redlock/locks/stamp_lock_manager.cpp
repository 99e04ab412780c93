// Checks what is asked for, starts the machine that does it, and keeps the ledger.
#include "redlock/locks/stamp_lock_manager.hpp"

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/quorum_query.hpp"
#include "redlock/algorithm/stamp_kind.hpp"

namespace redlock {

StampPlan::StampPlan(const ServerSpec& spec, StampOptions stamp_options, ServerBook* book)
    : options(std::move(stamp_options)),
      server({spec}, {options.timeout, options.connect_timeout}, options.client_name, book),
      server_name(spec.endpoint.server_key() + '/' + std::to_string(spec.endpoint.database)) {
  check_drift_factor(options.drift_factor);
}

StampLockManager::StampLockManager(Pool& pool, StampLedger& ledger,
                                   std::shared_ptr<const StampPlan> plan)
    : pool_(pool), ledger_(ledger), plan_(std::move(plan)), nodes_(plan_->server.bind(pool)) {}

OperationId StampLockManager::begin_lock(const Resources& keys, Duration lease, Duration buffer,
                                         RetryPolicy retry) {
  check_resources(keys);
  if (lease <= Duration()) throw ArgumentError("lock_timeout must be greater than 0");
  if (buffer < Duration()) throw ArgumentError("buffer_time must not be negative");
  if (lease + buffer > kTtlMax) {
    throw ArgumentError("lock_timeout and buffer_time must be at most 3153600000 seconds");
  }
  if (lease <= drift_share(lease, plan_->options.drift_factor)) {
    throw ArgumentError("lock_timeout is too small: clock drift leaves nothing of it");
  }
  if (retry.pause_low < Duration() || retry.pause_high > kPauseMax) {
    throw ArgumentError("sleep_time must be between 0 and 3600 seconds");
  }
  auto kind = std::make_shared<const StampKind>(keys, lease, buffer, rules());
  return pool_.begin(std::make_unique<Acquire>(plan_->server.answer_times(), std::move(kind), retry,
                                               pool_.entropy()),
                     nodes_);
}

bool StampLockManager::note_taken(const Resources& keys, const Outcome& outcome) {
  const Instant now = pool_.clock().now();
  const Instant lease_end = outcome.decided_at + outcome.validity;
  if (lease_end <= now) return false;
  return ledger_.write(plan_->server_name, keys,
                       {outcome.token, outcome.decided_at, lease_end, outcome.gone_by}, now);
}

OperationId StampLockManager::ask(const StampKind& kind, Command command, LossDetail detail) {
  const AnswerTimes& answer_times = plan_->server.answer_times();
  return pool_.begin(std::make_unique<QuorumQuery>(answer_times, kind.quorum(answer_times->size()),
                                                   std::move(command), detail),
                     nodes_);
}

OperationId StampLockManager::begin_give_back(const Resources& keys, const Outcome& outcome) {
  const StampKind kind(keys, Duration(), Duration(), rules());
  return ask(kind, kind.release(outcome.token), LossDetail::none);
}

// Taken at once: sent, and not waited for.
void StampLockManager::give_back(const Resources& keys, const Outcome& outcome) {
  (void)pool_.collect(begin_give_back(keys, outcome));
}

StampLedger::Entry* StampLockManager::held(const Resources& keys) {
  return ledger_.find(plan_->server_name, keys);
}

StampLedger::Serial StampLockManager::entry_of(const Resources& keys) {
  const StampLedger::Entry* entry = held(keys);
  return entry == nullptr ? 0 : entry->serial;
}

// After a first release somebody else may have taken the lock: then a plain stamp is theirs.
StampProof StampLockManager::proof_for(const StampLedger::Entry& entry) {
  const bool running = !entry.given_up && pool_.clock().now() < entry.lease_end;
  return plan_->options.mixed_fleet && running ? StampProof::exact_or_plain : StampProof::exact;
}

std::optional<OperationId> StampLockManager::begin_release(const Resources& keys, Duration margin) {
  check_resources(keys);
  if (margin < Duration()) throw ArgumentError("buffer_time must not be negative");
  StampLedger::Entry* entry = held(keys);
  if (entry == nullptr) return std::nullopt;
  const StampKind kind(keys, Duration(), margin, rules(), proof_for(*entry));
  entry->given_up = true;
  return ask(kind, kind.release(entry->stamp), LossDetail::none);
}

void StampLockManager::note_released(const Resources& keys, StampLedger::Serial released) {
  ledger_.strike(plan_->server_name, keys, released);
}

std::optional<OperationId> StampLockManager::begin_check(const Resources& keys) {
  check_resources(keys);
  const StampLedger::Entry* entry = held(keys);
  if (entry == nullptr || entry->given_up) return std::nullopt;
  const StampKind kind(keys, Duration(), Duration(), rules(), proof_for(*entry));
  return ask(kind, kind.check(entry->stamp), LossDetail::reason);
}

Outcome StampLockManager::collect_lock(OperationId id, const Resources& keys, Caller caller) {
  Outcome outcome = pool_.collect(id);
  if (outcome.decision != Decision::granted) return outcome;
  try {
    if (caller == Caller::waits && note_taken(keys, outcome)) return outcome;
  } catch (...) {
    // No memory: what is not written down could never be released.
    give_back(keys, outcome);
    throw;
  }
  outcome.decision = Decision::expired_unclaimed;
  give_back(keys, outcome);
  return outcome;
}

Outcome StampLockManager::collect_check(OperationId id, const Resources& keys,
                                        StampLedger::Serial checked) {
  Outcome outcome = pool_.collect(id);
  const StampLedger::Entry* entry = held(keys);
  const bool trusted = entry != nullptr && entry->serial == checked && !entry->given_up;
  if (outcome.decision == Decision::granted && !trusted) outcome.decision = Decision::denied;
  return outcome;
}

Outcome StampLockManager::collect_release(OperationId id, const Resources& keys,
                                          StampLedger::Serial released) {
  Outcome outcome = pool_.collect(id);
  const bool answered =
      outcome.decision != Decision::unreachable && outcome.decision != Decision::aborted;
  if (answered) note_released(keys, released);
  return outcome;
}

Duration StampLockManager::remaining(const Resources& keys) {
  const StampLedger::Entry* entry = held(keys);
  if (entry == nullptr || entry->given_up) return Duration();
  return entry->lease_end - pool_.clock().now();
}

}  // namespace redlock
