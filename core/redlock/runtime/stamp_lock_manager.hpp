// The timestamp lock on one server, as PHP and C++ users call it.
//
// What was taken is written down in a ledger that may be shared by many managers, so that
// whoever shares the ledger can release. Not thread-safe; pool and ledger must outlive the
// manager.
#pragma once
#include <optional>
#include <string>

#include "redlock/algorithm/inquiry.hpp"
#include "redlock/algorithm/stamp_kind.hpp"
#include "redlock/runtime/lock_manager.hpp"
#include "redlock/runtime/stamp_ledger.hpp"

namespace redlock {

struct StampOptions {
  StampUnit unit = StampUnit::milliseconds;
  // Accept a stamp without a fraction as ours while our own lease runs: old clients
  // overwrite stamps when they lose. For the time of a rolling upgrade.
  bool mixed_fleet = false;
  double drift_factor = kDriftFactorDefault;  // 0 <= factor < 1
  Duration timeout = kTimeoutDefault;
  std::string client_name;
};

class StampLockManager {
 public:
  // Throws ArgumentError.
  StampLockManager(Pool& pool, StampLedger& ledger, const ServerSpec& server, StampOptions options);

  // Throws ArgumentError: key past its bound, lease not positive or used up by drift, lease +
  // buffer above kTtlMax, negative buffer.
  OperationId begin_take(const Resource& key, Duration lease, Duration buffer, RetryPolicy retry);
  // Must follow a begin_take whose outcome was granted. False, and nothing is noted, when there is
  // nothing to hold any more: the lease is over, or the same key was taken again meanwhile.
  bool note_taken(const Resource& key, const Outcome& outcome);
  // Undoes a take that was granted and is not wanted; what else stands under the key stays.
  OperationId begin_give_back(const Resource& key, const Outcome& outcome);

  // Names what stands in the ledger under the key; 0: nothing does.
  [[nodiscard]] StampLedger::Serial entry_of(const Resource& key);
  // From now on the lock is not held any more, whatever comes of the release; until it is noted,
  // another may be begun. Nothing when the ledger does not know the key: there is nothing to
  // release.
  std::optional<OperationId> begin_release(const Resource& key, Duration margin);
  // `released` is what entry_of() named before the release: meanwhile the key may have been taken
  // again.
  void note_released(const Resource& key, StampLedger::Serial released);
  // Nothing when the lock is not in the ledger or given up: it is not held.
  std::optional<OperationId> begin_check(const Resource& key);

  // What was begun, as it is by now, and the ledger kept. The lock that was taken is noted; where
  // it cannot be, or nobody waits for it, it is `outlasted` and given back.
  Outcome take_lock(OperationId id, const Resource& key, Caller caller);
  // `checked` and `released` are what entry_of() named before. A check of what was given up or
  // replaced while it was waited for is denied, whatever the server said.
  Outcome take_check(OperationId id, const Resource& key, StampLedger::Serial checked);
  // While the server cannot be asked, a later release may still succeed.
  Outcome take_release(OperationId id, const Resource& key, StampLedger::Serial released);
  // What is left of the lease by the local clock; not positive when it is over, given up or not
  // held.
  [[nodiscard]] Duration remaining(const Resource& key);

  [[nodiscard]] std::vector<ServerTrouble> troubles(const Outcome& outcome) const;
  [[nodiscard]] Pool& pool() { return pool_; }

 private:
  [[nodiscard]] StampRules rules() const { return {options_.unit, options_.drift_factor}; }
  OperationId ask(const Command& command, LossDetail detail);
  void give_back(const Resource& key, const Outcome& outcome);
  StampLedger::Entry* held(const Resource& key);
  [[nodiscard]] StampProof proof_for(const StampLedger::Entry& entry);

  Pool& pool_;
  StampLedger& ledger_;
  StampOptions options_;
  std::string server_;
  AnswerTimes answer_times_;
  NodeList nodes_;
};

}  // namespace redlock
