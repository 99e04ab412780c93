// Waiting for a lock operation while PHP goes on living.
//
// Where PHP runs beyond the memory limit until its VM is interrupted (ZEND_HAS_OOM), the wait
// returns to the VM: an interrupt served here would swallow that error.
#pragma once
#include "redlock/locks/lock_manager.hpp"

namespace redlock::php {

// A signal ends the sleep of whoever waits. One that came a moment before, and what other threads
// want of PHP, is seen when this is over: as long again as was waited so far, between these two, so
// that those who stand in one line do not keep their machine busy with looking.
inline constexpr Duration kWaitSliceMin = Duration::ms(25);
inline constexpr Duration kWaitSliceMax = Duration::ms(250);

enum class Waited {
  done,       // the operation is decided
  cancelled,  // it is not, and is waited for no more
  thrown,     // a PHP exception is pending, or the VM is to end the request: the caller returns
  bailed,     // PHP is ending the request: the caller calls zend_bailout()
};

// Who wants to know how a wait goes on.
class WaitListener {
 public:
  // No majority can be asked, and has not been for a while; once each time that this lasts.
  virtual void note_outage(const Outcome& outage) noexcept = 0;

 protected:
  ~WaitListener() = default;
};

// For the request of this thread: a wait that is under way ends, and none is begun, until waits are
// allowed again. What asks once is no wait.
void cancel_waits(bool cancel);
[[nodiscard]] bool waits_are_cancelled();

// How it is waited.
struct WaitManner {
  WaitListener* listener = nullptr;
  bool cancellable = false;  // by cancel_waits(), from now on
};

// Steps the pool until the operation is done. In between, signal handlers run as in the VM, and
// max_execution_time ends the request: by the CPU time that PHP itself counts, and by a single
// call's waiting for longer than it.
// Whatever the result, the operation is still to be collected, and may be decided: a handler that
// used locks stepped the same pool.
[[nodiscard]] Waited wait_for(Pool& pool, OperationId id, WaitManner manner = {});
// The same until that moment, as a part of a wait that began then; also over once waits are
// cancelled.
[[nodiscard]] Waited wait_until(Pool& pool, Instant until, Instant began);
// Is the caller to go on with what came of it?
[[nodiscard]] inline bool goes_on(Waited waited) {
  return waited == Waited::done || waited == Waited::cancelled;
}

// Runs what is pending of the VM's interrupt now: before a lock is handed out, since PHP loses what
// is returned where that throws.
[[nodiscard]] Waited serve_pending();

// Whoever threw or ends is not there any more to be given a lock.
[[nodiscard]] inline Caller caller_after(Waited waited) {
  return goes_on(waited) ? Caller::waits : Caller::left;
}

}  // namespace redlock::php
