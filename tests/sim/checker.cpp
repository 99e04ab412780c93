// What is written down, and who is asked.
#include "sim/checker.hpp"

namespace redlock::sim {

namespace {
constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
}

Checker::Checker(const Plan& plan, std::vector<ServerView> servers)
    : record_(plan, std::move(servers)) {}

void Checker::command_begins(const Origin& origin, const Deed& deed) {
  // There only who is inside is judged, and by nothing that a server says.
  if (record_.plan.admits_several()) return;
  record_.swap = {};
  if (deed.verb == Verb::swap) {
    record_.swap = {origin.client, token_hash(deed.held), token_hash(deed.token)};
  }
  record_.passes = record_.lines && deed.passes ? token_hash(deed.token) : 0;
  line_service_.begins(origin, deed);
}

void Checker::command_executed(const Origin& sender, const Deed& deed, std::string_view answer) {
  if (record_.plan.admits_several()) return;
  if (line_service_.end() && !answer.empty()) end_line_command(sender, deed, answer);
  record_.set_for_another = 0;
  record_.swap = {};
  if (deed.verb == Verb::count || answer.empty()) return;
  Origin origin = sender;
  origin.resource = resource_named(deed.key);
  if (record_.lines) waits_.review(origin.resource);
  record_.executed(origin, deed, answer);
  if (answer.front() == '-') return;
  if (deed.verb == Verb::swap) return in_time_.judge(origin, deed);
  if (deed.verb != Verb::take) return;
  // A vote that a server has lost is repaired again, by the renewal thread and on its own
  // connections: what the application's carry is not behind it.
  const bool held_once = record_.was_granted(hash_text(deed.token));
  const Course& course = record_.plan.course({origin.client, origin.resource});
  if (held_once && course.renew_max_ms > 0) return;
  in_time_.judge(origin, deed);
  leftovers_.came_back(origin, deed);
}

void Checker::end_line_command(Origin origin, const Deed& deed, std::string_view answer) {
  origin.resource = resource_named(deed.key);
  const LineView after = record_.look_at(origin.server, deed.key);
  const LineTwin& twin = line_service_.twin();
  line_service_.judge(origin, answer, after);
  if (deed.joins && !answer.starts_with('-')) {
    const Waiter& waiter = record_.joined(origin, deed, answer);
    waits_.joined(origin);
    if (!waiter.over) availability_.stands_in_line(waiter.party, origin.server);
  }
  if (deed.joins) dead_in_line_.judge(origin.server, after);
  if (twin.stays()) record_.removals.known(origin.server, token_hash(deed.token)).stays = true;
  if (!twin.handed()) return;
  const Waiter* const waiter = record_.handed(origin.server, *twin.handed());
  if (waiter == nullptr) return line_service_.handed_to_nobody(origin);
  if (waiter->over) availability_.key_set_for_earlier_lease(origin.server, waiter->party);
}

void Checker::key_changes(std::optional<std::uint32_t> client, std::uint32_t server,
                          const Entry* before, const Entry* after) {
  if (record_.plan.admits_several()) return;
  const Entry* const entry = after == nullptr ? before : after;
  if (entry != nullptr && is_fence_key(entry->name)) {
    if (client && after != nullptr) fences_.recorded(*client, server, before, *after);
    return;
  }
  if (record_.lines && (entry == nullptr || is_line_key(entry->name))) return;
  const std::uint32_t owner = client && after != nullptr ? record_.owner_of(*client, after->value)
                                                         : client.value_or(kNobody);
  if (after != nullptr) availability_.key_set(server, {owner, resource_named(after->name)});
  if (!client) return;
  if (after != nullptr) return key_created(*client, owner, server, before, *after);
  if (before != nullptr) key_removed(*client, server, *before);
}

void Checker::key_created(std::uint32_t client, std::uint32_t owner, std::uint32_t server,
                          const Entry* before, const Entry& after) {
  if (owner != client) record_.set_for_another = hash_text(after.value);
  if (record_.is_swap(client, before, after)) majority_.suspect();
  judge_created(record_, client, server, before, after);
  const bool same = before != nullptr && before->value == after.value;
  expiry_.created({owner, resource_named(after.name)}, server, after.value, same,
                  record_.plan.clients[client].legacy);
}

void Checker::key_removed(std::uint32_t client, std::uint32_t server, const Entry& before) {
  // It was handed to somebody who could not be reached.
  if (record_.lines && record_.set_for_another == hash_text(before.value)) return;
  if (!judge_removed(record_, client, server, before) || !record_.held_now(before.value)) return;
  majority_.suspect();
  if (record_.lines) judge_given_away(record_, client, server, before);
}

void Checker::granted(Contender party, const std::string& value, std::int64_t until_ns) {
  record_.granted(party, value, until_ns);
  // The documents' clients keep no account of what a majority needs.
  const bool legacy = record_.plan.clients[party.client].legacy;
  if (!legacy) majority_.judge(party, record_.hold_of(party), Verb::take);
  if (record_.lines) order_.judge(party, value);
  judge_two_holders(record_, party, until_ns);
}

void Checker::extended(Contender party, const std::string& value, std::int64_t until_ns) {
  record_.extended(party, value, until_ns);
  majority_.judge(party, {true, value, until_ns}, std::nullopt);
  judge_two_holders(record_, party, until_ns);
}

void Checker::shortened(Contender party, const std::string& held, const std::string& fresh,
                        std::int64_t until_ns) {
  record_.shortened(party, held, fresh, until_ns);
  majority_.judge(party, record_.hold_of(party), Verb::swap);
  judge_two_holders(record_, party, until_ns);
  judge_released(record_, party, held);
}

void Checker::falls_silent(std::uint32_t client) {
  for (std::uint32_t i = 0; i < record_.plan.resources; ++i) waits_.falls_silent({client, i});
}

void Checker::begins(Contender party, bool waits) {
  if (waits) waits_.begins(party);
  availability_.call_begins(party);
}

void Checker::returned(Contender party, std::int64_t took_ns, std::int64_t paused_ns,
                       std::int64_t budget_ns) {
  // Of one of a handler: the call that shortens the lock goes on.
  record_.returned(party);
  if (record_.lines) waits_.ends(party);
  if (paused_ns > 0 || record_.crowded == party.client) availability_.excuse(party);
  judge_budget(record_, party, took_ns, paused_ns, budget_ns);
}

void Checker::reported(Contender party, Verb verb, std::string_view token, const Outcome& outcome) {
  const bool granted = outcome.decision == Decision::granted;
  judge_answers(record_, party, verb, token, outcome);
  if (verb == Verb::take && granted) record_.removals.note_granted(token_hash(token));
  if (verb == Verb::take) availability_.judge(party, outcome);
  availability_.answered(party, outcome);
  if (verb != Verb::release) return;
  record_.removals.note_released(token_hash(token), record_.now_ns);
  if (granted) judge_released(record_, party, token);
}

void Checker::crowd_begins(std::uint32_t client) {
  record_.crowded = client;
  leftovers_.crowd_begins(client);
}

void Checker::crowd_ends(std::uint32_t client) {
  if (record_.crowded != client) return;
  record_.crowded.reset();
  for (std::uint32_t i = 0; i < record_.plan.resources; ++i) availability_.excuse({client, i});
  leftovers_.crowd_ends(client);
}

void Checker::after_event() {
  majority_.after_event();
  expiry_.after_event();
}

}  // namespace redlock::sim
