// Keys and commands: what servers did against what they may have been made to do.
#include <algorithm>
#include <array>
#include <charconv>

#include "sim/checker.hpp"
#include "sim/liveness/excuses.hpp"
#include "sim/record/hash.hpp"

namespace redlock::sim {

namespace {

// What RedLock's formula allows for, in the clock of the world.
constexpr std::int64_t kDriftFloorNs = 3 * kMs;
// A stamp in seconds is rounded up.
constexpr std::int64_t kWholeSecondMs = 1000;
constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Checker::Deeds& Checker::deeds(Contender party, std::uint32_t server, Verb verb) {
  return deeds_[(place_of(party) * plan_.servers + server) * static_cast<std::size_t>(Verb::count) +
                static_cast<std::size_t>(verb)];
}

Checker::Owned* Checker::owned(std::uint32_t server, std::string_view value) {
  const std::uint64_t hash = hash_text(value);
  for (Owned& one : owned_[server]) {
    if (one.value == hash) return &one;
  }
  return nullptr;
}

void Checker::command_executed(const Origin& sender, const Deed& deed, std::string_view answer) {
  if (judges_line_) end_line_command(sender, deed, answer);
  set_for_another_ = 0;
  swap_ = {};
  if (deed.verb == Verb::count || answer.empty()) return;
  if (lines_) review_waits(resource_named(deed.key));
  Origin origin = sender;
  origin.resource = resource_named(deed.key);
  const Contender party(origin.client, origin.resource);
  const bool refused = answer.front() == '-';
  const std::uint64_t token = token_hash(deed.token);
  if (deed.verb == Verb::release) leftovers_.note_removal(origin, token, refused, now_ns_);
  if (refused) return;
  const bool granted = deed.done(answer);
  deeds(party, origin.server, deed.verb).push_back({token, granted});
  if (deed.verb == Verb::swap) {
    leftovers_.note_take(origin, token, granted, now_ns_);
    // The old token goes by that: a join of it that comes behind is a late one.
    if (granted) leftovers_.note_removal(origin, token_hash(deed.held), false, now_ns_);
    if (origin.written_ns > 0) check_in_time(party, deed, origin.written_ns);
  }
  if (deed.verb != Verb::take) return;
  if (deed.joins) {
    leftovers_.note_join(origin, token, now_ns_);
  } else {
    leftovers_.note_take(origin, token, granted, now_ns_);
  }
  // A vote that a server has lost is repaired again, by the renewal thread and on its own
  // connections: what the application's carry is not behind it.
  const bool held_once = std::ranges::find(granted_, hash_text(deed.token)) != granted_.end();
  if (held_once && plan_.course(party).keep_max_ms > 0) return;
  if (origin.written_ns > 0) check_in_time(party, deed, origin.written_ns);
  check_leftovers(origin, deed);
}

// What its client gave up and came back behind must be gone by now.
void Checker::check_leftovers(const Origin& origin, const Deed& deed) {
  if (final_attempt_ || !judged_under(ViolationKind::not_undone, plan_)) return;
  const Leftovers::Occasions occasions = leftovers_.occasions(origin, token_hash(deed.token));
  note_judged(ViolationKind::not_undone, occasions.undone);
  note_judged(ViolationKind::left_behind, occasions.released);
  const ServerView& view = servers_[origin.server];
  const std::int64_t now_ms = view.clock->at(now_ns_) / kMs;
  for (const Entry& entry : view.keyspace->entries()) {
    if (entry.name != deed.key) continue;
    const Owned* known = owned(origin.server, entry.value);
    if (known == nullptr || known->client != origin.client) continue;
    if (!view.keyspace->alive(entry, now_ms) || was_transferred(known->value)) continue;
    const auto kind = leftovers_.overdue(origin, token_hash(deed.token), token_hash(entry.value));
    if (kind == Leftovers::Kind::none) continue;
    const bool released = kind == Leftovers::Kind::released;
    report(released ? ViolationKind::left_behind : ViolationKind::not_undone,
           "client " + std::to_string(origin.client) + " came back to server " +
               std::to_string(origin.server) + ", and its " +
               (released ? "released lock" : "failed attempt") + " is still there");
  }
  for_each_standing(origin.client, origin.server, deed.key, [&](std::uint64_t token) {
    if (was_transferred(token)) return;
    const auto kind = leftovers_.overdue(origin, token_hash(deed.token), token);
    if (kind == Leftovers::Kind::none) return;
    report(
        kind == Leftovers::Kind::released ? ViolationKind::left_behind : ViolationKind::not_undone,
        "client " + std::to_string(origin.client) + " came back to server " +
            std::to_string(origin.server) + ", and still stands in line there");
  });
}

// What was not sent in time is never sent: an attempt's takes are written within its time, and none
// after the call has returned. What the kernel took in part has to be finished.
void Checker::check_in_time(Contender party, const Deed& deed, std::int64_t written_ns) {
  if (!judged_under(ViolationKind::sent_too_late, plan_)) return;
  const std::uint64_t hash = token_hash(deed.token);
  const auto known = std::ranges::find(written_, hash, &Written::token);
  if (known == written_.end()) return written_.push_back({hash, written_ns, written_ns});
  known->first_ns = std::min(known->first_ns, written_ns);
  known->last_ns = std::max(known->last_ns, written_ns);
  // Of connecting, and of the answer.
  const std::int64_t time_ns = 2 * plan_.timeout_of(party) * kMs;
  // Who waits joins again and again.
  const bool overdue = !deed.joins && known->last_ns - known->first_ns > plan_.drifted_ns(time_ns);
  const bool returned = std::ranges::any_of(returns_[place_of(party)], [&](std::int64_t at_ns) {
    return known->first_ns < at_ns && at_ns < known->last_ns;
  });
  // The final attempt has a time of its own.
  if (!returned && (!overdue || final_attempt_)) return;
  report(ViolationKind::sent_too_late,
         "client " + std::to_string(party.client) + " sent a take " +
             (returned ? "after its call had returned" : "whose time was over"));
}

void Checker::key_changes(std::optional<std::uint32_t> client, std::uint32_t server,
                          const Entry* before, const Entry* after) {
  const Entry* const entry = after == nullptr ? before : after;
  if (lines_ && (entry == nullptr || is_line_key(entry->name))) return;
  const std::uint32_t owner =
      client && after != nullptr ? owner_of(*client, after->value) : client.value_or(kNobody);
  if (after != nullptr) availability_.key_set(server, {owner, resource_named(after->name)});
  if (!client) return;
  if (after != nullptr) return check_created(*client, owner, server, before, *after);
  if (before != nullptr) check_removed(*client, server, *before);
}

// By the time the client asked for, whatever the server was told: `known` is what it prolongs.
std::int64_t Checker::ttl_asked_for(Contender party, std::uint64_t value, bool known) const {
  const Course& course = plan_.course(party);
  if (swap_.client == party.client && swap_.fresh != 0) return course.shorten_ttl_ms;
  const bool shortened = std::ranges::find(fresh_, value) != fresh_.end();
  // What keeps a lease alive extends it, and repairs it again, by the ttl that it has.
  const std::int64_t own_ms = shortened ? course.shorten_ttl_ms : course.ttl_ms;
  if (known && (course.extends > 0 || course.extend_ttl_ms != 0)) {
    const std::int64_t asked_ms = course.extend_ttl_ms != 0 ? course.extend_ttl_ms : course.ttl_ms;
    return course.keep_max_ms > 0 ? std::max(asked_ms, own_ms) : asked_ms;
  }
  return own_ms;
}

std::int64_t Checker::gone_by(Contender party, std::uint64_t value, const Owned* known) const {
  std::int64_t ttl_ms = ttl_asked_for(party, value, known != nullptr);
  if (final_attempt_) ttl_ms = std::max(ttl_ms, kTtlMaxMs);
  if (plan_.kind == LockKind::stamp) ttl_ms += plan_.buffer_ms;
  if (plan_.stamps_in_seconds) ttl_ms += kWholeSecondMs;
  const std::int64_t gone_by_ns = now_ns_ + plan_.drifted_ns(ttl_ms * kMs) + kDriftFloorNs;
  // What was there before may have longer.
  return known == nullptr ? gone_by_ns : std::max(gone_by_ns, known->gone_by_ns);
}

// Whoever hands a lock on sets the key for the one who waits.
void Checker::check_created(std::uint32_t client, std::uint32_t owner, std::uint32_t server,
                            const Entry* before, const Entry& after) {
  if (owner != client) set_for_another_ = hash_text(after.value);
  const auto tell = [&](ViolationKind kind, const char* what) {
    report(kind,
           "client " + std::to_string(client) + what + " on server " + std::to_string(server));
  };
  const bool legacy = plan_.clients[client].legacy;
  const bool same = before != nullptr && before->value == after.value;
  const bool swapped = before != nullptr && swap_.client == client && swap_.fresh != 0 &&
                       token_hash(before->value) == swap_.held &&
                       token_hash(after.value) == swap_.fresh;
  if (swapped) held_removed_ = true;
  Owned* known = owned(server, after.value);
  if (same && known != nullptr && known->client != client) {
    tell(ViolationKind::foreign_extended, " extended a foreign lock");
  }
  if (before != nullptr && !same && !swapped &&
      (plan_.kind == LockKind::quorum || held_now(before->value))) {
    tell(ViolationKind::live_overwritten, " overwrote a live lock");
  }
  if (!after.expires_ms && !legacy) {
    tell(ViolationKind::no_expiry, " left a key without an expiry");
  }
  const std::int64_t gone_by_ns = legacy ? kForever
                                         : gone_by({owner, resource_named(after.name)},
                                                   hash_text(after.value), same ? known : nullptr);
  earliest_gone_by_ns_ = std::min(earliest_gone_by_ns_, gone_by_ns);
  if (known == nullptr) {
    owned_[server].push_back({hash_text(after.value), owner, gone_by_ns});
  } else {
    known->gone_by_ns = gone_by_ns;
  }
}

void Checker::check_removed(std::uint32_t client, std::uint32_t server, const Entry& before) {
  // It was handed to somebody who could not be reached.
  if (lines_ && set_for_another_ == hash_text(before.value)) return;
  const Owned* known = owned(server, before.value);
  if (known != nullptr && known->client != client) {
    report(ViolationKind::foreign_removed,
           "client " + std::to_string(client) + " removed a lock of client " +
               std::to_string(known->client) + " on server " + std::to_string(server));
  } else if (held_now(before.value)) {
    held_removed_ = true;
    check_given_away(client, server, before);
  }
}

// Of one who waits: a connection that was given up while he waited took no removal with it, for the
// wait went on; what he says on one that the network has forgotten, and that is not looked at
// before he gives up, the next one carries; and some servers let nobody leave.
bool Checker::may_linger(Contender party, std::uint32_t server, std::uint64_t token,
                         bool gave_up_connection) {
  if (!lines_ || book_.find(token) == nullptr) return false;
  if (leftovers_.stays(server, token)) return true;
  if (plan_.course(party).wait_ms < 0) return false;
  return gave_up_connection ||
         (!was_granted(token) && leftovers_.removal_forgotten(party.client, server, token));
}

void Checker::check_undone(Contender party, bool gave_up_connection) {
  const bool undone = judged_under(ViolationKind::undone_late, plan_);
  // A stamp that has too little left is not removed.
  const bool released = judged_under(ViolationKind::release_late, plan_) && !gave_up_connection &&
                        plan_.kind == LockKind::quorum;
  const std::string name = resource_name(party.resource);
  if (undone) note_judged(ViolationKind::undone_late);
  if (released) note_judged(ViolationKind::release_late);
  for (std::uint32_t server = 0; server < plan_.servers; ++server) {
    const ServerView& view = servers_[server];
    const std::int64_t now_ms = view.clock->at(now_ns_) / kMs;
    for (const Entry& entry : view.keyspace->entries()) {
      const Owned* known = owned(server, entry.value);
      if (known == nullptr || known->client != party.client || entry.name != name) continue;
      const bool granted = was_granted(known->value);
      if (!(granted ? released : undone)) continue;
      if (was_transferred(known->value)) continue;
      if (may_linger(party, server, known->value, gave_up_connection)) continue;
      if (!view.keyspace->alive(entry, now_ms)) continue;
      report(granted ? ViolationKind::release_late : ViolationKind::undone_late,
             "a key that client " + std::to_string(party.client) + " gave up is left on server " +
                 std::to_string(server));
    }
    for_each_standing(party.client, server, name, [&](std::uint64_t token) {
      const bool granted = was_granted(token);
      if (!(granted ? released : undone) || was_transferred(token)) return;
      if (may_linger(party, server, token, gave_up_connection)) return;
      report(granted ? ViolationKind::release_late : ViolationKind::undone_late,
             "client " + std::to_string(party.client) + " is left in the line of server " +
                 std::to_string(server));
    });
  }
}

void Checker::after_event() {
  if (held_removed_) {
    held_removed_ = false;
    for (std::uint32_t client = 0; client < plan_.clients.size(); ++client) {
      for (std::uint32_t i = 0; i < plan_.resources; ++i) check_held_majority({client, i});
    }
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
      report(ViolationKind::outlives_ttl, "a key on server " + std::to_string(server) +
                                              " outlives what was asked for, and drift");
    }
  }
}

}  // namespace redlock::sim
