// One call of a RedLock verb: begin, wait, take the outcome, answer.
#pragma once
#include <list>
#include <string>
#include <vector>

#include "border/zend.hpp"
#include "redlock/runtime/lock_manager.hpp"

namespace redlock::php {

using TroubleList = std::list<std::vector<ServerTrouble>>;

// Behind one PHP object. Below the manager stands what the latest call left, parked here while
// Zend makes arrays and exceptions of it.
struct QuorumState {
  QuorumState(LockManager lock_manager, std::size_t servers)
      : manager(std::move(lock_manager)), server_count(servers) {}

  LockManager manager;
  std::size_t server_count;
  Outcome outcome;
  std::vector<ServerTrouble> troubles;
  TroubleList set_aside;  // of calls that still look
  std::string remark;     // about the call as a whole; empty: nothing to say
  std::string message;
};

enum class QuorumVerb { lock, unlock, extend, check };

struct QuorumRequest {
  QuorumVerb verb;
  zval* resource;      // a string or an int
  zend_string* token;  // null for lock
  zend_long ttl_ms;    // of lock and extend
};

// Sets the return value, or throws to PHP.
void call_quorum(zval* return_value, QuorumState& state, const QuorumRequest& request);
// The same for a verb whose handle is the false that lock() gave: asks nobody.
void answer_for_no_lock(zval* return_value, QuorumState& state);

}  // namespace redlock::php
