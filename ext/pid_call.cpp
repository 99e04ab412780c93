// Waiting, the ledger and the exceptions of PidLock.
#include "pid_call.hpp"

#include "class_names.hpp"
#include "convert_value.hpp"
#include "exceptions.hpp"
#include "guard.hpp"
#include "text.hpp"
#include "wait.hpp"

namespace redlock::php {

namespace {

constexpr std::size_t kReasonBytesMax = 256;

Resource key_of(const PidCall& call) { return Resource(std::string(view_of(call.key))); }

// `wanted`: the caller is still there to be given the lock.
void note_taken(PidCall& call, bool wanted) {
  StampLockManager& manager = call.state.manager;
  const Resource key = key_of(call);
  manager.note_taken(key, call.state.outcome);
  if (wanted && manager.remaining(key) > Duration()) return;
  call.decision = Decision::late;
  // Taken at once: sent, and not waited for.
  if (const auto id = manager.begin_release(key, Duration())) (void)manager.pool().take(*id);
  manager.note_released(key);
}

void take_outcome(PidCall& call, bool wanted) {
  PidState& state = call.state;
  state.outcome = state.manager.pool().take(call.id);
  call.decision = state.outcome.decision;
  if (call.verb == PidVerb::take && call.decision == Decision::granted) note_taken(call, wanted);
  // While the server cannot be asked, a later release may still succeed.
  const bool answered =
      call.decision != Decision::unreachable && call.decision != Decision::aborted;
  if (call.verb == PidVerb::release && answered) state.manager.note_released(key_of(call));
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
  const std::string key = quoted(view_of(call.key));
  state.troubles.clear();
  if (call.decision == Decision::aborted) return text + "the process forked during the call";
  if (call.decision == Decision::foreign) {
    return text + "the key " + key + " on " + state.server + " holds something that is no lock";
  }
  const Duration tried = state.manager.pool().clock().now() - call.began;
  state.troubles = state.manager.troubles(state.outcome);
  std::string reason = "no answer";
  for (const ServerTrouble& trouble : state.troubles) {
    reason = printable(trouble.reason, kReasonBytesMax);
  }
  return text + state.server + " could not be asked for " + key + " (tried for " +
         std::to_string(tried.count_ms()) + " ms): " + reason;
}

}  // namespace

PidCall::PidCall(PidState& on, PidVerb what, const zend_string* named)
    : state(on), verb(what), key(named), began(on.manager.pool().clock().now()) {}

bool complete(PidCall& call) {
  const Waited waited = wait_for(call.state.manager.pool(), call.id);
  const bool taken = guarded({}, [&] { take_outcome(call, waited == Waited::done); });
  if (waited == Waited::bailed) zend_bailout();
  return taken && waited == Waited::done;
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
