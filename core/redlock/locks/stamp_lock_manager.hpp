// The timestamp lock on one server, as PHP and C++ users call it.
//
// What was taken is written down in a ledger that may be shared by many managers, so that
// whoever shares the ledger can release. Not thread-safe; pool and ledger must outlive the
// manager.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "redlock/algorithm/quorum_query.hpp"
#include "redlock/algorithm/stamp_kind.hpp"
#include "redlock/locks/lock_manager.hpp"
#include "redlock/locks/stamp_ledger.hpp"

namespace redlock {

struct StampOptions {
  StampUnit unit = StampUnit::milliseconds;
  // Accept a stamp without a fraction as ours while our own lease runs: old clients
  // overwrite stamps when they lose. For the time of a rolling upgrade.
  bool mixed_fleet = false;
  double drift_factor = kDriftFactorDefault;  // 0 <= factor < 1
  Duration timeout = kTimeoutDefault;
  std::optional<Duration> connect_timeout = {};  // none: usual_connect_time()
  std::string client_name;
};

// All that a manager is but its connections and its ledger. Immutable.
struct StampPlan {
  // Throws ArgumentError.
  StampPlan(const ServerSpec& spec, StampOptions stamp_options, ServerBook* book = nullptr);

  const StampOptions options;
  const ServerPlan server;
  const std::string server_name;  // under which the ledger knows it
};

class StampLockManager {
 public:
  StampLockManager(Pool& pool, StampLedger& ledger, std::shared_ptr<const StampPlan> plan);
  // For a plan that nobody else needs. Throws what making it throws.
  StampLockManager(Pool& pool, StampLedger& ledger, const ServerSpec& server, StampOptions options)
      : StampLockManager(pool, ledger,
                         std::make_shared<const StampPlan>(server, std::move(options))) {}

  // Throws ArgumentError: key past its bound, lease not positive or used up by drift, lease +
  // buffer above kTtlMax, negative buffer.
  [[nodiscard]] OperationId begin_lock(const Resources& keys, Duration lease, Duration buffer,
                                       RetryPolicy retry);
  // Must follow a begin_lock whose outcome was granted. False, and nothing is noted, when there is
  // nothing to hold any more: the lease is over, or the same key was taken again meanwhile.
  bool note_taken(const Resources& keys, const Outcome& outcome);
  // Undoes a take that was granted and is not wanted; what else stands under the key stays.
  [[nodiscard]] OperationId begin_give_back(const Resources& keys, const Outcome& outcome);

  // Names what stands in the ledger under the key; 0: nothing does.
  [[nodiscard]] StampLedger::Serial entry_of(const Resources& keys);
  // From now on the lock is not held any more, whatever comes of the release; until it is noted,
  // another may be begun. Nothing when the ledger does not know the key: there is nothing to
  // release.
  [[nodiscard]] std::optional<OperationId> begin_release(const Resources& keys, Duration margin);
  // `released` is what entry_of() named before the release: meanwhile the key may have been taken
  // again.
  void note_released(const Resources& keys, StampLedger::Serial released);
  // Nothing when the lock is not in the ledger or given up: it is not held.
  [[nodiscard]] std::optional<OperationId> begin_check(const Resources& keys);

  // What was begun, as it is by now, and the ledger kept. The lock that was taken is noted; where
  // it cannot be, or nobody waits for it, it is `expired_unclaimed` and given back.
  Outcome collect_lock(OperationId id, const Resources& keys, Caller caller);
  // `checked` and `released` are what entry_of() named before. A check of what was given up or
  // replaced while it was waited for is denied, whatever the server said.
  Outcome collect_check(OperationId id, const Resources& keys, StampLedger::Serial checked);
  // While the server cannot be asked, a later release may still succeed.
  Outcome collect_release(OperationId id, const Resources& keys, StampLedger::Serial released);
  // What is left of the lease by the local clock; not positive when it is over, given up or not
  // held.
  [[nodiscard]] Duration remaining(const Resources& keys);

  [[nodiscard]] std::vector<ServerTrouble> troubles(const Outcome& outcome) const {
    return plan_->server.troubles(outcome, nodes_);
  }
  [[nodiscard]] Pool& pool() { return pool_; }

 private:
  [[nodiscard]] StampRules rules() const {
    return {plan_->options.unit, plan_->options.drift_factor};
  }
  [[nodiscard]] OperationId ask(const StampKind& kind, Command command, LossDetail detail);
  void give_back(const Resources& keys, const Outcome& outcome);
  StampLedger::Entry* held(const Resources& keys);
  [[nodiscard]] StampProof proof_for(const StampLedger::Entry& entry);

  Pool& pool_;
  StampLedger& ledger_;
  std::shared_ptr<const StampPlan> plan_;
  NodeList nodes_;
};

}  // namespace redlock
