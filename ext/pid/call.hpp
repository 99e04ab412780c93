// What stands behind a PidLock object, and waiting for one of its calls.
#pragma once
#include <list>
#include <span>
#include <string>
#include <vector>

#include "border/globals.hpp"
#include "border/guard.hpp"
#include "border/zend.hpp"
#include "pid/options.hpp"
#include "redlock/locks/stamp_lock_manager.hpp"

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
  // What the calls under way are about: between a grant and its taking nothing may want memory.
  std::list<Resources> asked;
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
  std::list<Resources>::iterator asked = {};  // in the state, while it is under way
  StampLedger::Serial entry = 0;              // what a release or a check is about
  Instant began;
  Decision decision = Decision::aborted;
  bool waits = false;  // by pauses between attempts

  PidCall(PidState& on, PidVerb what, const zend_string* named);
};

// The key as the servers know it. Throws std::bad_alloc.
[[nodiscard]] Resources keys_of(const zend_string* key);

// Begins what `start(keys)` gives the number of; 0: nothing is to be asked. False: an exception is
// pending.
template <class Start>
[[nodiscard]] bool begin(PidCall& call, std::span<const ArgumentPlace> places, Start start) {
  return guarded(places, [&] {
    std::list<Resources> ours(1, keys_of(call.key));
    call.id = start(ours.front());
    if (call.id == 0) return;
    call.asked = ours.begin();
    call.state.asked.splice(call.state.asked.end(), ours);
  });
}

// Waits, takes the outcome and keeps the ledger. False: an exception is pending.
[[nodiscard]] bool complete(PidCall& call);
// Throws what a decision that is neither granted nor denied means to PHP.
void throw_trouble(PidCall& call);

}  // namespace redlock::php
