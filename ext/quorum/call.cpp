// Asking the servers, and saying why they could not be asked.
#include "quorum/call.hpp"

#include <algorithm>
#include <list>

#include "border/exceptions.hpp"
#include "border/text.hpp"
#include "border/wait.hpp"
#include "quorum/handle.hpp"

namespace redlock::php {

namespace {

// Servers' own words, in messages and lastErrors().
constexpr std::size_t kReasonBytesMax = 256;

// Does it wait, unless waits are cancelled?
bool may_wait(const QuorumCall& call) {
  if (call.request.verb != QuorumVerb::lock) return false;
  if (call.request.terms == nullptr) return call.state.manager.attempts_max() > 1;
  return call.request.terms->wait > Duration();
}

// What is left of the time for which a lock is waited for.
Duration wait_left(const QuorumCall& call) {
  if (call.request.terms == nullptr || waits_are_cancelled()) return {};
  const Duration wait = call.request.terms->wait;
  if (wait == Duration::max()) return wait;
  return std::max(wait - (call.state.manager.pool().clock().now() - call.began), Duration());
}

OperationId begin_lock(LockManager& manager, const Resources& resources, const QuorumCall& call) {
  const QuorumRequest& request = call.request;
  const Duration ttl = Duration::ms(request.ttl_ms);
  if (request.terms == nullptr && call.cancelled) {
    return manager.begin_lock(resources, ttl, RetryPolicy::jittered(1, 0));
  }
  if (request.terms == nullptr) return manager.begin_lock(resources, ttl);
  const Duration wait = wait_left(call);
  const std::int64_t retry_delay_ms = request.terms->retry_delay_ms;
  const LockExtras extras{std::string(request.owner), request.fence, request.mode, request.permits};
  if (request.terms->in_line && wait > Duration()) {
    return manager.begin_wait(resources, ttl, wait, retry_delay_ms, extras);
  }
  return manager.begin_lock(resources, ttl, RetryPolicy::waiting(wait, retry_delay_ms), extras);
}

OperationId begin(const QuorumCall& call, const Resources& resources) {
  LockManager& manager = call.state.manager;
  const QuorumRequest& request = call.request;
  const Token token{std::string(request.token)};
  switch (request.verb) {
    case QuorumVerb::lock:
      return begin_lock(manager, resources, call);
    case QuorumVerb::extend:
      return manager.begin_extend(resources, token, Duration::ms(request.ttl_ms));
    case QuorumVerb::shorten:
    case QuorumVerb::promote:
    case QuorumVerb::demote:
      return request.change->begin_change();
    case QuorumVerb::check:
      return manager.begin_check(resources, token);
    case QuorumVerb::inspect:
      return manager.begin_inspect(resources);
    default:
      return manager.begin_unlock(resources, token, request.detail);
  }
}

// Why the servers' answers came to nothing; empty where they speak for themselves.
std::string remark_on(const QuorumCall& call) {
  const Outcome& outcome = call.state.outcome;
  if (call.request.verb == QuorumVerb::inspect) return {};
  if (call.cancelled && outcome.decision != Decision::granted) return "the wait was cancelled";
  if (outcome.decision == Decision::split && call.request.verb == QuorumVerb::promote) return {};
  if (outcome.decision == Decision::split) {
    const auto votes = std::ranges::count_if(outcome.nodes, [](const NodeReport& report) {
      return report.answered && report.reply.answer == Answer::granted;
    });
    return "no client won: " + std::to_string(votes) + " of " +
           std::to_string(call.state.server_count) + " servers granted the last attempt, needs " +
           std::to_string(outcome.quorum.grants());
  }
  const bool expired_unclaimed = outcome.decision == Decision::expired_unclaimed;
  if (outcome.decision != Decision::expired_in_flight && !expired_unclaimed) return {};
  const std::string late =
      (expired_unclaimed ? "but signal handlers took too long" : "but the answers came too late") +
      (" for a ttl of " + std::to_string(call.request.ttl_ms) + " ms");
  switch (call.request.verb) {
    case QuorumVerb::extend:
      return "extended, " + late + "; the lock is as valid as it was before";
    case QuorumVerb::promote:
      return "promoted, " + late + "; it is a read lock still";
    case QuorumVerb::demote:
      return "demoted, " + late;
    case QuorumVerb::shorten:
      return "shortened, " + late + "; the lock is lost";
    default:
      return "won, " + late;
  }
}

Outcome collect_outcome(const QuorumCall& call, const Resources& resources, Caller caller) {
  LockManager& manager = call.state.manager;
  switch (call.request.verb) {
    case QuorumVerb::lock:
      return manager.collect_lock(call.id, resources, caller);
    case QuorumVerb::extend:
      return manager.collect_extension(call.id);
    case QuorumVerb::shorten:
    case QuorumVerb::promote:
    case QuorumVerb::demote:
      return call.request.change->collect_change(call.id);
    default:
      return manager.pool().collect(call.id);
  }
}

void clear_what_is_told(QuorumState& state) {
  state.troubles.clear();
  state.line_troubles.clear();
  state.remark.clear();
}

void note_troubles(QuorumState& state) {
  state.troubles = state.manager.troubles(state.outcome);
  for (ServerTrouble& trouble : state.troubles) {
    trouble.reason = printable(trouble.reason, kReasonBytesMax);
  }
  state.line_troubles = state.manager.line_troubles(state.outcome);
  for (ServerTrouble& trouble : state.line_troubles) {
    trouble.reason = "waits by polling: " + printable(trouble.reason, kReasonBytesMax);
  }
}

void collect(QuorumCall& call, Caller caller) {
  QuorumState& state = call.state;
  std::list<Resources> ours;
  ours.splice(ours.end(), state.asked, call.asked);
  state.outcome = collect_outcome(call, ours.front(), caller);
  call.decision = state.outcome.decision;
  // Undone, as if somebody had it.
  if (call.cancelled && call.decision == Decision::aborted) call.decision = Decision::denied;
  try {
    note_troubles(state);
    if (caller == Caller::waits) state.remark = remark_on(call);
  } catch (...) {
    if (call.decision != Decision::granted) throw;
    // What the others have against it may go unsaid; the lock must not.
    clear_what_is_told(state);
  }
}

std::string describe_unreachable(const QuorumCall& call) {
  QuorumState& state = call.state;
  std::string text = std::string(call.request.method) + ": ";
  if (call.decision == Decision::aborted) return text + "the process forked during the call";
  const Duration tried = state.manager.pool().clock().now() - call.began;
  text += "no majority of " + std::to_string(state.server_count) +
          (state.server_count == 1 ? " server" : " servers") + " could be asked for " +
          in_quotes(resources_from(call.request.resource)) + " (needs " +
          std::to_string(state.outcome.quorum.grants()) + ", tried for " +
          std::to_string(tried.count_ms()) + " ms)";
  const char* separator = ": ";
  for (const ServerTrouble& trouble : state.troubles) {
    text += separator + trouble.server + ": " + trouble.reason;
    separator = "; ";
  }
  return text;
}

// False: an exception is pending.
bool complete(QuorumCall& call) {
  const WaitManner manner{call.request.listener, may_wait(call)};
  Waited waited = wait_for(call.state.manager.pool(), call.id, manner);
  if (waited == Waited::done && call.request.verb == QuorumVerb::lock) waited = serve_pending();
  if (waited == Waited::cancelled) call.cancelled = true;
  const bool taken = guarded({}, [&] { collect(call, caller_after(waited)); });
  if (waited == Waited::bailed) zend_bailout();
  return taken && goes_on(waited);
}

}  // namespace

QuorumCall::QuorumCall(QuorumState& on, const QuorumRequest& asked)
    : state(on), request(asked), began(on.manager.pool().clock().now()) {}

// A lock whose time went by in signal handlers before anybody was told of it is given back: who has
// time left waits again.
bool ask(QuorumCall& call) {
  do {
    const bool begun = guarded(call.request.places, [&] {
      clear_what_is_told(call.state);
      call.state.owed.pay();
      call.cancelled = may_wait(call) && waits_are_cancelled();
      std::list<Resources> ours(1, resources_from(call.request.resource));
      call.id = begin(call, ours.front());
      call.asked = ours.begin();
      call.state.asked.splice(call.state.asked.end(), ours);
    });
    if (!begun || !complete(call)) return false;
  } while (call.decision == Decision::expired_unclaimed && wait_left(call) > Duration());
  return true;
}

void throw_unreachable(const QuorumCall& call) {
  QuorumState& state = call.state;
  if (!guarded({}, [&] { state.message = describe_unreachable(call); })) return;
  throw_for_servers(quorum_exception_class, state.message.c_str(), state.troubles);
}

void put_errors(zval* into, const QuorumState& state) {
  array_init(into);
  // Of a server that is in trouble both ways the latter is told.
  for (const auto* troubles : {&state.line_troubles, &state.troubles}) {
    for (const auto& [server, fault, reason] : *troubles) {
      add_assoc_stringl_ex(into, server.data(), server.size(), reason.data(), reason.size());
    }
  }
  if (!state.remark.empty()) {
    add_assoc_stringl(into, "lock", state.remark.data(), state.remark.size());
  }
}

}  // namespace redlock::php
