// What the methods of a lease share that ask the servers about it.
#pragma once
#include <string_view>

#include "lease/object.hpp"
#include "quorum/call.hpp"

namespace redlock::php {

// One question about the lease that the servers answer by yes or no.
[[nodiscard]] QuorumRequest question(QuorumVerb verb, std::string_view method, LeaseState& lease);
// Asks what may come to false, and tells a false that the servers said from one that nobody has
// proven. False: an exception is pending. The lease is told once all is done that comes of the
// answer: what it was told before goes by that, and may run code of others, who ask through the
// same manager.
[[nodiscard]] bool ask_and_remark(QuorumCall& call);
// What tells the false that the servers said. False: an exception is pending.
[[nodiscard]] bool note_denied_remark(QuorumCall& call);
// Then there is nothing to ask.
[[nodiscard]] bool is_over(LeaseState& lease);

}  // namespace redlock::php
