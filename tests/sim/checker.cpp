// Holds and majorities: what clients were told against what is so.
#include "sim/checker.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <utility>

#include "sim/record/hash.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

namespace {

constexpr std::size_t kViolationsMax = 16;

constexpr std::array<std::string_view, kViolationKinds> kNames{"two-holders",
                                                               "validity-beyond-expiry",
                                                               "no-distinct-majority",
                                                               "foreign-removed",
                                                               "held-majority-lost",
                                                               "foreign-extended",
                                                               "live-overwritten",
                                                               "no-expiry",
                                                               "outlives-ttl",
                                                               "left-behind",
                                                               "not-undone",
                                                               "undone-late",
                                                               "release-late",
                                                               "unavailable",
                                                               "wrong-reply",
                                                               "over-budget",
                                                               "connection-given-up",
                                                               "connection-misused",
                                                               "sent-too-late",
                                                               "nobody-acquires",
                                                               "endless",
                                                               "removal-lost",
                                                               "wrong-database",
                                                               "parents-touched",
                                                               "trusted-after-release",
                                                               "kept-too-long",
                                                               "wrongly-served",
                                                               "vote-given-away",
                                                               "out-of-order",
                                                               "waits-in-vain",
                                                               "dead-in-line"};

}  // namespace

std::string_view name_of(ViolationKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

Checker::Checker(const Plan& plan, std::vector<ServerView> servers)
    : plan_(plan),
      servers_(std::move(servers)),
      lines_(plan.has_lines()),
      book_(plan),
      waits_(plan),
      leftovers_(plan),
      availability_(plan),
      holds_(plan.clients.size() * plan.resources),
      deeds_(holds_.size() * plan.servers * static_cast<std::size_t>(Verb::count)),
      owned_(plan.servers),
      returns_(holds_.size()) {}

void Checker::watch(const Links& links) {
  links_ = &links;
  leftovers_.watch(links);
}

void Checker::report(ViolationKind kind, std::string text) {
  if (violations_.size() < kViolationsMax) violations_.push_back({kind, now_ns_, std::move(text)});
}

void Checker::check_overlap(Contender party, std::int64_t until_ns) {
  if (until_ns <= now_ns_) return;
  for (std::uint32_t other = 0; other < plan_.clients.size(); ++other) {
    const Hold& hold = hold_of({other, party.resource});
    if (other == party.client || !hold.active || hold.until_ns <= now_ns_) continue;
    report(ViolationKind::two_holders,
           who(party.client) + " was granted the lock that " + who(other) +
               (hold.until_ns == kForever ? std::string(" still uses")
                                          : " holds until " + in_ms(hold.until_ns)));
  }
}

// From then on somebody else could get this server's vote.
std::int64_t Checker::blocked_until(std::uint32_t server, const Hold& hold) {
  const ServerView& view = servers_[server];
  const std::int64_t down_until_ns = std::max(view.down_until_ns, std::int64_t{0});
  const std::int64_t now_ms = view.clock->at(now_ns_) / kMs;
  for (const Entry& entry : view.keyspace->entries()) {
    if (!hold.holds(entry.value) || !view.keyspace->alive(entry, now_ms)) continue;
    const std::string& value = entry.value;
    std::int64_t free_ms = entry.expires_ms ? *entry.expires_ms + 1 : kForever / kMs;
    if (plan_.kind == LockKind::stamp) {
      std::int64_t stamp = 0;
      std::from_chars(value.data(), value.data() + value.size(), stamp);
      free_ms = std::min(free_ms, (stamp + 1) * (plan_.stamps_in_seconds ? 1000 : 1));
    }
    return std::max(down_until_ns, view.clock->when(free_ms * kMs));
  }
  return down_until_ns;
}

void Checker::check_majority(Contender party, const Hold& hold, std::optional<Verb> made_by) {
  const std::size_t majority = plan_.servers / 2 + 1;
  std::size_t really_set = 0;
  for (std::uint32_t server = 0; made_by && server < plan_.servers; ++server) {
    const Deeds& done = deeds(party, server, *made_by);
    const std::uint64_t token = token_hash(hold.value);
    really_set +=
        std::ranges::count_if(
            done, [token](const Mark& mark) { return mark.granted && mark.token == token; }) > 0
            ? 1
            : 0;
  }
  if (made_by && really_set < majority) {
    report(ViolationKind::no_distinct_majority,
           who(party.client) + " was granted a lock that only " + std::to_string(really_set) +
               " servers have set");
  }
  const std::int64_t ends_ns = majority_ends(hold);
  if (ends_ns < hold.until_ns) {
    report(ViolationKind::validity_beyond_expiry, who(party.client) + " was told " +
                                                      in_ms(hold.until_ns) +
                                                      ", a majority ends at " + in_ms(ends_ns));
  }
}

std::int64_t Checker::majority_ends(const Hold& hold) {
  std::array<std::int64_t, kNodesMax> ends{};
  for (std::uint32_t server = 0; server < plan_.servers; ++server) {
    ends[server] = blocked_until(server, hold);
  }
  std::sort(ends.begin(), ends.begin() + plan_.servers, std::greater<>());
  return ends[plan_.servers / 2];
}

// After a removal: a minority's vote may go, for it was never counted. A swap may let a majority
// end sooner, but no sooner than its client believes.
void Checker::check_held_majority(Contender party) {
  const Hold& hold = hold_of(party);
  if (!hold.active || hold.until_ns <= now_ns_ || hold.until_ns == kForever) return;
  if (majority_ends(hold) >= hold.until_ns) return;
  report(ViolationKind::held_majority_lost,
         who(party.client) + " holds a lock of which a command has removed the majority");
}

void Checker::granted(Contender party, const std::string& value, std::int64_t until_ns) {
  ++grant_count_;
  granted_.push_back(hash_text(value));
  // The documents' clients keep no account of what a majority needs.
  const Hold hold{true, value, until_ns};
  if (!plan_.clients[party.client].legacy) check_majority(party, hold, Verb::take);
  if (lines_) check_order(party, value);
  check_overlap(party, until_ns);
  hold_of(party) = hold;
}

void Checker::extended(Contender party, const std::string& value, std::int64_t until_ns) {
  check_majority(party, {true, value, until_ns}, std::nullopt);
  check_overlap(party, until_ns);
  Hold& hold = hold_of(party);
  hold = {true, value, std::max(hold.until_ns, until_ns), {}, hold.exchanges};
}

void Checker::shortens(Contender party, const std::string& fresh, std::int64_t until_ns) {
  Hold& hold = hold_of(party);
  hold.before.push_back(std::exchange(hold.value, fresh));
  hold.until_ns = std::min(hold.until_ns, until_ns);
  ++hold.exchanges;
  fresh_.push_back(hash_text(fresh));
}

void Checker::transferred(Contender party) {
  const Hold& hold = hold_of(party);
  transferred_.push_back(hash_text(hold.value));
  for (const std::string& token : hold.before) transferred_.push_back(hash_text(token));
}

bool Checker::was_transferred(std::uint64_t value) const {
  return std::ranges::find(transferred_, value) != transferred_.end();
}

// A call within another one returns to a handler, and what that one sends may go on.
void Checker::end_exchange(Contender party) {
  Hold& hold = hold_of(party);
  if (hold.exchanges > 0) --hold.exchanges;
  if (hold.exchanges == 0) returns_[place_of(party)].push_back(now_ns_);
}

void Checker::shortened(Contender party, const std::string& held, const std::string& fresh,
                        std::int64_t until_ns) {
  granted_.push_back(hash_text(fresh));
  leftovers_.note_granted(token_hash(fresh));
  Hold& hold = hold_of(party);
  hold = {hold.active, fresh, until_ns, {}, hold.exchanges};
  end_exchange(party);
  check_majority(party, hold, Verb::swap);
  check_overlap(party, until_ns);
  leftovers_.note_released(token_hash(held), now_ns_);
  check_released(party, held);
}

void Checker::not_shortened(Contender party, const std::string& held) {
  given_up(party);
  hold_of(party).before.clear();
  end_exchange(party);
  leftovers_.note_released(token_hash(held), now_ns_);
}

void Checker::overtaken(Contender party, const std::string& held, const std::string& fresh) {
  end_exchange(party);
  if (was_transferred(hash_text(held))) return;
  granted_.push_back(hash_text(fresh));
  leftovers_.note_granted(token_hash(fresh));
  for (const std::string& token : {held, fresh}) {
    leftovers_.note_released(token_hash(token), now_ns_);
  }
}

void Checker::overstays(Contender party) { hold_of(party).until_ns = kForever; }

void Checker::given_up(Contender party) { hold_of(party).active = false; }

void Checker::all_given_up(std::uint32_t client) {
  book_.note_ended(client, now_ns_);
  for (std::uint32_t i = 0; i < plan_.resources; ++i) waits_.ends({client, i});
  for (std::uint32_t i = 0; i < plan_.resources; ++i) hold_of({client, i}) = {};
}

void Checker::falls_silent(std::uint32_t client) {
  for (std::uint32_t i = 0; i < plan_.resources; ++i) waits_.falls_silent({client, i}, now_ns_);
}

bool Checker::held_now(std::string_view value) const {
  return std::ranges::any_of(holds_, [this, value](const Hold& hold) {
    return hold.active && hold.until_ns > now_ns_ && hold.holds(value);
  });
}

}  // namespace redlock::sim
