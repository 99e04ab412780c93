// One question to the servers of a quorum lock: begin, wait, collect the outcome.
//
// What comes of it is left in the state behind the PHP object; what it means to PHP is the affair
// of the class that asked.
#pragma once
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "border/globals.hpp"
#include "border/guard.hpp"
#include "border/wait.hpp"
#include "border/zend.hpp"
#include "redlock/lease/release_outbox.hpp"
#include "redlock/locks/lock_manager.hpp"

namespace redlock::php {

// Behind one PHP object. Below the manager stands what the latest call left, parked here while
// Zend makes arrays and exceptions of it.
struct QuorumState {
  // What the thread keeps must outlive the object.
  QuorumState(ThreadState& thread, std::shared_ptr<const LockPlan> plan, std::size_t servers)
      : manager(thread.runtime.pool(), std::move(plan)),
        server_count(servers),
        owed(manager, thread.releases) {}

  LockManager manager;
  std::size_t server_count;
  ReleaseOutbox owed;  // by leases; every call pays them first
  // What the calls under way are about: between a grant and its taking nothing may want memory.
  std::list<Resources> asked;
  Outcome outcome;
  std::vector<ServerTrouble> troubles;
  std::vector<ServerTrouble> line_troubles;  // why it was not waited in line
  std::string remark;                        // about the call as a whole; empty: nothing to say
  std::string message;
};

// For how long a lock is waited for, and how.
struct WaitTerms {
  Duration wait;  // none: one attempt; Duration::max(): for ever
  std::int64_t retry_delay_ms = 0;
  bool in_line = true;  // else, and where servers do not let us, by attempts with pauses
};

enum class QuorumVerb { lock, unlock, extend, shorten, promote, demote, check, inspect };

// What a call makes of a lock that is held: it gets another token, or another mode.
class LockChange {
 public:
  // Throw what HeldLock's throw.
  virtual OperationId begin_change() = 0;
  virtual Outcome collect_change(OperationId id) = 0;

 protected:
  ~LockChange() = default;
};

// Borrows all that it names, until the call is over; the token until it has begun.
struct QuorumRequest {
  QuorumVerb verb;
  std::string_view method;  // for messages, like "RedLock::lock()"; lives for ever
  std::span<const ArgumentPlace> places;
  const zval* resource;                  // a string or an int
  zend_long ttl_ms = 0;                  // of lock, extend and shorten
  std::string_view token = {};           // empty for lock and inspect
  const WaitTerms* terms = nullptr;      // of a lock whose attempts are not the plan's
  std::string_view owner = {};           // of such a lock; empty: it names none
  bool fence = false;                    // such a lock is to come with one
  LockMode mode = LockMode::exclusive;   // of such a lock
  std::size_t permits = 0;               // of such a lock: it is one of so many; 0: the only one
  LockChange* change = nullptr;          // of shorten, promote and demote
  LossDetail detail = LossDetail::none;  // of unlock
  WaitListener* listener = nullptr;
};

// Plain, because it lives across calls into Zend.
struct QuorumCall {
  QuorumState& state;
  const QuorumRequest& request;
  OperationId id = 0;
  std::list<Resources>::iterator asked = {};  // in the state, while it is under way
  Instant began;
  Decision decision = Decision::aborted;
  bool cancelled = false;  // it waited no longer, or asked only once instead

  QuorumCall(QuorumState& on, const QuorumRequest& asked);
};

// Decision and outcome are left in the call and the state. False: an exception is pending.
[[nodiscard]] bool ask(QuorumCall& call);
// Throws to PHP that no majority could be asked.
void throw_unreachable(const QuorumCall& call);
// What lastErrors() gives.
void put_errors(zval* into, const QuorumState& state);

}  // namespace redlock::php
