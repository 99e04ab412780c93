// One call of a RedLock verb: ask, and answer as RedLock does.
#pragma once
#include <list>
#include <vector>

#include "border/zend.hpp"
#include "quorum/call.hpp"

namespace redlock::php {

// Behind one RedLock object.
struct RedLockState : QuorumState {
  using QuorumState::QuorumState;
  // Of calls that still look at what refused them.
  std::list<std::vector<ServerTrouble>> set_aside;
};

struct RedLockRequest {
  QuorumVerb verb;
  const zval* resource;      // a string or an int
  const zend_string* token;  // null for lock
  zend_long ttl_ms;          // of lock and extend
};

// Sets the return value, or throws to PHP.
void call_redlock(zval* return_value, RedLockState& state, const RedLockRequest& request);
// The same for a verb whose handle is the false that lock() gave: asks nobody.
void answer_for_no_lock(zval* return_value, RedLockState& state);

}  // namespace redlock::php
