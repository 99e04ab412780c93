// Calls: what they reported and how long they took, against what was so.
#include <algorithm>

#include "sim/checker.hpp"
#include "sim/liveness/excuses.hpp"
#include "sim/record/hash.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

namespace {
constexpr std::int64_t kBudgetToleranceNs = 10'000;
}

void Checker::begins(Contender party, bool waits) {
  if (waits) waits_.begins(party, now_ns_);
  const std::string name = resource_name(party.resource);
  std::uint32_t occupied = 0;
  std::uint32_t cut_off = 0;
  for (std::uint32_t server = 0; server < plan_.servers; ++server) {
    const ServerView& view = servers_[server];
    const std::int64_t now_ms = view.clock->at(now_ns_) / kMs;
    const bool taken = std::ranges::any_of(view.keyspace->entries(), [&](const Entry& entry) {
      return entry.name == name && view.keyspace->alive(entry, now_ms);
    });
    const bool sound = links_ == nullptr || links_->sound(party.client, server);
    occupied |= static_cast<std::uint32_t>(taken) << server;
    cut_off |= static_cast<std::uint32_t>(!sound) << server;
  }
  availability_.call_begins(party, now_ns_, occupied, cut_off);
}

// What passes is tried again soon.
void Checker::asked_to_be_heard(std::uint32_t client, std::uint32_t server,
                                std::string_view answer) {
  if (!answer.starts_with('-')) {
    availability_.is_heard(client, server);
  } else if (answer.starts_with("-NOPERM")) {
    availability_.refused_to_be_heard(client, server, now_ns_);
  }
}

void Checker::crowd_begins(std::uint32_t client) {
  crowded_ = client;
  leftovers_.note_crowd(client, kForever);
}

void Checker::crowd_ends(std::uint32_t client) {
  if (crowded_ != client) return;
  crowded_.reset();
  for (std::uint32_t i = 0; i < plan_.resources; ++i) availability_.excuse({client, i}, now_ns_);
  leftovers_.note_crowd(client, now_ns_);
}

void Checker::returned(Contender party, std::int64_t took_ns, std::int64_t paused_ns,
                       std::int64_t budget_ns) {
  // One of a handler, while the call that shortens the lock goes on.
  const bool within = hold_of(party).exchanges > 0;
  if (!within) returns_[place_of(party)].push_back(now_ns_);
  if (lines_) end_wait(party);
  if (paused_ns > 0 || crowded_ == party.client) availability_.excuse(party, now_ns_);
  // A clock that changes its rate while a timer runs is late or early by what it gained.
  const std::int64_t bent_ns =
      plan_.has(FaultClass::client_clock_rate) ? plan_.drifted_ns(took_ns) - took_ns : 0;
  if (took_ns <= budget_ns + paused_ns + bent_ns + kBudgetToleranceNs) return;
  report(ViolationKind::over_budget, who(party.client) + " waited " + in_ms(took_ns) + ", budget " +
                                         in_ms(budget_ns) + ", paused " + in_ms(paused_ns));
}

void Checker::reported(Contender party, Verb verb, std::string_view token, const Outcome& outcome) {
  const bool granted = outcome.decision == Decision::granted;
  check_replies(party, verb, token, outcome);
  if (verb == Verb::take && granted) leftovers_.note_granted(token_hash(token));
  if (verb == Verb::take) check_refused(party, outcome);
  for (std::uint32_t server = 0; server < outcome.nodes.size(); ++server) {
    const NodeReport& node = outcome.nodes[server];
    if (node.answered && node.reply.answer != Answer::unknown)
      availability_.answered(party, server);
  }
  if (verb != Verb::release) return;
  leftovers_.note_released(token_hash(token), now_ns_);
  if (granted) check_released(party, token);
}

void Checker::reported_of_released(Contender party, const Outcome& outcome) {
  note_judged(ViolationKind::trusted_after_release);
  if (outcome.decision != Decision::granted) return;
  report(ViolationKind::trusted_after_release,
         who(party.client) + " is told that it has a lock that it released meanwhile");
}

void Checker::check_replies(Contender party, Verb verb, std::string_view token,
                            const Outcome& outcome) {
  if (!judged_under(ViolationKind::wrong_reply, plan_)) return;
  for (std::uint32_t server = 0; server < outcome.nodes.size(); ++server) {
    const NodeReport& node = outcome.nodes[server];
    if (!node.answered || node.reply.answer == Answer::unknown) continue;
    const bool said = node.reply.answer == Answer::granted;
    const Deeds& done = deeds(party, server, verb);
    const std::uint64_t hash = token_hash(token);
    // Of a failed attempt the token is not known, and whoever waits tells of an earlier one too.
    const bool any = token.empty() || (verb == Verb::take && plan_.course(party).wait_ms >= 0);
    const bool so = std::ranges::any_of(done, [&](const Mark& mark) {
      return mark.granted == said && (any || mark.token == hash);
    });
    note_judged(ViolationKind::wrong_reply);
    if (so) continue;
    report(ViolationKind::wrong_reply, who(party.client) + " took an answer of server " +
                                           std::to_string(server) + " for what it is not");
  }
}

// A majority that is well and free is enough, whatever happens to the others.
void Checker::check_refused(Contender party, const Outcome& outcome) {
  if (final_attempt_ || !availability_.owed(party, now_ns_)) return;
  note_judged(ViolationKind::unavailable);
  if (outcome.decision == Decision::granted) return;
  report(ViolationKind::unavailable,
         who(party.client) + " was refused by a majority that was well and free");
}

bool Checker::stands(std::uint32_t server, std::string_view value) const {
  const ServerView& view = servers_[server];
  const std::int64_t now_ms = view.clock->at(now_ns_) / kMs;
  return std::ranges::any_of(view.keyspace->entries(), [&](const Entry& entry) {
    return entry.value == value && view.keyspace->alive(entry, now_ms);
  });
}

// The release was confirmed: a majority has removed it, and it cannot come back there.
void Checker::check_released(Contender party, std::string_view value) {
  if (!judged_under(ViolationKind::left_behind, plan_)) return;
  note_judged(ViolationKind::left_behind);
  std::uint32_t left = 0;
  for (std::uint32_t server = 0; server < plan_.servers; ++server) {
    // What a crash brought back ends before that server is there again.
    if (servers_[server].down_until_ns > now_ns_) continue;
    if (stands(server, value) && !leftovers_.joined_late(server, token_hash(value))) ++left;
  }
  if (left + plan_.servers / 2 + 1 <= plan_.servers) return;
  report(ViolationKind::left_behind, who(party.client) + " was told that its lock is gone, and " +
                                         std::to_string(left) + " servers keep it");
}

}  // namespace redlock::sim
