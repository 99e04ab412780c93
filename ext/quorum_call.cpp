// The verbs of RedLock.
#include "quorum_call.hpp"

#include "exceptions.hpp"
#include "guard.hpp"
#include "handle.hpp"
#include "redlock/algorithm/quorum.hpp"
#include "text.hpp"
#include "wait.hpp"

namespace redlock::php {

namespace {

// Servers' own words, in messages and lastErrors().
constexpr std::size_t kReasonBytesMax = 256;

constexpr ArgumentPlace kLockPlaces[] = {{"resource", 1}, {"ttl", 2}};
constexpr ArgumentPlace kHandlePlaces[] = {{"resource", 1, "must be a usable handle"},
                                           {"token", 1, "must be a usable handle"},
                                           {"ttl", 2}};

// Plain, because it lives across calls into Zend.
struct Call {
  QuorumState& state;
  QuorumVerb verb;
  zval resource;  // a reference of its own: a signal handler may overwrite the handle's
  OperationId id;
  Instant began;
  Decision decision;
};

OperationId begin(QuorumState& state, const QuorumRequest& request) {
  const Resource resource = resource_from(request.resource);
  const Duration ttl = Duration::ms(request.ttl_ms);
  if (request.verb == QuorumVerb::lock) return state.manager.begin_lock(resource, ttl);
  const Token token = token_from(request.token);
  switch (request.verb) {
    case QuorumVerb::extend:
      return state.manager.begin_extend(resource, token, ttl);
    case QuorumVerb::check:
      return state.manager.begin_check(resource, token);
    default:
      return state.manager.begin_unlock(resource, token);
  }
}

// `wanted`: the caller is still there to be given the lock.
void take_outcome(Call& call, bool wanted) {
  QuorumState& state = call.state;
  Pool& pool = state.manager.pool();
  Outcome& outcome = state.outcome;
  outcome = pool.take(call.id);
  state.troubles = state.manager.troubles(outcome);
  for (ServerTrouble& trouble : state.troubles) {
    trouble.reason = printable(trouble.reason, kReasonBytesMax);
  }
  const bool timed = call.verb == QuorumVerb::lock || call.verb == QuorumVerb::extend;
  if (timed && outcome.decision == Decision::granted) {
    // A signal handler may have run since it was decided.
    outcome.validity = outcome.validity - (pool.clock().now() - outcome.decided_at);
    const bool usable = wanted && outcome.validity > Duration();
    if (!usable) outcome.decision = Decision::late;
    // Taken at once: sent, and not waited for.
    if (!usable && call.verb == QuorumVerb::lock) {
      (void)pool.take(state.manager.begin_unlock(resource_from(&call.resource), outcome.token));
    }
  }
  call.decision = outcome.decision;
}

const char* verb_name(QuorumVerb verb) {
  switch (verb) {
    case QuorumVerb::lock:
      return "RedLock::lock()";
    case QuorumVerb::unlock:
      return "RedLock::unlock()";
    case QuorumVerb::extend:
      return "RedLock::extend()";
    default:
      return "RedLock::isHeld()";
  }
}

std::string describe_unreachable(Call& call) {
  QuorumState& state = call.state;
  std::string text = std::string(verb_name(call.verb)) + ": ";
  if (call.decision == Decision::aborted) return text + "the process forked during the call";
  const Duration tried = state.manager.pool().clock().now() - call.began;
  text += "no majority of " + std::to_string(state.server_count) +
          (state.server_count == 1 ? " server" : " servers") + " could be asked for " +
          quoted(resource_from(&call.resource).view()) + " (needs " +
          std::to_string(majority_of(state.server_count)) + ", tried for " +
          std::to_string(tried.count_ms()) + " ms)";
  const char* separator = ": ";
  for (const ServerTrouble& trouble : state.troubles) {
    text += separator + trouble.server + ": " + trouble.reason;
    separator = "; ";
  }
  return text;
}

// False: an exception is pending.
bool complete(Call& call) {
  const Waited waited = wait_for(call.state.manager.pool(), call.id);
  const bool taken = guarded({}, [&] { take_outcome(call, waited == Waited::done); });
  if (waited == Waited::bailed) zend_bailout();
  return taken && waited == Waited::done;
}

void answer(zval* return_value, Call& call) {
  QuorumState& state = call.state;
  const bool handle_wanted = call.verb == QuorumVerb::lock || call.verb == QuorumVerb::extend;
  if (call.decision == Decision::granted && handle_wanted) {
    return make_handle(return_value, state.outcome.validity.as_ms(), &call.resource,
                       state.outcome.token.view());
  }
  if (call.decision == Decision::granted) RETURN_TRUE;
  if (is_refusal(call.decision) || call.verb == QuorumVerb::unlock) RETURN_FALSE;
  if (!guarded({}, [&] { state.message = describe_unreachable(call); })) return;
  zend_throw_exception(quorum_exception_class, state.message.c_str(), 0);
}

}  // namespace

void call_quorum(zval* return_value, QuorumState& state, const QuorumRequest& request) {
  Call call{state, request.verb, {}, 0, state.manager.pool().clock().now(), Decision::aborted};
  ZVAL_COPY(&call.resource, request.resource);
  const auto& places = request.verb == QuorumVerb::lock
                           ? std::span<const ArgumentPlace>(kLockPlaces)
                           : kHandlePlaces;
  const bool begun = guarded(places, [&] {
    state.troubles.clear();
    call.id = begin(state, request);
  });
  if (begun && complete(call)) answer(return_value, call);
  zval_ptr_dtor(&call.resource);
}

}  // namespace redlock::php
