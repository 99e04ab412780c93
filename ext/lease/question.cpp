// What is asked about a lease, and when there is nothing to ask.
#include "lease/question.hpp"

#include "border/guard.hpp"

namespace redlock::php {

namespace {

constexpr ArgumentPlace kTtlPlaces[] = {{"ttl", 1}};
constexpr char kDeniedRemark[] = "no majority of the servers has it";

}  // namespace

QuorumRequest question(QuorumVerb verb, std::string_view method, LeaseState& lease) {
  return {verb, method, kTtlPlaces, lease.resource(), 0, lease.shared().lock().token().view()};
}

bool ask_and_remark(QuorumCall& call) {
  if (!ask(call)) return false;
  if (!proven_denied(call.state.outcome)) return true;
  return note_denied_remark(call);
}

bool note_denied_remark(QuorumCall& call) {
  return guarded({}, [&] { call.state.remark = kDeniedRemark; });
}

bool is_over(LeaseState& lease) {
  lease.forget_errors();
  return !lease.live();
}

}  // namespace redlock::php
