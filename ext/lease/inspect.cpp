// One question to every server, and its answers as arrays.
#include "lease/inspect.hpp"

#include <algorithm>
#include <optional>

#include "border/exceptions.hpp"
#include "border/text.hpp"
#include "quorum/handle.hpp"
#include "redlock/algorithm/holding.hpp"
#include "redlock/algorithm/quorum_kind.hpp"

namespace redlock::php {

namespace {

constexpr ArgumentPlace kPlaces[] = {{"resource", 1}};

void note(Locks& locks) {
  const std::vector<NodeReport>& reports = locks.outcome.nodes;
  locks.of_majority = seen_by_majority(locks.outcome);
  const bool asked = locks.outcome.decision != Decision::unreachable;
  locks.decided = asked && maybe_held(locks.outcome).empty();
  locks.to_take_away = to_take_away(locks.outcome);
  locks.of_servers.assign(locks.servers.size(), {});
  for (std::size_t i = 0; i < locks.of_servers.size(); ++i) {
    Inspected& server = locks.of_servers[i];
    if (i < reports.size()) server.seen = seen_by(reports[i]);
    const auto trouble =
        std::ranges::find(locks.troubles, locks.servers[i], &ServerTrouble::server);
    if (!server.seen.holding && trouble != locks.troubles.end()) server.error = trouble->reason;
  }
}

// What each server holds, by the words for it: one of several tokens is the first that is named.
std::string_view holds(const Holding& holding, const Token*& first) {
  if (!holding.left) return "holds a key without an expiry, so it is no lock";
  if (first == nullptr) first = &holding.token;
  return holding.token == *first ? "holds a token" : "holds another token";
}

std::string describe_undecided(const Locks& locks, const zval* resource, std::string_view method) {
  std::string text = std::string(method) + ": it is not known whether a majority of " +
                     std::to_string(locks.server_count) + " servers holds " +
                     in_quotes(resources_from(resource).only().view()) + " (needs " +
                     std::to_string(locks.outcome.quorum.grants()) + ")";
  const char* separator = ": ";
  const Token* first = nullptr;
  for (std::size_t i = 0; i < locks.of_servers.size(); ++i) {
    const Inspected& server = locks.of_servers[i];
    const std::optional<Holding>& holding = server.seen.holding;
    if (!holding && server.error.empty()) continue;
    text.append(separator).append(locks.servers[i]).append(": ");
    text += holding ? holds(*holding, first) : server.error;
    separator = "; ";
  }
  return text;
}

// An empty one is none.
void add_text(zval* into, const char* key, std::string_view text) {
  if (text.empty()) return add_assoc_null(into, key);
  add_assoc_stringl(into, key, text.data(), text.size());
}

void put_token(zval* into, const Token& token) {
  const std::string_view text = token.view();
  add_assoc_stringl(into, "token", text.data(), text.size());
  add_text(into, "owner", owner_of(token));
}

void put_holding(zval* into, const Holding& holding) {
  put_token(into, holding.token);
  if (holding.left) {
    add_assoc_double(into, "ttl", holding.left->as_ms());
  } else {
    add_assoc_null(into, "ttl");
  }
}

void put_line(zval* into, const std::vector<Waiter>& line) {
  zval list;
  array_init(&list);
  for (const Waiter& waiter : line) {
    zval one;
    array_init(&one);
    put_token(&one, waiter.token);
    add_assoc_double(&one, "waited", waiter.waited.as_ms());
    add_next_index_zval(&list, &one);
  }
  add_assoc_zval(into, "line", &list);
}

void put_seen(zval* into, const LockState& seen) {
  if (seen.holding) {
    put_holding(into, *seen.holding);
  } else {
    for (const char* key : {"token", "owner", "ttl"}) add_assoc_null(into, key);
  }
  if (seen.waiters) {
    add_assoc_long(into, "waiters", static_cast<zend_long>(*seen.waiters));
  } else {
    add_assoc_null(into, "waiters");
  }
  put_line(into, seen.line);
  if (seen.readers) {
    add_assoc_long(into, "readers", static_cast<zend_long>(*seen.readers));
  } else {
    add_assoc_null(into, "readers");
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

void throw_undecided(Locks& locks, const zval* resource, std::string_view method) {
  const auto describe = [&] { locks.message = describe_undecided(locks, resource, method); };
  if (!guarded({}, describe)) return;
  throw_for_servers(quorum_exception_class, locks.message.c_str(), locks.troubles);
}

void put_inspection(zval* into, const Locks& locks, zval* resource) {
  array_init(into);
  Z_TRY_ADDREF_P(resource);
  add_assoc_zval(into, "resource", resource);
  add_assoc_bool(into, "decided", locks.decided);
  put_seen(into, locks.of_majority);
  zval servers;
  array_init(&servers);
  for (std::size_t i = 0; i < locks.of_servers.size(); ++i) {
    const Inspected& server = locks.of_servers[i];
    zval shown;
    array_init(&shown);
    put_seen(&shown, server.seen);
    add_text(&shown, "error", server.error);
    add_assoc_zval_ex(&servers, locks.servers[i].data(), locks.servers[i].size(), &shown);
  }
  add_assoc_zval(into, "servers", &servers);
}

}  // namespace redlock::php
