// Which servers, and how locks are taken there: all that a manager is but its connections.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redlock/algorithm/fence.hpp"
#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/retry.hpp"
#include "redlock/algorithm/validity.hpp"
#include "redlock/config/endpoint.hpp"
#include "redlock/locks/server_plan.hpp"
#include "redlock/os/clock.hpp"
#include "redlock/queue/permit_search.hpp"

namespace redlock {

struct LockOptions {
  RetryPolicy retry = RetryPolicy::jittered(3, 200);
  double drift_factor = kDriftFactorDefault;  // 0 <= factor < 1
  Duration timeout = kTimeoutDefault;
  std::optional<Duration> connect_timeout = {};  // none: usual_connect_time()
  std::string client_name;                       // for CLIENT SETNAME; empty: none
  Duration fence_ttl = kFenceTtlDefault;         // how long a server remembers the last fence
  Guard guard = {};                              // what servers must meet to have a vote
  Duration longest_ttl = kLongestTtlDefault;     // of all clients' locks, for the guard
  std::int64_t replicas = 0;                     // so many of a server's must have its vote
};

// What a lock is to come with.
struct LockExtras {
  // Stands in the token, so that others can tell who holds the lock: owner_of() reads it. It proves
  // nothing. Empty: none.
  std::string owner = {};
  bool fence = false;
  // A shared lock is one on one resource.
  LockMode mode = LockMode::exclusive;
  // Not 0: one of so many permits, of one resource and without a fence. The lock that is won is
  // that of a slot, which the outcome names.
  std::size_t permits = 0;
};

// Throw ArgumentError: attempts with a pause or a wait out of its range; what check_ttl() refuses,
// and one that outlives what a guard allows for; several resources for a shared lock.
void check_retry(const RetryPolicy& retry);
void check_ttl(Duration ttl, const LockOptions& options);
void check_mode(LockMode mode, const Resources& resources);

// Immutable, so that a thread may bind what another one made to a pool of its own.
struct LockPlan {
  // Throws ArgumentError: no servers, more than kNodesMax, the same server twice, an option out of
  // its range.
  LockPlan(const std::vector<ServerSpec>& server_list, LockOptions lock_options,
           ServerBook* book = nullptr);

  // What is asked about a lock, checked: of one that is looked at, of one that is held, and of one
  // that is to be acquired or extended. They throw ArgumentError.
  [[nodiscard]] QuorumKind kind_of_one(const Resources& resources) const;
  [[nodiscard]] QuorumKind kind_of(const Resources& resources, const Token& token) const;
  [[nodiscard]] std::shared_ptr<const QuorumKind> kind_for(
      const Resources& resources, Duration ttl, const LockExtras& extras = {},
      std::optional<FenceProposals> fences = {}) const;
  // Of one of several permits.
  [[nodiscard]] PermitKind permit_for(const Resources& resources, Duration ttl,
                                      const LockExtras& extras) const;
  // Nothing where none is wanted.
  [[nodiscard]] std::optional<FenceProposals> fences_for(const LockExtras& extras, Duration ttl,
                                                         Clock& clock) const;

  const LockOptions options;
  const ServerPlan servers;
};

}  // namespace redlock
