// Keys and commands: what servers did against what they may have been made to do.
#include <algorithm>
#include <array>
#include <charconv>

#include "sim/checker.hpp"
#include "sim/checker_hash.hpp"
#include "sim/sha1.hpp"

namespace redlock::sim {

namespace {

// What RedLock's formula allows for, in the clock of the world.
constexpr std::int64_t kDriftFloorNs = 3 * kMs;

// Must every release reach every server? Nothing makes an answer late, no stamp is kept because
// it has too little left, and no script is unknown: one that is, beside a majority that knew it,
// is repeated at the client's next call.
bool releases_everywhere(const Plan& plan) {
  return plan.kind == LockKind::quorum && !plan.has(FaultClass::slow_link) &&
         !plan.has(FaultClass::reply_at_timeout) && !plan.has(FaultClass::slices) &&
         !plan.has(FaultClass::single_bytes) && !plan.has(FaultClass::script_flush);
}

struct Deed {
  Verb verb = Verb::count;
  std::string_view token;
};

// The scripts by the names under which servers know them, and which of a command's words is the
// token. Written down once more on purpose: the checker believes nothing of what it judges.
struct KnownScript {
  std::string_view sha1;
  Verb verb;
  std::size_t token_at;
};
constexpr std::array kScripts{
    KnownScript{"b6a796aa8d73bb4ce6e26afe648196d086a8d1f1", Verb::release, 4},
    KnownScript{"2061931d7f12c1594c943c46432f9fbe14773ca8", Verb::release, 4},
    KnownScript{"534bd37c93e1dbec335cd1eae3835fedf282b5ce", Verb::extend, 4},
    KnownScript{"91dcb3cc30dcd119457d057157b65a9e90f2b1e0", Verb::check, 4},
    KnownScript{"935bc2f08aac29a5bc0ba26e000ce18db3feb63f", Verb::check, 4},
    KnownScript{"99cb95090d44ce09b3a7df1d5c5853d2e1dfeb77", Verb::take, 5},
};

Deed deed_of(const Arguments& arguments) {
  if (arguments.size() >= 3 && arguments[0] == "SET") return {Verb::take, arguments[2]};
  if (arguments.size() < 5 || !arguments[0].starts_with("EVAL")) return {};
  const std::string name =
      arguments[0] == "EVAL" ? sha1_hex(arguments[1]) : std::string(arguments[1]);
  for (const KnownScript& known : kScripts) {
    if (known.sha1 == name && arguments.size() > known.token_at) {
      return {known.verb, arguments[known.token_at]};
    }
  }
  return {};
}

}  // namespace

Checker::Deeds& Checker::deeds(std::uint32_t client, std::uint32_t server, Verb verb) {
  return deeds_[(client * plan_.servers + server) * static_cast<std::size_t>(Verb::count) +
                static_cast<std::size_t>(verb)];
}

Checker::Owned* Checker::owned(std::uint32_t server, std::string_view value) {
  const std::uint64_t hash = hash_text(value);
  for (Owned& one : owned_[server]) {
    if (one.value == hash) return &one;
  }
  return nullptr;
}

void Checker::command_executed(std::uint32_t client, std::uint32_t server,
                               const Arguments& arguments, std::string_view answer,
                               std::int64_t written_ns) {
  const Deed deed = deed_of(arguments);
  if (deed.verb == Verb::count || answer.empty() || answer.front() == '-') return;
  const bool granted =
      answer == "+OK\r\n" || answer == ":1\r\n" || (answer.front() == '$' && answer != "$-1\r\n");
  deeds(client, server, deed.verb).push_back({token_hash(deed.token), granted});
  if (deed.verb == Verb::take && written_ns > 0) check_in_time(client, deed.token, written_ns);
}

// What was not sent in time is never sent: an attempt's takes are written within its time, and none
// after the call has returned. What the kernel took in part has to be finished.
void Checker::check_in_time(std::uint32_t client, std::string_view token, std::int64_t written_ns) {
  if (plan_.has(FaultClass::short_writes)) return;
  const std::uint64_t hash = token_hash(token);
  const auto known = std::ranges::find(written_, hash, &Written::token);
  if (known == written_.end()) return written_.push_back({hash, written_ns, written_ns});
  known->first_ns = std::min(known->first_ns, written_ns);
  known->last_ns = std::max(known->last_ns, written_ns);
  const std::int64_t time_ns = plan_.timeout_ms * kMs;
  const bool overdue = known->last_ns - known->first_ns > plan_.drifted_ns(time_ns);
  const bool returned = std::ranges::any_of(returns_[client], [&](std::int64_t at_ns) {
    return known->first_ns <= at_ns && at_ns < known->last_ns;
  });
  // The final attempt has a time of its own.
  if (!returned && (!overdue || final_attempt_)) return;
  report(ViolationKind::sent_too_late,
         "client " + std::to_string(client) + " sent a take " +
             (returned ? "after its call had returned" : "whose time was over"));
}

void Checker::reported(std::uint32_t client, Verb verb, std::string_view token,
                       const Outcome& outcome) {
  if (plan_.has(FaultClass::hostile_extra) || plan_.has(FaultClass::hostile_missing)) return;
  for (std::uint32_t server = 0; server < outcome.nodes.size(); ++server) {
    const NodeReport& node = outcome.nodes[server];
    if (!node.answered || node.reply.answer == Answer::unknown) continue;
    const bool said = node.reply.answer == Answer::granted;
    const Deeds& done = deeds(client, server, verb);
    const std::uint64_t hash = token_hash(token);
    // Of a failed attempt the token is not known.
    const bool so = std::ranges::any_of(done, [&](const Mark& mark) {
      return mark.granted == said && (token.empty() || mark.token == hash);
    });
    if (so) continue;
    report(ViolationKind::wrong_reply, "client " + std::to_string(client) +
                                           " took an answer of server " + std::to_string(server) +
                                           " for what it is not");
  }
}

void Checker::key_changes(std::optional<std::uint32_t> client, std::uint32_t server,
                          const Entry* before, const Entry* after) {
  if (!client) return;
  if (after != nullptr) return check_created(*client, server, before, *after);
  if (before != nullptr) check_removed(*client, server, *before);
}

void Checker::check_created(std::uint32_t client, std::uint32_t server, const Entry* before,
                            const Entry& after) {
  const std::string who = "client " + std::to_string(client);
  const std::string where = " on server " + std::to_string(server);
  const bool legacy = plan_.clients[client].legacy;
  const bool same = before != nullptr && before->value == after.value;
  Owned* known = owned(server, after.value);
  if (same && known != nullptr && known->client != client) {
    report(ViolationKind::foreign_extended, who + " extended a foreign lock" + where);
  }
  if (before != nullptr && !same && (plan_.kind == LockKind::quorum || held_now(before->value))) {
    report(ViolationKind::live_overwritten, who + " overwrote a live lock" + where);
  }
  if (!after.expires_ms && !legacy) {
    report(ViolationKind::no_expiry, who + " left a key without an expiry" + where);
  }
  std::int64_t gone_by_ns = kForever;
  if (after.expires_ms && !legacy) {
    const ServerView& view = servers_[server];
    const std::int64_t ttl_ns = *after.expires_ms * kMs - view.clock->at(now_ns_);
    gone_by_ns = now_ns_ + plan_.drifted_ns(ttl_ns) + kDriftFloorNs;
  }
  earliest_gone_by_ns_ = std::min(earliest_gone_by_ns_, gone_by_ns);
  if (known == nullptr) {
    owned_[server].push_back({hash_text(after.value), client, gone_by_ns});
  } else {
    known->gone_by_ns = gone_by_ns;
  }
}

void Checker::check_removed(std::uint32_t client, std::uint32_t server, const Entry& before) {
  const Owned* known = owned(server, before.value);
  if (known != nullptr && known->client != client) {
    report(ViolationKind::foreign_removed,
           "client " + std::to_string(client) + " removed a lock of client " +
               std::to_string(known->client) + " on server " + std::to_string(server));
  } else if (held_now(before.value)) {
    held_removed_ = true;
  }
}

void Checker::check_undone(std::uint32_t client, bool gave_up_connection) {
  const bool releases_too = releases_everywhere(plan_) && !gave_up_connection;
  for (std::uint32_t server = 0; server < plan_.servers; ++server) {
    const ServerView& view = servers_[server];
    const std::int64_t now_ms = view.clock->at(now_ns_) / kMs;
    for (const Entry& entry : view.keyspace->entries()) {
      const Owned* known = owned(server, entry.value);
      if (known == nullptr || known->client != client) continue;
      if (!releases_too && std::ranges::find(granted_, known->value) != granted_.end()) continue;
      if (!view.keyspace->alive(entry, now_ms)) continue;
      report(ViolationKind::not_undone, "a key that client " + std::to_string(client) +
                                            " gave up is left on server " + std::to_string(server));
    }
  }
}

void Checker::after_event() {
  if (held_removed_) {
    held_removed_ = false;
    for (std::uint32_t client = 0; client < holds_.size(); ++client) check_held_majority(client);
  }
  if (now_ns_ <= earliest_gone_by_ns_) return;
  earliest_gone_by_ns_ = kForever;
  for (std::uint32_t server = 0; server < plan_.servers; ++server) {
    const ServerView& view = servers_[server];
    for (const Entry& entry : view.keyspace->entries()) {
      Owned* known = owned(server, entry.value);
      if (known == nullptr) continue;
      if (known->gone_by_ns >= now_ns_) {
        earliest_gone_by_ns_ = std::min(earliest_gone_by_ns_, known->gone_by_ns);
        continue;
      }
      known->gone_by_ns = kForever;
      if (!view.keyspace->alive(entry, view.clock->at(now_ns_) / kMs)) continue;
      report(ViolationKind::left_behind,
             "a key on server " + std::to_string(server) + " outlives its TTL and drift");
    }
  }
}

}  // namespace redlock::sim
