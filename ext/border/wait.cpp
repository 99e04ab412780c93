// The waiting loop.
#include "border/wait.hpp"

#include <algorithm>

#include "border/globals.hpp"
#include "border/guard.hpp"
#include "redlock/net/outage_watch.hpp"

namespace redlock::php {

namespace {

// What the VM does at the same sign (ZEND_VM_INTERRUPT).
void serve_interrupt() {
  zend_atomic_bool_store_ex(&EG(vm_interrupt), false);
  if (zend_atomic_bool_load_ex(&EG(timed_out))) zend_timeout();
  if (zend_interrupt_function != nullptr) zend_interrupt_function(EG(current_execute_data));
}

// A bail-out is held up here so that the caller can undo what it began.
Waited run(void (*act)()) {
  volatile bool bailed = false;
  zend_try { act(); }
  zend_catch { bailed = true; }
  zend_end_try();
  if (bailed) return Waited::bailed;
  return EG(exception) == nullptr ? Waited::done : Waited::thrown;
}

void end_by_time_limit() { zend_timeout(); }

// PHP counts CPU time on most systems, of which waiting takes none.
bool over_time_limit(Duration waited) {
  const zend_long limit = EG(timeout_seconds);
  return limit > 0 && waited >= Duration::seconds(limit);
}

// Some builds of PHP go on for a while beyond the memory limit, until the VM is interrupted. Only
// the VM itself can see to that, so whoever waits returns to it.
bool out_of_memory() {
#ifdef ZEND_HAS_OOM
  return ZEND_HAS_OOM();
#else
  return false;
#endif
}

// Nothing to see to, or all of it seen to: done.
Waited let_php_live(Duration waited) {
  if (out_of_memory()) return Waited::thrown;
  if (zend_atomic_bool_load_ex(&EG(vm_interrupt))) return run(serve_interrupt);
  if (over_time_limit(waited)) return run(end_by_time_limit);
  return Waited::done;
}

}  // namespace

Waited serve_pending() { return let_php_live(Duration()); }

void cancel_waits(bool cancel) { REDLOCK_G(waits_cancelled) = cancel; }

bool waits_are_cancelled() { return REDLOCK_G(waits_cancelled); }

Waited wait_for(Pool& pool, OperationId id, WaitManner manner) {
  const bool cancellable = manner.cancellable && !waits_are_cancelled();
  const Instant began = pool.clock().now();
  OutageWatch outages;
  while (!pool.done(id)) {
    const Instant now = pool.clock().now();
    const Duration waited = now - began;
    const Waited lived = let_php_live(waited);
    if (lived != Waited::done) return lived;
    if (pool.done(id)) break;
    if (cancellable && waits_are_cancelled()) return Waited::cancelled;
    const Instant look_again = now + std::clamp(waited, kWaitSliceMin, kWaitSliceMax);
    const bool stepped = guarded({}, [&] {
      (void)pool.step(look_again);
      if (manner.listener == nullptr) return;
      if (const auto outage = outages.look(pool, id)) manner.listener->note_outage(*outage);
    });
    if (!stepped) return Waited::thrown;
  }
  return Waited::done;
}

Waited wait_until(Pool& pool, Instant until, Instant began) {
  const Instant paused_at = pool.clock().now();
  const bool cancellable = !waits_are_cancelled();
  for (Instant now = paused_at; now < until; now = pool.clock().now()) {
    const Waited lived = let_php_live(now - began);
    if (lived != Waited::done) return lived;
    if (cancellable && waits_are_cancelled()) return Waited::cancelled;
    const Instant look_again = now + std::clamp(now - paused_at, kWaitSliceMin, kWaitSliceMax);
    if (!guarded({}, [&] { (void)pool.step(std::min(look_again, until)); })) return Waited::thrown;
  }
  return Waited::done;
}

}  // namespace redlock::php
