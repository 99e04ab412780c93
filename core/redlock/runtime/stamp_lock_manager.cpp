// Checks what is asked for, starts the machine that does it, and keeps the ledger.
#include "redlock/runtime/stamp_lock_manager.hpp"

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/inquiry.hpp"
#include "redlock/algorithm/stamp_kind.hpp"

namespace redlock {

StampLockManager::StampLockManager(Pool& pool, StampLedger& ledger, const ServerSpec& server,
                                   StampOptions options)
    : pool_(pool),
      ledger_(ledger),
      options_(std::move(options)),
      server_(server.endpoint.server_key() + '/' + std::to_string(server.endpoint.database)),
      answer_times_(answer_times({server}, options_.timeout)),
      nodes_(connect_nodes(pool, {server}, options_.timeout, options_.client_name)) {
  check_drift_factor(options_.drift_factor);
}

OperationId StampLockManager::begin_take(const Resource& key, Duration lease, Duration buffer,
                                         RetryPolicy retry) {
  check_resource(key);
  if (lease <= Duration()) throw ArgumentError("lock_timeout must be greater than 0");
  if (buffer < Duration()) throw ArgumentError("buffer_time must not be negative");
  if (lease + buffer > kTtlMax) {
    throw ArgumentError("lock_timeout and buffer_time must be at most 3153600000 seconds");
  }
  if (lease <= drift_share(lease, options_.drift_factor)) {
    throw ArgumentError("lock_timeout is too small: clock drift leaves nothing of it");
  }
  if (retry.pause_low < Duration() || retry.pause_high > kPauseMax) {
    throw ArgumentError("sleep_time must be between 0 and 3600 seconds");
  }
  auto kind = std::make_shared<const StampKind>(key, lease, buffer, rules());
  return pool_.begin(
      std::make_unique<Acquire>(answer_times_, std::move(kind), retry, pool_.entropy()), nodes_);
}

bool StampLockManager::note_taken(const Resource& key, const Outcome& outcome) {
  const Instant now = pool_.clock().now();
  const Instant lease_end = outcome.decided_at + outcome.validity;
  if (lease_end <= now) return false;
  return ledger_.write(server_, key,
                       {outcome.token, outcome.decided_at, lease_end, outcome.gone_by}, now);
}

OperationId StampLockManager::ask(const Command& command, LossDetail detail) {
  return pool_.begin(std::make_unique<Inquiry>(answer_times_, command, detail), nodes_);
}

OperationId StampLockManager::begin_give_back(const Resource& key, const Outcome& outcome) {
  const StampKind kind(key, Duration(), Duration(), rules());
  return ask(kind.release(outcome.token), LossDetail::none);
}

// Taken at once: sent, and not waited for.
void StampLockManager::give_back(const Resource& key, const Outcome& outcome) {
  (void)pool_.take(begin_give_back(key, outcome));
}

StampLedger::Entry* StampLockManager::held(const Resource& key) {
  return ledger_.find(server_, key);
}

StampLedger::Serial StampLockManager::entry_of(const Resource& key) {
  const StampLedger::Entry* entry = held(key);
  return entry == nullptr ? 0 : entry->serial;
}

// After a first release somebody else may have taken the lock: then a plain stamp is theirs.
StampProof StampLockManager::proof_for(const StampLedger::Entry& entry) {
  const bool running = !entry.given_up && pool_.clock().now() < entry.lease_end;
  return options_.mixed_fleet && running ? StampProof::exact_or_plain : StampProof::exact;
}

std::optional<OperationId> StampLockManager::begin_release(const Resource& key, Duration margin) {
  check_resource(key);
  if (margin < Duration()) throw ArgumentError("buffer_time must not be negative");
  StampLedger::Entry* entry = held(key);
  if (entry == nullptr) return std::nullopt;
  const StampKind kind(key, Duration(), margin, rules(), proof_for(*entry));
  entry->given_up = true;
  return ask(kind.release(entry->stamp), LossDetail::none);
}

void StampLockManager::note_released(const Resource& key, StampLedger::Serial released) {
  ledger_.strike(server_, key, released);
}

std::optional<OperationId> StampLockManager::begin_check(const Resource& key) {
  check_resource(key);
  const StampLedger::Entry* entry = held(key);
  if (entry == nullptr || entry->given_up) return std::nullopt;
  const StampKind kind(key, Duration(), Duration(), rules(), proof_for(*entry));
  return ask(kind.check(entry->stamp), LossDetail::reason);
}

Outcome StampLockManager::take_lock(OperationId id, const Resource& key, Caller caller) {
  Outcome outcome = pool_.take(id);
  if (outcome.decision != Decision::granted) return outcome;
  try {
    if (caller == Caller::waits && note_taken(key, outcome)) return outcome;
  } catch (...) {
    // No memory: what is not written down could never be released.
    give_back(key, outcome);
    throw;
  }
  outcome.decision = Decision::outlasted;
  give_back(key, outcome);
  return outcome;
}

Outcome StampLockManager::take_check(OperationId id, const Resource& key,
                                     StampLedger::Serial checked) {
  Outcome outcome = pool_.take(id);
  const StampLedger::Entry* entry = held(key);
  const bool trusted = entry != nullptr && entry->serial == checked && !entry->given_up;
  if (outcome.decision == Decision::granted && !trusted) outcome.decision = Decision::denied;
  return outcome;
}

Outcome StampLockManager::take_release(OperationId id, const Resource& key,
                                       StampLedger::Serial released) {
  Outcome outcome = pool_.take(id);
  const bool answered =
      outcome.decision != Decision::unreachable && outcome.decision != Decision::aborted;
  if (answered) note_released(key, released);
  return outcome;
}

Duration StampLockManager::remaining(const Resource& key) {
  const StampLedger::Entry* entry = held(key);
  if (entry == nullptr || entry->given_up) return Duration();
  return entry->lease_end - pool_.clock().now();
}

std::vector<ServerTrouble> StampLockManager::troubles(const Outcome& outcome) const {
  return troubles_of(outcome, nodes_, answer_times_);
}

}  // namespace redlock
