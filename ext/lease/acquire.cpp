// Every lease is an object before it is a lock: a fatal error between the grant and the return
// frees the object, and so gives the lock back.
#include "lease/acquire.hpp"

#include <algorithm>
#include <atomic>

#include "border/convert_option.hpp"
#include "border/exceptions.hpp"
#include "border/text.hpp"
#include "lease/interrupt.hpp"
#include "lease/object.hpp"
#include "lease/stats.hpp"
#include "quorum/handle.hpp"

namespace redlock::php {

namespace {

// Below this somebody may have meant seconds.
constexpr zend_long kShortTtlMs = 100;

constexpr ArgumentPlace kAttachPlaces[] = {{"resource", 1, "must be a usable handle"},
                                           {"resources", 1, "must be a usable handle"},
                                           {"token", 1, "must be a usable handle"},
                                           {"ttl", 2, "must be valid"},
                                           {"options", 2}};

// What keeps a lease alive could not extend it otherwise.
void check_renewal(const Locks& locks, const LeaseTerms& terms) {
  if (!terms.keep_alive || terms.ttl <= locks.renew_max) return;
  throw ArgumentError("ttl must be at most keepAliveMax, " +
                      std::to_string(locks.renew_max.count_ms()) + " ms, to be kept alive");
}

// A lease that has a part in a lock we hold asks no server, which would refuse the same; and what
// is kept alive is the ttl that the lock was taken with.
void check_part(const Locks& locks, const HeldLock& lock, const LeaseTerms& terms) {
  check_ttl(terms.ttl, locks.plan->options);
  if (terms.fence && !lock.fence()) {
    throw ArgumentError(option_label("fence") + " needs a lock that was acquired with it");
  }
  if (!terms.keep_alive || lock.ttl() <= locks.renew_max) return;
  throw ArgumentError(option_label("keepAlive") +
                      " needs a lock with a ttl of at most keepAliveMax, " +
                      std::to_string(locks.renew_max.count_ms()) + " ms");
}

// Nothing where it is over.
Duration validity_from(double ms) {
  return Duration::ns(static_cast<std::int64_t>(std::max(ms, 0.0) * 1e6));
}

LeaseTerms terms_of(const Locks& locks, const AcquireRequest& request) {
  LeaseTerms terms;
  terms.ttl = Duration::ms(request.ttl_ms);
  terms.mode = request.mode;
  terms.keep_alive = request.keep_alive;
  take_acquire_options(terms, request.options);
  if (!request.waits_for_ever && request.wait_ms < 0) {
    throw ArgumentError("wait must be greater than or equal to 0");
  }
  if (terms.reentrant && Z_TYPE_P(request.resource) == IS_ARRAY) {
    throw ArgumentError(option_label("reentrant") + " is for one resource only");
  }
  if (request.permits > 0 && (terms.reentrant || terms.fence)) {
    throw ArgumentError(option_label(terms.fence ? "fence" : "reentrant") +
                        " is for locks without permits only");
  }
  check_renewal(locks, terms);
  return terms;
}

// Who means seconds, as elsewhere, gets a lock that is over before the work is. Once in a process,
// in PHP's log, where no error handler makes an exception of it; behind @ nothing is said.
void warn_of_short_ttl(const AcquireRequest& request) {
  static std::atomic_flag told;
  const bool heard = (EG(error_reporting) & E_CORE_WARNING) != 0;
  if (request.ttl_ms >= kShortTtlMs || !heard || told.test_and_set()) return;
  zend_error(E_CORE_WARNING,
             "%.*s: a ttl of " ZEND_LONG_FMT " means milliseconds, not seconds, in %s:%u",
             static_cast<int>(request.method.size()), request.method.data(), request.ttl_ms,
             zend_get_executed_filename(), zend_get_executed_lineno());
}

void forget(zval* into) {
  zval_ptr_dtor(into);
  ZVAL_NULL(into);
}

// The lock that this lease stands for, where we hold it already.
std::shared_ptr<SharedLease> held_already(const Locks& locks, const Resources& resources,
                                          const LeaseTerms& terms) {
  return terms.reentrant ? SharedLease::reentrant(locks, resources, terms.owner, terms.mode)
                         : nullptr;
}

// What would wait for this process, which waits: an exception is pending.
bool throw_deadlock(SharedLease& held, const AcquireRequest& request) {
  char message[512];
  const bool described = guarded({}, [&] {
    park(message, std::string(request.method) + ": the wait for " + in_quotes(held.resources()) +
                      " would never end: this process has held that lock itself for " +
                      std::to_string(held.held_for().count_ms()) +
                      " ms; release it first, or acquire both with the option reentrant");
  });
  if (described) zend_throw_exception(deadlock_exception_class, message, 0);
  return false;
}

// A permit goes by the name of its slot.
void name_by_slot(const zval* lease) {
  const Resources& slot = LeaseObject::state_of(Z_OBJ_P(lease))->shared().resources();
  zval name;
  ZVAL_STRINGL(&name, slot.only().view().data(), slot.only().view().size());
  name_lease(lease, &name);
  zval_ptr_dtor(&name);
}

void count_refusal(const QuorumCall& call, const AcquireRequest& request) {
  const bool too_late =
      call.decision == Decision::expired_in_flight || call.decision == Decision::expired_unclaimed;
  if (too_late) return count(Counted::undone);
  if (call.decision == Decision::unreachable) return count(Counted::unreachable);
  const bool waited = request.waits_for_ever || request.wait_ms > 0;
  if (is_refusal(call.decision)) count(waited ? Counted::timed_out : Counted::denied);
}

void note_refusal(SharedLease& lease, const QuorumCall& call, Duration waited) {
  const bool refused = is_refusal(call.decision);
  lease.note(refused ? "waited" : "unreachable", waited, call.state.troubles, call.state.remark);
}

// Tells the manager's handler of outages that are waited out.
class OutageTeller final : public WaitListener {
 public:
  OutageTeller(SharedLease& lease, Instant began) : lease_(lease), began_(began) {}
  void note_outage(const Outcome& outage) noexcept override {
    try {
      LockManager& manager = lease_.locks().manager;
      const Duration waited = manager.pool().clock().now() - began_;
      lease_.note("unreachable", waited, manager.troubles(outage), "still waiting");
    } catch (...) {
      // Without memory for it, nobody is told.
    }
  }

 private:
  SharedLease& lease_;
  Instant began_;
};

// Asks for the lock that the lease `into` is to stand for.
Acquired ask_for(const zval* into, Locks& locks, const AcquireRequest& request,
                 const LeaseTerms& terms) {
  const Duration wait = request.waits_for_ever ? Duration::max() : Duration::ms(request.wait_ms);
  const WaitTerms wait_terms{wait, locks.retry_delay_ms, locks.in_line};
  // Signal handlers may change what the options refer to.
  SharedLease& lease = LeaseObject::state_of(Z_OBJ_P(into))->shared();
  OutageTeller teller(lease, locks.manager.pool().clock().now());
  QuorumRequest asked{
      QuorumVerb::lock, request.method, request.places, request.resource, request.ttl_ms, {},
      &wait_terms,      lease.owner(),  terms.fence,    terms.mode,       request.permits};
  if (wait > Duration()) asked.listener = &teller;
  QuorumCall call(locks, asked);
  if (!ask(call)) {
    if (call.id != 0) count(Counted::undone);
    return Acquired::thrown;
  }
  const Duration waited = locks.manager.pool().clock().now() - call.began;
  if (call.decision != Decision::granted) {
    count_refusal(call, request);
    note_refusal(lease, call, waited);
    if (is_refusal(call.decision)) return Acquired::refused;
    throw_unreachable(call);
    return Acquired::thrown;
  }
  const bool taken = guarded({}, [&] {
    lease.lock().begin(std::move(locks.outcome.token),
                       locks.outcome.decided_at + locks.outcome.validity, locks.outcome.fence,
                       std::move(locks.outcome.slot));
    if (terms.reentrant) lease.make_reentrant();
    count(Counted::acquired);
    if (locks.outcome.handed_over) count(Counted::handed_over);
    count_wait(waited);
    lease.note("acquired", waited, locks.troubles);
  });
  return taken ? Acquired::granted : Acquired::thrown;
}

// Of a handle whose parts are sound.
void attach(zval* into, const std::shared_ptr<Locks>& locks, HashTable* array, const Handle& handle,
            HashTable* options) {
  double validity_ms = 0;
  std::optional<std::int64_t> fence;
  bool shared = false;
  if (!parse_validity(array, validity_ms) || !parse_fence(array, fence)) return;
  if (!parse_shared(array, shared)) return;
  make_lease(into);
  LeaseState*& lease = LeaseObject::state_of(Z_OBJ_P(into));
  LeaseTerms terms;
  const bool attached = guarded(kAttachPlaces, [&] {
    terms.ttl = Duration::ms(30'000);
    terms.mode = shared ? LockMode::shared : LockMode::exclusive;
    take_attach_options(terms, options);
    if (terms.fence && !fence) {
      throw ArgumentError(option_label("fence") + " needs a handle with a fence");
    }
    const Resources resources = resources_from(handle.resource);
    Token token(std::string(ZSTR_VAL(handle.token), ZSTR_LEN(handle.token)));
    check_resources(resources);
    check_token(token);
    check_ttl(terms.ttl, locks->plan->options);
    check_renewal(*locks, terms);
    lease = new LeaseState(std::make_shared<SharedLease>(locks, resources, terms), Z_OBJ_P(into));
    const Instant now = locks->manager.pool().clock().now();
    lease->shared().lock().attach(std::move(token), now + validity_from(validity_ms), fence);
    // It may be another's by now, such as of the one who has the handle of a detach() before.
    if (validity_ms <= 0) lease->shared().note_transferred();
  });
  keep_manager(into, *locks);
  if (attached) name_lease(into, handle.resource);
  if (attached && terms.interrupt) warn_of_jit();
  if (!attached || !keep_lease(into, terms)) forget(into);
}

}  // namespace

Acquired acquire(zval* into, const std::shared_ptr<Locks>& locks, const AcquireRequest& request) {
  make_lease(into);
  LeaseState*& lease = LeaseObject::state_of(Z_OBJ_P(into));
  LeaseTerms terms;
  bool held = false;
  SharedLease* deadlock = nullptr;
  const bool asked_well = guarded(request.places, [&] {
    terms = terms_of(*locks, request);
    const Resources resources = resources_from(request.resource);
    std::shared_ptr<SharedLease> shared = held_already(*locks, resources, terms);
    held = shared != nullptr;
    if (held) check_part(*locks, shared->lock(), terms);
    if (!held && request.waits_for_ever && !waits_are_cancelled())
      deadlock = SharedLease::held_here(*locks, resources, terms.mode);
    if (!held) shared = std::make_shared<SharedLease>(locks, resources, terms);
    lease = new LeaseState(std::move(shared), Z_OBJ_P(into));
  });
  keep_manager(into, *locks);
  const bool may_ask = asked_well && (deadlock == nullptr || throw_deadlock(*deadlock, request));
  Acquired acquired = may_ask ? Acquired::granted : Acquired::thrown;
  if (may_ask && !held) acquired = ask_for(into, *locks, request, terms);
  if (acquired != Acquired::thrown) {
    warn_of_short_ttl(request);
    if (terms.interrupt) warn_of_jit();
  }
  if (acquired == Acquired::granted) {
    request.permits > 0 ? name_by_slot(into) : name_lease(into, request.resource);
    if (!keep_lease(into, terms)) acquired = Acquired::thrown;
  }
  if (acquired != Acquired::granted) forget(into);
  return acquired;
}

void attach(zval* into, const std::shared_ptr<Locks>& locks, HashTable* array, HashTable* options) {
  Handle handle;
  if (!parse_handle(array, handle, true)) return;
  if (Z_TYPE_P(handle.resource) != IS_ARRAY) return attach(into, locks, array, handle, options);
  zval resources;
  if (!copy_resources(&resources, Z_ARRVAL_P(handle.resource), 1)) return;
  handle.resource = &resources;
  attach(into, locks, array, handle, options);
  zval_ptr_dtor(&resources);
}

void throw_not_acquired(const Locks& locks, const AcquireRequest& request) {
  char message[256];
  const bool described = guarded({}, [&] {
    const std::string name = Z_TYPE_P(request.resource) == IS_LONG
                                 ? std::to_string(Z_LVAL_P(request.resource))
                                 : in_quotes(resources_from(request.resource));
    std::string text = std::string(request.method) + ": ";
    text += locks.remark.empty() ? "another client has the lock on " + name
                                 : "the lock on " + name + " is not acquired";
    if (!request.waits_for_ever) {
      text += ", after " + std::to_string(request.wait_ms) + " ms of waiting";
    }
    if (!locks.remark.empty()) text += ": " + locks.remark;
    park(message, text);
  });
  if (described) zend_throw_exception(not_acquired_exception_class, message, 0);
}

}  // namespace redlock::php
