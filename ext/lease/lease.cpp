// Lease: a lock for as long as an object lives, each method parse, call, translate.
#include "lease/lease.hpp"

#include "border/exceptions.hpp"
#include "border/guard.hpp"
#include "border/milliseconds.hpp"
#include "border/text.hpp"
#include "lease/interfaces.hpp"
#include "lease/object.hpp"
#include "lease/promotion.hpp"
#include "lease/question.hpp"
#include "lease/stats.hpp"
#include "quorum/call.hpp"
#include "quorum/handle.hpp"
#include "redlock/algorithm/permit.hpp"
// The arginfo needs what is above.
#include "lease/lease_arginfo.h"

namespace {

using namespace redlock;
using namespace redlock::php;

// Sets the return value by what came of an extend or a check, or throws to PHP.
void judge(zval* return_value, const QuorumCall& call, LeaseState& lease) {
  SharedLease& shared = lease.shared();
  const Outcome& outcome = call.state.outcome;
  if (call.decision == Decision::granted && call.request.verb == QuorumVerb::extend) {
    if (!shared.prolong(outcome.decided_at + outcome.validity)) RETURN_FALSE;
    count(Counted::extended);
    shared.note("extended", {}, call.state.troubles);
  } else if (call.decision != Decision::granted && !is_refusal(call.decision)) {
    shared.note("unreachable", {}, call.state.troubles);
    return throw_unreachable(call);
  } else {
    shared.note_denial(outcome);
  }
  // A signal handler may have given it back while the servers were asked.
  RETURN_BOOL(call.decision == Decision::granted && lease.live());
}

// Asks it.
void ask_about(zval* return_value, const QuorumRequest& request, LeaseState& lease) {
  SharedLease& shared = lease.shared();
  const std::uint64_t asked_of = shared.lock().token_number();
  if (request.verb == QuorumVerb::extend) shared.lock().note_told(Duration::ms(request.ttl_ms));
  QuorumCall call(shared.locks(), request);
  if (!ask_and_remark(call)) return;
  // A signal handler has shortened it: what was asked about is no more.
  if (shared.lock().token_number() != asked_of) RETURN_FALSE;
  judge(return_value, call, lease);
  lease.note_errors(call.state);
}

// The same of what gives the lock another token and a shorter ttl.
void judge_shortening(zval* return_value, const QuorumCall& call, LeaseState& lease) {
  SharedLease& shared = lease.shared();
  if (call.decision != Decision::granted && !is_refusal(call.decision)) {
    shared.note("unreachable", {}, call.state.troubles);
    (void)lease.live();  // it is lost, and that is told behind it
    return throw_unreachable(call);
  }
  if (call.decision != Decision::granted || !lease.live()) RETURN_BOOL(false);
  shared.note("shortened", {}, call.state.troubles);
  RETURN_BOOL(true);
}

void shorten(zval* return_value, QuorumRequest& request, const zval* object, LeaseState& lease) {
  SharedLease& shared = lease.shared();
  const Duration ttl = Duration::ms(request.ttl_ms);
  if (!guarded(request.places, [&] { shared.lock().prepare_rotation(ttl); })) return;
  // Made before anything has changed: a fatal error may come of that.
  const std::string_view fresh = shared.lock().next_token().view();
  zend_string* const token = zend_string_init(fresh.data(), fresh.size(), false);
  shared.show_next(token);
  request.change = &shared;
  const std::uint64_t number = shared.lock().token_number() + 1;
  QuorumCall call(shared.locks(), request);
  const bool told = ask_and_remark(call);
  zend_string_release(token);
  // Also where a handler has thrown behind the verdict.
  if (!keep_lease(object, {}) || !told) return;
  // A handler has shortened it once more, and what came of that counts.
  if (shared.lock().token_number() != number) RETURN_BOOL(lease.live());
  judge_shortening(return_value, call, lease);
  lease.note_errors(call.state);
}

void put_handle(zval* into, LeaseState& lease) {
  const HeldLock& lock = lease.shared().lock();
  make_handle(into, lease.left().as_ms(), lease.resource(), lock.token().view(), lock.fence(),
              lock.mode() == LockMode::shared);
}

const char* method_of(const SharedLease& shared) {
  if (shared.lock().mode() == LockMode::shared) return "acquireShared";
  if (!shared.resources().single()) return "acquireAll";
  return slot_number(shared.resources().only()) ? "acquirePermit" : "acquire";
}

// Behind the release: an error handler may throw.
void warn_of_unused(const LeaseState& lease) {
  const Resources& resources = lease.shared().resources();
  char name[2 * kShownBytesMax + 8] = "";
  const auto show = [&] { park(name, in_quotes(resources)); };
  if (EG(exception) != nullptr || !guarded({}, show)) return;
  zend_error(
      E_WARNING,
      "RedLock\\LockManager::%s(): the lock on %s is given back at once; assign the lease to "
      "a variable",
      method_of(lease.shared()), name);
}

// Instead of the engine's call of __destruct(): what it would do is done when the object is freed,
// which a fatal error does not leave out. Where that is the next thing to happen it is done already
// here, where code may run that is told of it; the destructors of others may still need the rest.
void destruct_lease(zend_object* object) {
  if (GC_REFCOUNT(object) > 1) return;
  LeaseState* const lease = LeaseObject::state_of(object);
  const bool unused = lease != nullptr && lease->dies_unused();
  if (lease != nullptr) lease->go();
  if (unused) warn_of_unused(*lease);
  Events::tell_all();
}

// Logs are full of what dumps show, and whoever has the token can give the lock back.
zend_array* show_without_token(zend_object* object, zend_prop_purpose purpose) {
  zend_array* const all = zend_std_get_properties_for(object, purpose);
  zend_array* const shown = zend_array_dup(all);
  zend_release_properties(all);
  zend_hash_str_del(shown, ZEND_STRL("token"));
  return shown;
}

}  // namespace

PHP_METHOD(RedLock_Lease, __construct) { ZEND_PARSE_PARAMETERS_NONE(); }

PHP_METHOD(RedLock_Lease, remaining) {
  ZEND_PARSE_PARAMETERS_NONE();
  LeaseState* const lease = LeaseObject::initialised(ZEND_THIS);
  if (lease == nullptr) RETURN_THROWS();
  RETURN_DOUBLE(lease->left().as_ms());
}

PHP_METHOD(RedLock_Lease, isLive) {
  ZEND_PARSE_PARAMETERS_NONE();
  LeaseState* const lease = LeaseObject::initialised(ZEND_THIS);
  if (lease == nullptr) RETURN_THROWS();
  RETURN_BOOL(lease->live());
}

PHP_METHOD(RedLock_Lease, assertLive) {
  ZEND_PARSE_PARAMETERS_NONE();
  LeaseState* const lease = LeaseObject::initialised(ZEND_THIS);
  if (lease == nullptr) RETURN_THROWS();
  if (lease->live()) return;
  char message[256];
  if (!guarded({}, [&] { park(message, lease->describe_end()); })) RETURN_THROWS();
  zend_throw_exception(lease_lost_exception_class, message, 0);
}

PHP_METHOD(RedLock_Lease, confirm) {
  ZEND_PARSE_PARAMETERS_NONE();
  LeaseState* const lease = LeaseObject::initialised(ZEND_THIS);
  if (lease == nullptr) RETURN_THROWS();
  if (is_over(*lease)) RETURN_FALSE;
  ask_about(return_value, question(QuorumVerb::check, "RedLock\\Lease::confirm()", *lease), *lease);
}

PHP_METHOD(RedLock_Lease, extend) {
  zval* ttl = nullptr;
  zend_long ttl_ms = 0;
  bool as_taken = true;
  ZEND_PARSE_PARAMETERS_START(0, 1)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(ttl)
  ZEND_PARSE_PARAMETERS_END();
  if (ttl != nullptr && !parse_milliseconds_or_null(ttl, 1, ttl_ms, as_taken)) RETURN_THROWS();
  LeaseState* const lease = LeaseObject::initialised(ZEND_THIS);
  if (lease == nullptr) RETURN_THROWS();
  if (is_over(*lease)) RETURN_FALSE;
  SharedLease& shared = lease->shared();
  QuorumRequest asked = question(QuorumVerb::extend, "RedLock\\Lease::extend()", *lease);
  asked.ttl_ms = as_taken ? shared.lock().ttl().count_ms() : ttl_ms;
  ask_about(return_value, asked, *lease);
}

PHP_METHOD(RedLock_Lease, shorten) {
  zval* ttl = nullptr;
  zend_long ttl_ms = 0;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_ZVAL(ttl)
  ZEND_PARSE_PARAMETERS_END();
  if (!parse_milliseconds(ttl, 1, ttl_ms)) RETURN_THROWS();
  LeaseState* const lease = LeaseObject::initialised(ZEND_THIS);
  if (lease == nullptr) RETURN_THROWS();
  if (is_over(*lease)) RETURN_FALSE;
  SharedLease& shared = lease->shared();
  const bool shortens = shared.lock().is_shorter(Duration::ms(ttl_ms));
  QuorumRequest asked = question(shortens ? QuorumVerb::shorten : QuorumVerb::extend,
                                 "RedLock\\Lease::shorten()", *lease);
  asked.ttl_ms = ttl_ms;
  shortens ? shorten(return_value, asked, ZEND_THIS, *lease)
           : ask_about(return_value, asked, *lease);
}

PHP_METHOD(RedLock_Lease, promote) {
  zval* wait = nullptr;
  zend_long wait_ms = 0;
  bool waits_for_ever = false;
  ZEND_PARSE_PARAMETERS_START(0, 1)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(wait)
  ZEND_PARSE_PARAMETERS_END();
  if (wait != nullptr && !parse_milliseconds_or_null(wait, 1, wait_ms, waits_for_ever)) {
    RETURN_THROWS();
  }
  LeaseState* const lease = LeaseObject::initialised(ZEND_THIS);
  if (lease == nullptr) RETURN_THROWS();
  if (wait_ms < 0) {
    zend_argument_value_error(1, "must be greater than or equal to 0");
    RETURN_THROWS();
  }
  promote(return_value, ZEND_THIS, *lease,
          waits_for_ever ? Duration::max() : Duration::ms(wait_ms));
}

PHP_METHOD(RedLock_Lease, demote) {
  ZEND_PARSE_PARAMETERS_NONE();
  LeaseState* const lease = LeaseObject::initialised(ZEND_THIS);
  if (lease == nullptr) RETURN_THROWS();
  demote(return_value, *lease);
}

PHP_METHOD(RedLock_Lease, release) {
  ZEND_PARSE_PARAMETERS_NONE();
  LeaseState* const lease = LeaseObject::initialised(ZEND_THIS);
  if (lease == nullptr) RETURN_THROWS();
  const bool was_live = !is_over(*lease);
  SharedLease& shared = lease->shared();
  // Another object has a part in the lock, or it is the parent's of a fork.
  if (!lease->begin_release() || shared.lock().forked()) RETURN_BOOL(was_live);
  QuorumRequest asked = question(QuorumVerb::unlock, "RedLock\\Lease::release()", *lease);
  asked.detail = LossDetail::reason;
  QuorumCall call(shared.locks(), asked);
  const bool told = ask_and_remark(call);
  shared.note_release(call.state.troubles);
  if (!told) shared.lock().owe_release();
  if (!told) return;
  RETVAL_BOOL(call.decision == Decision::granted);
  lease->note_errors(call.state);
}

PHP_METHOD(RedLock_Lease, lastErrors) {
  ZEND_PARSE_PARAMETERS_NONE();
  LeaseState* const lease = LeaseObject::initialised(ZEND_THIS);
  if (lease == nullptr) RETURN_THROWS();
  if (Z_ISUNDEF_P(lease->errors())) RETURN_EMPTY_ARRAY();
  RETURN_COPY(lease->errors());
}

PHP_METHOD(RedLock_Lease, handle) {
  ZEND_PARSE_PARAMETERS_NONE();
  LeaseState* const lease = LeaseObject::initialised(ZEND_THIS);
  if (lease == nullptr) RETURN_THROWS();
  put_handle(return_value, *lease);
}

PHP_METHOD(RedLock_Lease, detach) {
  ZEND_PARSE_PARAMETERS_NONE();
  LeaseState* const lease = LeaseObject::initialised(ZEND_THIS);
  if (lease == nullptr) RETURN_THROWS();
  // First, so that a fatal error while the array is made still gives the lock back.
  put_handle(return_value, *lease);
  lease->transfer();
}

PHP_METHOD(RedLock_Lease, __destruct) {
  ZEND_PARSE_PARAMETERS_NONE();
  LeaseState* const lease = LeaseObject::initialised(ZEND_THIS);
  if (lease != nullptr) lease->give_back();
}

void redlock::php::register_lease() {
  lease_class = register_class_RedLock_Lease(lease_interface);
  LeaseObject::install_keeping(lease_class, destruct_lease);
  LeaseObject::show_by(show_without_token);
}
