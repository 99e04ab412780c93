// The verbs of RedLock: a handle, true, false, or an exception.
#include "redlock/call.hpp"

#include "border/class_names.hpp"
#include "border/convert_value.hpp"
#include "border/wait.hpp"
#include "quorum/handle.hpp"

namespace redlock::php {

namespace {

constexpr char kEndlessRemark[] =
    "the key has no expiry: it is no lock, and no client will release it";

constexpr ArgumentPlace kLockPlaces[] = {{"resource", 1}, {"ttl", 2}};
constexpr ArgumentPlace kHandlePlaces[] = {{"resource", 1, "must be a usable handle"},
                                           {"token", 1, "must be a usable handle"},
                                           {"ttl", 2}};

std::string_view method_name(QuorumVerb verb) {
  switch (verb) {
    case QuorumVerb::lock:
      return name_of_class("RedLock\\RedLock::lock()");
    case QuorumVerb::unlock:
      return name_of_class("RedLock\\RedLock::unlock()");
    case QuorumVerb::extend:
      return name_of_class("RedLock\\RedLock::extend()");
    default:
      return name_of_class("RedLock\\RedLock::isHeld()");
  }
}

// What refused a lock may be none: remarked on where it is so. False: an exception is pending.
bool look(RedLockState& state, QuorumCall& call) {
  Pool& pool = state.manager.pool();
  if (call.request.verb != QuorumVerb::lock || !is_refusal(call.decision)) return true;
  // A signal handler's calls on the same object leave their own behind.
  std::list<std::vector<ServerTrouble>>::iterator ours;
  const bool begun = guarded({}, [&] {
    std::list<std::vector<ServerTrouble>> one(1, state.troubles);
    const Resources resources = resources_from(call.request.resource);
    call.id = state.manager.begin_look_after(resources, state.outcome).value_or(0);
    if (call.id == 0) return;
    ours = one.begin();
    state.set_aside.splice(state.set_aside.end(), one);
  });
  if (!begun || call.id == 0) return begun;
  const Waited waited = wait_for(pool, call.id);
  const bool taken = guarded({}, [&] {
    const Decision looked = pool.collect(call.id).decision;
    state.remark = looked == Decision::granted ? kEndlessRemark : "";
    // The process forked: the child is not told what its parent asked for.
    if (looked == Decision::aborted) call.decision = looked;
    state.troubles = std::move(*ours);
    state.set_aside.erase(ours);
  });
  if (waited == Waited::bailed) zend_bailout();
  return taken && waited == Waited::done;
}

void answer(zval* return_value, const QuorumCall& call, zval* resource) {
  const QuorumState& state = call.state;
  const QuorumVerb verb = call.request.verb;
  const bool handle_wanted = verb == QuorumVerb::lock || verb == QuorumVerb::extend;
  if (call.decision == Decision::granted && handle_wanted) {
    return make_handle(return_value, state.outcome.validity.as_ms(), resource,
                       state.outcome.token.view());
  }
  if (call.decision == Decision::granted) RETURN_TRUE;
  if (is_refusal(call.decision) || verb == QuorumVerb::unlock) RETURN_FALSE;
  throw_unreachable(call);
}

}  // namespace

void call_redlock(zval* return_value, RedLockState& state, const RedLockRequest& request) {
  // A reference of its own: a signal handler may overwrite the handle's.
  zval resource;
  ZVAL_COPY(&resource, request.resource);
  QuorumRequest asked{request.verb, method_name(request.verb), kHandlePlaces, &resource,
                      request.ttl_ms};
  if (request.verb == QuorumVerb::lock) asked.places = kLockPlaces;
  if (request.token != nullptr) asked.token = view_of(request.token);
  QuorumCall call(state, asked);
  if (ask(call) && look(state, call)) answer(return_value, call, &resource);
  zval_ptr_dtor(&resource);
}

void answer_for_no_lock(zval* return_value, RedLockState& state) {
  const bool noted = guarded({}, [&] {
    state.troubles.clear();
    state.remark = "false was given instead of a lock";
  });
  if (noted) RETURN_FALSE;
}

}  // namespace redlock::php
