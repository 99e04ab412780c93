// Waiting, the ledger and the exceptions of PidLock.
#include "pid/call.hpp"

#include "border/class_names.hpp"
#include "border/convert_value.hpp"
#include "border/exceptions.hpp"
#include "border/guard.hpp"
#include "border/text.hpp"
#include "border/wait.hpp"

namespace redlock::php {

namespace {

constexpr std::size_t kReasonBytesMax = 256;
constexpr const char* kTooLate =
    "it granted the lock, but lock_timeout was over before the call could return";

// Why the server gave no plain answer, or none in time: what lastErrors() tells.
void note_troubles(PidCall& call) {
  PidState& state = call.state;
  state.troubles = state.manager.troubles(state.outcome);
  for (ServerTrouble& trouble : state.troubles) {
    trouble.reason = printable(trouble.reason, kReasonBytesMax);
  }
  if (call.decision == Decision::expired_in_flight ||
      call.decision == Decision::expired_unclaimed) {
    state.troubles.push_back({state.server, Fault::timeout, kTooLate});
  }
}

Outcome collect_outcome(const PidCall& call, const Resources& keys, Caller caller) {
  StampLockManager& manager = call.state.manager;
  switch (call.verb) {
    case PidVerb::take:
      return manager.collect_lock(call.id, keys, caller);
    case PidVerb::release:
      return manager.collect_release(call.id, keys, call.entry);
    default:
      return manager.collect_check(call.id, keys, call.entry);
  }
}

void collect(PidCall& call, Caller caller) {
  std::list<Resources> ours;
  ours.splice(ours.end(), call.state.asked, call.asked);
  call.state.outcome = collect_outcome(call, ours.front(), caller);
  call.decision = call.state.outcome.decision;
  note_troubles(call);
}

std::string verb_name(PidVerb verb) {
  const std::string class_name(name_of_class("RedLock\\PidLock"));
  switch (verb) {
    case PidVerb::take:
      return class_name + "::getPidLock()";
    case PidVerb::release:
      return class_name + "::releasePidLock()";
    default:
      return class_name + "::holdsPidLock()";
  }
}

std::string describe_trouble(PidCall& call) {
  PidState& state = call.state;
  const std::string text = verb_name(call.verb) + ": ";
  const std::string key = in_quotes(view_of(call.key));
  if (call.decision == Decision::aborted) return text + "the process forked during the call";
  const std::string reason = state.troubles.empty() ? "no answer" : state.troubles.back().reason;
  if (call.decision == Decision::foreign) {
    return text + "the key " + key + " on " + state.server +
           " holds something that is no lock of this kind: " + reason;
  }
  const Duration tried = state.manager.pool().clock().now() - call.began;
  return text + state.server + " could not be asked for " + key + " (tried for " +
         std::to_string(tried.count_ms()) + " ms): " + reason;
}

}  // namespace

Resources keys_of(const zend_string* key) { return Resource(std::string(view_of(key))); }

PidCall::PidCall(PidState& on, PidVerb what, const zend_string* named)
    : state(on), verb(what), key(named), began(on.manager.pool().clock().now()) {
  state.troubles.clear();
}

bool complete(PidCall& call) {
  Waited waited = wait_for(call.state.manager.pool(), call.id, {nullptr, call.waits});
  if (waited == Waited::done && call.verb == PidVerb::take) waited = serve_pending();
  const bool taken = guarded({}, [&] { collect(call, caller_after(waited)); });
  if (waited == Waited::bailed) zend_bailout();
  // Undone, as if somebody had it.
  if (waited == Waited::cancelled && call.decision == Decision::aborted) {
    call.decision = Decision::denied;
  }
  return taken && goes_on(waited);
}

void throw_trouble(PidCall& call) {
  if (!guarded({}, [&] { call.state.message = describe_trouble(call); })) return;
  const char* const message = call.state.message.c_str();
  if (call.decision == Decision::foreign) {
    zend_throw_exception(not_a_lock_exception_class, message, 0);
  } else {
    throw_for_servers(connection_exception_class, message, call.state.troubles);
  }
}

}  // namespace redlock::php
