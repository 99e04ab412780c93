// One question to every server, and its answers as arrays.
#include "lease/inspect.hpp"

#include <algorithm>

#include "lease/hold.hpp"
#include "redlock/algorithm/holding.hpp"
#include "redlock/algorithm/quorum_kind.hpp"

namespace redlock::php {

namespace {

constexpr ArgumentPlace kPlaces[] = {{"resource", 1}};

std::optional<Standing> standing_of(const std::optional<Holding>& holding) {
  if (!holding) return std::nullopt;
  return Standing{std::string(holding->token.view()), std::string(owner_of(holding->token)),
                  holding->left};
}

void note(Locks& locks) {
  const std::vector<NodeReport>& reports = locks.outcome.nodes;
  locks.of_majority = standing_of(majority_holding(reports));
  locks.of_servers.assign(locks.servers.size(), {});
  for (std::size_t i = 0; i < locks.of_servers.size(); ++i) {
    ServerStanding& server = locks.of_servers[i];
    if (i < reports.size()) server.standing = standing_of(holding_of(reports[i]));
    const auto trouble =
        std::ranges::find(locks.troubles, locks.servers[i], &ServerTrouble::server);
    if (!server.standing && trouble != locks.troubles.end()) server.error = trouble->reason;
  }
}

void add_text(zval* into, const char* key, const std::string* text) {
  if (text == nullptr) return add_assoc_null(into, key);
  add_assoc_stringl(into, key, text->data(), text->size());
}

void put_standing(zval* into, const std::optional<Standing>& standing) {
  add_text(into, "token", standing ? &standing->token : nullptr);
  add_text(into, "owner", standing && !standing->owner.empty() ? &standing->owner : nullptr);
  if (standing && standing->left) {
    add_assoc_double(into, "ttl", standing->left->as_ms());
  } else {
    add_assoc_null(into, "ttl");
  }
}

}  // namespace

bool inspect(Locks& locks, const zval* resource, std::string_view method, Unreachable unreachable) {
  const QuorumRequest asked{QuorumVerb::inspect, method, kPlaces, resource};
  QuorumCall call(locks, asked);
  if (!ask(call)) return false;
  const bool nobody_asked = call.decision == Decision::unreachable;
  if (call.decision == Decision::aborted || (nobody_asked && unreachable == Unreachable::thrown)) {
    throw_unreachable(call);
    return false;
  }
  return guarded({}, [&] { note(locks); });
}

void put_inspection(zval* into, const Locks& locks, zval* resource) {
  array_init(into);
  Z_TRY_ADDREF_P(resource);
  add_assoc_zval(into, "resource", resource);
  put_standing(into, locks.of_majority);
  zval servers;
  array_init(&servers);
  for (std::size_t i = 0; i < locks.of_servers.size(); ++i) {
    const ServerStanding& server = locks.of_servers[i];
    zval shown;
    array_init(&shown);
    put_standing(&shown, server.standing);
    add_text(&shown, "error", server.error.empty() ? nullptr : &server.error);
    add_assoc_zval_ex(&servers, locks.servers[i].data(), locks.servers[i].size(), &shown);
  }
  add_assoc_zval(into, "servers", &servers);
}

}  // namespace redlock::php
