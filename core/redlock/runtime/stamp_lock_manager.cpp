// The timestamp lock's facade and ledger.
#include "redlock/runtime/stamp_lock_manager.hpp"

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/inquiry.hpp"
#include "redlock/algorithm/stamp_recipe.hpp"

namespace redlock {

void StampLedger::notice_fork() {
  if (!watch_.forked()) return;
  watch_.start_over();
  entries_.clear();
}

void StampLedger::write(const std::string& server, const Resource& key, Entry entry) {
  notice_fork();
  entries_.insert_or_assign({server, key}, std::move(entry));
}

void StampLedger::strike(const std::string& server, const Resource& key) {
  entries_.erase({server, key});
}

const StampLedger::Entry* StampLedger::find(const std::string& server, const Resource& key) {
  notice_fork();
  const auto found = entries_.find({server, key});
  return found == entries_.end() ? nullptr : &found->second;
}

StampLockManager::StampLockManager(Pool& pool, StampLedger& ledger, const ServerSpec& server,
                                   StampOptions options)
    : pool_(pool),
      ledger_(ledger),
      options_(std::move(options)),
      server_(server.endpoint.server_key() + '/' + std::to_string(server.endpoint.database)),
      answer_times_(answer_times({server}, options_.timeout)),
      nodes_(connect_nodes(pool, {server}, options_.timeout, options_.client_name)) {}

OperationId StampLockManager::begin_take(const Resource& key, Duration lease, Duration buffer,
                                         RetryPolicy retry) {
  check_resource(key);
  if (lease <= Duration()) throw ArgumentError("lock_timeout must be greater than 0");
  if (buffer < Duration()) throw ArgumentError("buffer_time must not be negative");
  if (lease + buffer > kTtlMax) {
    throw ArgumentError("lock_timeout and buffer_time must be at most 3153600000 seconds");
  }
  if (retry.pause_low < Duration() || retry.pause_high > kPauseMax) {
    throw ArgumentError("sleep_time must be between 0 and 3600 seconds");
  }
  auto recipe = std::make_unique<StampRecipe>(key, lease, buffer, options_.unit);
  return pool_.begin(
      std::make_unique<Acquire>(answer_times_, std::move(recipe), retry, pool_.entropy()), nodes_);
}

void StampLockManager::note_taken(const Resource& key, const Outcome& outcome) {
  ledger_.write(server_, key, {outcome.stamp, outcome.decided_at + outcome.validity});
}

const StampLedger::Entry* StampLockManager::held(const Resource& key) {
  return ledger_.find(server_, key);
}

StampProof StampLockManager::proof_for(const StampLedger::Entry& entry) {
  const bool running = pool_.clock().now() < entry.lease_end;
  return options_.mixed_fleet && running ? StampProof::exact_or_plain : StampProof::exact;
}

std::optional<OperationId> StampLockManager::begin_release(const Resource& key, Duration margin) {
  check_resource(key);
  if (margin < Duration()) throw ArgumentError("buffer_time must not be negative");
  const StampLedger::Entry* entry = held(key);
  if (entry == nullptr) return std::nullopt;
  StampRelease command{key, entry->stamp, margin, options_.unit, proof_for(*entry)};
  return pool_.begin(std::make_unique<Inquiry>(answer_times_, std::move(command), LossDetail::none),
                     nodes_);
}

void StampLockManager::note_released(const Resource& key) { ledger_.strike(server_, key); }

std::optional<OperationId> StampLockManager::begin_check(const Resource& key) {
  check_resource(key);
  const StampLedger::Entry* entry = held(key);
  if (entry == nullptr) return std::nullopt;
  StampCheck command{key, entry->stamp, proof_for(*entry)};
  return pool_.begin(
      std::make_unique<Inquiry>(answer_times_, std::move(command), LossDetail::reason), nodes_);
}

Duration StampLockManager::remaining(const Resource& key) {
  const StampLedger::Entry* entry = held(key);
  return entry == nullptr ? Duration() : entry->lease_end - pool_.clock().now();
}

std::vector<ServerTrouble> StampLockManager::troubles(const Outcome& outcome) const {
  return troubles_of(outcome, nodes_, answer_times_);
}

}  // namespace redlock
