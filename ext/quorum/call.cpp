// The verbs of RedLock.
#include "quorum/call.hpp"

#include <algorithm>

#include "border/class_names.hpp"
#include "border/exceptions.hpp"
#include "border/guard.hpp"
#include "border/text.hpp"
#include "border/wait.hpp"
#include "quorum/handle.hpp"
#include "redlock/algorithm/quorum.hpp"

namespace redlock::php {

namespace {

// Servers' own words, in messages and lastErrors().
constexpr std::size_t kReasonBytesMax = 256;

constexpr char kEndlessRemark[] =
    "a key without an expiry stands there: it is no lock, and nothing will release it";

constexpr ArgumentPlace kLockPlaces[] = {{"resource", 1}, {"ttl", 2}};
constexpr ArgumentPlace kHandlePlaces[] = {{"resource", 1, "must be a usable handle"},
                                           {"token", 1, "must be a usable handle"},
                                           {"ttl", 2}};

// Plain, because it lives across calls into Zend.
struct Call {
  QuorumState& state;
  QuorumVerb verb;
  zval resource;  // a reference of its own: a signal handler may overwrite the handle's
  zend_long ttl_ms;
  OperationId id;
  Instant began;
  Decision decision;
};

OperationId begin(QuorumState& state, const QuorumRequest& request) {
  const Resources resources = resources_from(request.resource);
  const Duration ttl = Duration::ms(request.ttl_ms);
  if (request.verb == QuorumVerb::lock) return state.manager.begin_lock(resources, ttl);
  const Token token = token_from(request.token);
  switch (request.verb) {
    case QuorumVerb::extend:
      return state.manager.begin_extend(resources, token, ttl);
    case QuorumVerb::check:
      return state.manager.begin_check(resources, token);
    default:
      return state.manager.begin_unlock(resources, token);
  }
}

// Why the servers' answers came to nothing; empty where they speak for themselves.
std::string remark_on(const Call& call) {
  const Outcome& outcome = call.state.outcome;
  const std::string servers = std::to_string(call.state.server_count);
  if (outcome.decision == Decision::split) {
    const auto votes = std::ranges::count_if(outcome.nodes, [](const NodeReport& report) {
      return report.answered && report.reply.answer == Answer::granted;
    });
    return "nobody won: " + std::to_string(votes) + " of " + servers +
           " servers had voted for the last attempt, needs " +
           std::to_string(majority_of(call.state.server_count));
  }
  const bool outlasted = outcome.decision == Decision::outlasted;
  if (outcome.decision != Decision::late && !outlasted) return {};
  const std::string late =
      (outlasted ? "but signal handlers took too long" : "but the answers came too late") +
      (" for a ttl of " + std::to_string(call.ttl_ms) + " ms");
  return call.verb == QuorumVerb::extend
             ? "extended, " + late + "; the lock is as valid as it was before"
             : "won, " + late;
}

Outcome take(const Call& call, Caller caller) {
  LockManager& manager = call.state.manager;
  switch (call.verb) {
    case QuorumVerb::lock:
      return manager.take_lock(call.id, resources_from(&call.resource), caller);
    case QuorumVerb::extend:
      return manager.take_extension(call.id);
    default:
      return manager.pool().take(call.id);
  }
}

void take_outcome(Call& call, Caller caller) {
  QuorumState& state = call.state;
  state.outcome = take(call, caller);
  state.troubles = state.manager.troubles(state.outcome);
  for (ServerTrouble& trouble : state.troubles) {
    trouble.reason = printable(trouble.reason, kReasonBytesMax);
  }
  if (caller == Caller::waits) state.remark = remark_on(call);
  call.decision = state.outcome.decision;
}

std::string verb_name(QuorumVerb verb) {
  const std::string class_name(name_of_class("RedLock\\RedLock"));
  switch (verb) {
    case QuorumVerb::lock:
      return class_name + "::lock()";
    case QuorumVerb::unlock:
      return class_name + "::unlock()";
    case QuorumVerb::extend:
      return class_name + "::extend()";
    default:
      return class_name + "::isHeld()";
  }
}

std::string describe_unreachable(Call& call) {
  QuorumState& state = call.state;
  std::string text = verb_name(call.verb) + ": ";
  if (call.decision == Decision::aborted) return text + "the process forked during the call";
  const Duration tried = state.manager.pool().clock().now() - call.began;
  text += "no majority of " + std::to_string(state.server_count) +
          (state.server_count == 1 ? " server" : " servers") + " could be asked for " +
          quoted(resources_from(&call.resource).only().view()) + " (needs " +
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
  const bool taken = guarded({}, [&] { take_outcome(call, caller_after(waited)); });
  if (waited == Waited::bailed) zend_bailout();
  return taken && waited == Waited::done;
}

// What refused a lock may be none: remarked on where it is so. False: an exception is pending.
bool look(Call& call) {
  QuorumState& state = call.state;
  Pool& pool = state.manager.pool();
  if (call.verb != QuorumVerb::lock || !is_refusal(call.decision)) return true;
  // A signal handler's calls on the same object leave their own behind.
  TroubleList::iterator ours;
  const bool begun = guarded({}, [&] {
    TroubleList one(1, state.troubles);
    const Resources resources = resources_from(&call.resource);
    call.id = state.manager.begin_look_after(resources, state.outcome).value_or(0);
    if (call.id == 0) return;
    ours = one.begin();
    state.set_aside.splice(state.set_aside.end(), one);
  });
  if (!begun || call.id == 0) return begun;
  const Waited waited = wait_for(pool, call.id);
  const bool taken = guarded({}, [&] {
    const Decision looked = pool.take(call.id).decision;
    state.remark = looked == Decision::granted ? kEndlessRemark : "";
    // The process forked: the child is not told what its parent asked for.
    if (looked == Decision::aborted) call.decision = looked;
    state.troubles = std::move(*ours);
    state.set_aside.erase(ours);
  });
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
  throw_for_servers(quorum_exception_class, state.message.c_str(), state.troubles);
}

}  // namespace

void call_quorum(zval* return_value, QuorumState& state, const QuorumRequest& request) {
  Call call{state,
            request.verb,
            {},
            request.ttl_ms,
            0,
            state.manager.pool().clock().now(),
            Decision::aborted};
  ZVAL_COPY(&call.resource, request.resource);
  const auto& places = request.verb == QuorumVerb::lock
                           ? std::span<const ArgumentPlace>(kLockPlaces)
                           : kHandlePlaces;
  const bool begun = guarded(places, [&] {
    state.troubles.clear();
    state.remark.clear();
    call.id = begin(state, request);
  });
  if (begun && complete(call) && look(call)) answer(return_value, call);
  zval_ptr_dtor(&call.resource);
}

void answer_for_no_lock(zval* return_value, QuorumState& state) {
  const bool noted = guarded({}, [&] {
    state.troubles.clear();
    state.remark = "false was given instead of a lock";
  });
  if (noted) RETURN_FALSE;
}

}  // namespace redlock::php
