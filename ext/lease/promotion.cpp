// Changing the mode of a lock that is held, and waiting until nobody else reads.
#include "lease/promotion.hpp"

#include <algorithm>
#include <string>

#include "border/exceptions.hpp"
#include "border/guard.hpp"
#include "border/text.hpp"
#include "border/wait.hpp"
#include "lease/question.hpp"
#include "quorum/resources.hpp"
#include "redlock/algorithm/permit.hpp"
#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/retry.hpp"

namespace redlock::php {

namespace {

constexpr std::string_view kPromote = "RedLock\\Lease::promote()";
constexpr std::string_view kDemote = "RedLock\\Lease::demote()";
constexpr std::string_view kNotAlone =
    "is not the only one of its lock, and others were given what this would change";

class Promotion final : public LockChange {
 public:
  // Requires that it is prepared.
  explicit Promotion(HeldLock& lock) : lock_(lock) {}
  OperationId begin_change() override { return lock_.begin_promotion(); }
  Outcome collect_change(OperationId id) override { return lock_.collect_promotion(id); }

 private:
  HeldLock& lock_;
};

class Demotion final : public LockChange {
 public:
  explicit Demotion(HeldLock& lock) : lock_(lock) {}
  OperationId begin_change() override { return lock_.begin_demotion(); }
  Outcome collect_change(OperationId id) override { return lock_.collect_demotion(id); }

 private:
  HeldLock& lock_;
};

// An exception is pending then.
void throw_about(zend_class_entry* type, std::string_view method, LeaseState& lease,
                 std::string_view what) {
  char message[512];
  const bool described = guarded({}, [&] {
    park(message, std::string(method) + ": the lease on " + in_quotes(lease.shared().resources()) +
                      " " + std::string(what));
  });
  if (described) zend_throw_exception(type, message, 0);
}

// A lease whose mode is not what the method changes: an exception is pending.
bool throw_wrong_mode(std::string_view method, LeaseState& lease, LockMode wanted) {
  const SharedLease& shared = lease.shared();
  std::string_view what;
  if (shared.lock().mode() != wanted) {
    what = wanted == LockMode::shared ? "is exclusive already" : "is shared already";
  } else if (!shared.resources().single()) {
    what = "has several resources, and cannot be shared";
  } else if (slot_number(shared.resources().only())) {
    what = "is a permit, and cannot be shared";
  }
  if (!what.empty()) throw_about(lease_mode_exception_class, method, lease, what);
  return !what.empty();
}

// Another lease of this process reads, and would wait for itself: an exception is pending.
bool throw_deadlock(LeaseState& lease) {
  const SharedLease& shared = lease.shared();
  if (SharedLease::held_here(shared.locks(), shared.resources(), LockMode::exclusive, &shared) ==
      nullptr) {
    return false;
  }
  throw_about(deadlock_exception_class, kPromote, lease,
              "would never be alone: this process reads by another one, which is to be released "
              "first");
  return true;
}

void throw_unreachable_of(const QuorumCall& call, SharedLease& shared) {
  shared.note("unreachable", {}, call.state.troubles);
  throw_unreachable(call);
}

enum class Attempt { done, refused, thrown };

// Sets the return value unless it throws.
Attempt try_to_promote(zval* return_value, const zval* object, LeaseState& lease) {
  SharedLease& shared = lease.shared();
  HeldLock& lock = shared.lock();
  const auto prepare = [&] { lock.prepare_promotion(lock.ttl(), lock.fence().has_value()); };
  if (!guarded({}, prepare)) return Attempt::thrown;
  Promotion change(lock);
  QuorumRequest asked = question(QuorumVerb::promote, kPromote, lease);
  asked.ttl_ms = lock.ttl().count_ms();
  asked.change = &change;
  shared.promoting = true;
  QuorumCall call(shared.locks(), asked);
  const bool told = ask(call);
  shared.promoting = false;
  const bool granted = call.decision == Decision::granted;
  // Also where a handler has thrown behind the verdict.
  if (granted) shared.show_promotion();
  if ((granted && !keep_lease(object, {})) || !told) return Attempt::thrown;
  if (!granted && !is_refusal(call.decision)) {
    throw_unreachable_of(call, shared);
    return Attempt::thrown;
  }
  if (granted) shared.note("promoted", {}, call.state.troubles);
  if (!granted && is_lost_promotion(call.state.outcome)) {
    (void)shared.live();
    if (!note_denied_remark(call)) return Attempt::thrown;
  }
  // A signal handler may have given it back while the servers were asked.
  RETVAL_BOOL(granted && lease.live());
  lease.note_errors(call.state);
  return granted || !lease.live() ? Attempt::done : Attempt::refused;
}

}  // namespace

void promote(zval* return_value, const zval* object, LeaseState& lease, Duration wait) {
  SharedLease& shared = lease.shared();
  if (throw_wrong_mode(kPromote, lease, LockMode::shared)) return;
  if (is_over(lease)) RETURN_FALSE;
  if (shared.lock().is_shared()) {
    return throw_about(lease_mode_exception_class, kPromote, lease, kNotAlone);
  }
  if (wait == Duration::max() && !waits_are_cancelled() && throw_deadlock(lease)) return;
  Pool& pool = shared.locks().manager.pool();
  const Instant began = pool.clock().now();
  const Instant until = wait == Duration::max() ? Instant::never() : began + wait;
  const RetryPolicy pauses = RetryPolicy::jittered(1, shared.locks().retry_delay_ms);
  for (;;) {
    // In a signal handler, while it is under way.
    if (shared.promoting) RETURN_FALSE;
    const bool last = waits_are_cancelled() || pool.clock().now() >= until;
    const Attempt attempt = try_to_promote(return_value, object, lease);
    if (attempt != Attempt::refused || last) return;
    const Instant again = std::min(pool.clock().now() + pauses.draw_pause(pool.entropy()), until);
    const Waited waited = wait_until(pool, again, began);
    if (waited == Waited::bailed) zend_bailout();
    if (waited == Waited::thrown) return;
    const bool exclusive = shared.lock().mode() == LockMode::exclusive;
    // A handler did it, or ended it; or its time is over.
    if (exclusive || !lease.live() || shared.lock().is_shared()) {
      RETURN_BOOL(exclusive && lease.live());
    }
  }
}

void demote(zval* return_value, LeaseState& lease) {
  SharedLease& shared = lease.shared();
  if (throw_wrong_mode(kDemote, lease, LockMode::exclusive)) return;
  if (is_over(lease)) RETURN_FALSE;
  if (shared.users.size() > 1 || shared.lock().is_shared()) {
    return throw_about(lease_mode_exception_class, kDemote, lease, kNotAlone);
  }
  Demotion change(shared.lock());
  QuorumRequest asked = question(QuorumVerb::demote, kDemote, lease);
  asked.change = &change;
  QuorumCall call(shared.locks(), asked);
  if (!ask_and_remark(call)) return;
  const bool granted = call.decision == Decision::granted;
  if (!granted && !is_refusal(call.decision)) return throw_unreachable_of(call, shared);
  if (granted) {
    shared.note("demoted", {}, call.state.troubles);
  } else {
    shared.note_denial(call.state.outcome);
  }
  RETVAL_BOOL(granted && lease.live());
  lease.note_errors(call.state);
}

}  // namespace redlock::php
