// Lines: what joins and passes did, and for whom.
#include <algorithm>
#include <array>

#include "sim/checker.hpp"
#include "sim/liveness/excuses.hpp"
#include "sim/record/hash.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

LineView Checker::look_at(std::uint32_t server, std::string_view key) const {
  const ServerView& view = servers_[server];
  return look_at_line(*view.keyspace, key, view.clock->at(now_ns_) / kMs);
}

void Checker::command_begins(const Origin& origin, const Deed& deed) {
  swap_ = {};
  if (deed.verb == Verb::swap) {
    swap_ = {origin.client, token_hash(deed.held), token_hash(deed.token)};
  }
  judges_line_ = lines_ && (deed.joins || deed.passes);
  passes_ = lines_ && deed.passes ? token_hash(deed.token) : 0;
  if (!judges_line_) return;
  const ServerView& view = servers_[origin.server];
  const Conditions* const now = view.conditions;
  const bool serves = now == nullptr || !(now->read_only || now->cannot_save || now->no_line_keys);
  twin_.begins(deed, look_at(origin.server, deed.key), view.clock->at(now_ns_) / kMs, serves);
}

void Checker::end_line_command(const Origin& sender, const Deed& deed, std::string_view answer) {
  judges_line_ = false;
  if (answer.empty()) return;
  Origin origin = sender;
  origin.resource = resource_named(deed.key);
  const LineView after = look_at(origin.server, deed.key);
  const std::string wrong = twin_.ends(answer, after);
  twin_.count(after, line_counts_);
  note_judged(ViolationKind::wrongly_served);
  if (!wrong.empty()) {
    report(ViolationKind::wrongly_served, "server " + std::to_string(origin.server) + ": " + wrong);
  }
  if (deed.joins && !answer.starts_with('-')) {
    Waiter& waiter = book_.note_join(origin, deed, now_ns_);
    waiter.over = !waits_.under_way(waiter.party, origin.written_ns);
    waits_.joined(origin.client, origin.server, origin.written_ns);
    if (!waiter.over) availability_.stands_in_line(waiter.party, origin.server);
    if (deed.done(answer)) waiter.places[origin.server].note_given(now_ns_);
  }
  if (deed.joins) check_dead(origin.server, after);
  if (twin_.stays()) leftovers_.note_stays(origin.server, token_hash(deed.token));
  if (twin_.handed()) note_handed(origin, *twin_.handed());
}

// It is that client's take, by its latest join.
void Checker::note_handed(const Origin& origin, const std::string& value) {
  const std::uint64_t token = token_hash(value);
  Waiter* const waiter = book_.find(token);
  if (waiter == nullptr) {
    return report(ViolationKind::wrongly_served, who(origin.client) + " handed a lock to nobody");
  }
  waiter->places[origin.server].note_given(now_ns_);
  if (waiter->over) availability_.key_set_for_earlier_lease(origin.server, waiter->party);
  deeds(waiter->party, origin.server, Verb::take).push_back({token, true});
}

void Checker::review_waits(std::uint32_t resource) {
  std::array<std::int64_t, kNodesMax> free_ns{};
  const std::string name = resource_name(resource);
  for (std::uint32_t server = 0; server < plan_.servers; ++server) {
    const ServerView& view = servers_[server];
    const Entry* const lock = alive_entry(*view.keyspace, name, view.clock->at(now_ns_) / kMs);
    free_ns[server] = view.down_until_ns;
    if (lock == nullptr) continue;
    const Waiter* const waiter = book_.find(token_hash(held_by(*lock)));
    if (waiter != nullptr && !waiter->over && waiter->ended_ns == Waiter::kNever) continue;
    const std::int64_t until_ms = lock->expires_ms ? *lock->expires_ms + 1 : kForever / kMs;
    free_ns[server] = std::max(free_ns[server], view.clock->when(until_ms * kMs));
  }
  std::sort(free_ns.begin(), free_ns.begin() + plan_.servers);
  waits_.can_be_had(resource, free_ns[plan_.servers / 2], now_ns_);
  if (const auto party = waits_.in_vain(resource, now_ns_)) {
    report(ViolationKind::waits_in_vain,
           who(party->client) + " waits for a lock that could be had for long");
  }
}

void Checker::end_wait(Contender party) {
  review_waits(party.resource);
  if (waits_.judges(party, now_ns_)) note_judged(ViolationKind::waits_in_vain);
  waits_.ends(party);
  book_.note_over(party);
  review_waits(party.resource);
}

// Who is granted a lock in quiet is the first of those who wait for it.
void Checker::check_order(Contender party, std::string_view value) {
  const Waiter* const served = book_.find(token_hash(value));
  if (served == nullptr) return;
  ++line_counts_.in_line;
  if (!waits_.quiet()) return;
  note_judged(ViolationKind::out_of_order);
  for (const Waiter& one : book_.all()) {
    if (&one == served || !waits_.precedes(one, *served)) continue;
    report(ViolationKind::out_of_order,
           who(party.client) + " was served before " + who(one.party.client));
  }
}

// Somebody has joined, and so have all others who live, as often as they must. Whoever is gone is
// seen by a neighbour who lives; of several in a row, when the last of them is.
void Checker::check_dead(std::uint32_t server, const LineView& after) {
  constexpr std::int64_t kDeadNs = 25'000 * kMs;
  constexpr std::int64_t kHeartbeatNs = 10'000 * kMs;
  constexpr std::int64_t kMarginNs = 2'000 * kMs;
  const std::int64_t settled_ns = plan_.drifted_ns(kHeartbeatNs) + kMarginNs;
  if (now_ns_ < waits_.calm_from_ns() + settled_ns) return;
  std::int64_t gone_ns = 0;  // the last of those in a row
  bool any_overdue = false;
  for (std::size_t i = 0; i <= after.line.size(); ++i) {
    const Waiter* waiter = nullptr;
    if (i < after.line.size()) {
      waiter = book_.find(token_hash(after.line[i].token));
      if (waiter == nullptr) return;
    }
    if (waiter != nullptr && waiter->ended_ns != Waiter::kNever) {
      gone_ns = std::max({gone_ns, waiter->ended_ns, waiter->places[server].last_ns});
      continue;
    }
    if (waiter != nullptr && waiter->over) return;
    if (waiter != nullptr && waiter->places[server].first_ns + settled_ns > now_ns_) return;
    const std::int64_t overdue_ns = gone_ns + plan_.drifted_ns(kDeadNs) + kMarginNs;
    any_overdue = any_overdue || (gone_ns > 0 && now_ns_ > overdue_ns);
    gone_ns = 0;
  }
  note_judged(ViolationKind::dead_in_line);
  if (!any_overdue) return;
  report(ViolationKind::dead_in_line,
         "server " + std::to_string(server) + " keeps somebody in line who is gone");
}

// Of a lock that is held, by its own client.
void Checker::check_given_away(std::uint32_t client, std::uint32_t server, const Entry& before) {
  const Contender party(client, resource_named(before.name));
  if (!lines_) return;
  note_judged(ViolationKind::vote_given_away);
  // A token that was exchanged goes wherever a majority has the other one: that is judged by what
  // is left of both.
  if (passes_ != token_hash(before.value) || hold_of(party).value != before.value) return;
  report(ViolationKind::vote_given_away,
         who(client) + " gave away a vote of the lock that it holds on server " +
             std::to_string(server));
}

std::uint32_t Checker::owner_of(std::uint32_t executing, std::string_view value) {
  if (book_.empty()) return executing;
  const Waiter* const waiter = book_.find(token_hash(value));
  return waiter == nullptr ? executing : waiter->party.client;
}

void Checker::for_each_standing(std::uint32_t client, std::uint32_t server, std::string_view key,
                                const std::function<void(std::uint64_t)>& visit) {
  if (book_.empty()) return;
  const ServerView& view = servers_[server];
  const std::int64_t now_ms = view.clock->at(now_ns_) / kMs;
  const Entry* const line = alive_entry(*view.keyspace, line_key_of(key), now_ms);
  if (line == nullptr) return;
  for (const Item& stander : line->items) {
    const Waiter* const waiter = book_.find(token_hash(stander.name));
    if (waiter == nullptr || waiter->party.client != client) continue;
    if (!leftovers_.brought_back(server, waiter->token)) visit(waiter->token);
  }
}

}  // namespace redlock::sim
