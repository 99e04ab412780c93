// What stands behind a PidLock object, and waiting for one of its calls.
#pragma once
#include <string>
#include <vector>

#include "border/globals.hpp"
#include "border/zend.hpp"
#include "pid/options.hpp"
#include "redlock/runtime/stamp_lock_manager.hpp"

namespace redlock::php {

struct PidState {
  // What the thread keeps must outlive the object. Throws ArgumentError.
  PidState(ThreadState& thread, const ServerSpec& spec, PidOptions options)
      : manager(thread.runtime.pool(), options.object_owns ? own_ledger : thread.ledger,
                std::make_shared<const StampPlan>(spec, std::move(options.stamp), &thread.book)),
        server(spec.endpoint.display()),
        prefix(std::move(options.prefix)) {}

  StampLedger own_ledger;  // where the object owns what it takes
  StampLockManager manager;
  std::string server;  // as Endpoint::display() prints it
  std::string prefix;
  // What the latest call left, parked while Zend makes exceptions of it.
  Outcome outcome;
  std::vector<ServerTrouble> troubles;
  std::string message;
};

enum class PidVerb { take, release, check };

// Plain, because it lives across calls into Zend.
struct PidCall {
  PidState& state;
  PidVerb verb;
  const zend_string* key;  // outlives the call
  OperationId id = 0;
  StampLedger::Serial entry = 0;  // what a release or a check is about
  Instant began;
  Decision decision = Decision::aborted;

  PidCall(PidState& on, PidVerb what, const zend_string* named);
};

// Waits, takes the outcome and keeps the ledger. False: an exception is pending.
[[nodiscard]] bool complete(PidCall& call);
// Throws what a decision that is neither granted nor denied means to PHP.
void throw_trouble(PidCall& call);

}  // namespace redlock::php
