// Why a guard lets a server have no vote, or the replicas that it lacks do, by what the server says
// of itself.
//
// INFO counts whole seconds, and is off by up to one: a server is taken to be as young as it can
// be. What it does not say is held against it. Pure functions.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "redlock/algorithm/reply.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/config/guard_demands.hpp"
#include "redlock/types.hpp"
#include "redlock/wire/codec.hpp"
#include "redlock/wire/server_errors.hpp"

namespace redlock {

// A server without a vote is looked at again no sooner, and not later unless it says when.
inline constexpr Duration kLookAgainAfter = Duration::seconds(1);

struct Objection {
  Fault fault = Fault::guard;
  std::string reason;   // for people; no secret
  bool passes = false;  // by itself
  Duration again_after = kLookAgainAfter;

  // The answer to what is not sent for it.
  [[nodiscard]] Reply reply() const {
    Reply reply = Reply::not_sent(fault, reason);
    reply.passes = passes;
    return reply;
  }
};

// One command, whatever is demanded; requires anything. Several sections in one are known to new
// servers only, and so it is all of them then.
[[nodiscard]] std::span<const std::string_view> guard_question(const GuardDemands& demands);
// Of all parts but `identity`, which takes two servers, and of that only that there is an id.
[[nodiscard]] std::optional<Objection> objection_to(const ServerFacts& facts, const Guard& guard,
                                                    Duration longest_ttl);
// By the answer to that question, which is a bulk string or an error. `facts` are added to.
[[nodiscard]] std::optional<Objection> objection_to(const RespValue& answer,
                                                    const GuardDemands& demands,
                                                    const Secrets& secrets, ServerFacts& facts);
// To one that has fewer replicas than are to have each vote.
[[nodiscard]] std::optional<Objection> objection_to_replicas(const ServerFacts& facts,
                                                             std::int64_t demanded);
// To the second of two that are one.
[[nodiscard]] Objection same_server_as(std::string_view other, std::string_view run_id);

}  // namespace redlock
