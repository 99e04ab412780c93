// How long a wait may take.
#include "sim/liveness/waits.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/liveness/excuses.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

namespace {

// The first in line asks at least so often; the others so much later for each place.
constexpr std::int64_t kFirstAsksNs = 1'000 * kMs;
constexpr std::int64_t kPlaceNs = 100 * kMs;
// A word that was lost without a sign is missed when it is time for one of life.
constexpr std::int64_t kHeartbeatNs = 10'000 * kMs;
// By then whoever is not heard of is struck out, by a neighbour who comes that often.
constexpr std::int64_t kSilentNs = 15'000 * kMs + kHeartbeatNs;
// Votes that fell to several flow together: joins that follow each other at growing distances.
constexpr std::int64_t kWaitLegs = 60;
// Whoever was in trouble tries again after a pause that may have grown so long; then there are
// connections to be made.
constexpr std::int64_t kRecoveryNs = 1'000 * kMs + 400 * kMs;
constexpr std::int64_t kOfferNs = 1'000 * kMs;
constexpr std::int64_t kMarginNs = 20 * kMs;

bool loses_words(const Plan& plan) {
  return plan.has(FaultClass::half_open) || plan.has(FaultClass::listener_half_open) ||
         plan.has(FaultClass::machine_down) || plan.has(FaultClass::power_cut);
}

std::int64_t longest_timeout_ns(const Plan& plan) {
  std::int64_t longest_ms = plan.timeout_ms;
  for (std::uint32_t client = 0; client < plan.clients.size(); ++client) {
    for (std::uint32_t i = 0; i < plan.resources; ++i) {
      longest_ms = std::max(longest_ms, plan.timeout_of({client, i}));
    }
  }
  return longest_ms * kMs;
}

// Only a connection, an answer and what is awaited in between, for those who wait. Else it is a
// matter of luck, on each new connection anew, when one of them learns of a vote: he keeps what he
// was given, and those behind him are not served either.
bool waiters_learn_in_time(const Plan& plan) {
  constexpr std::int64_t kNewLegs = 4;
  constexpr std::int64_t kSelectLegs = 2;
  // A database and a name are confirmed in one.
  const bool held_back = plan.database != 0 || plan.client_name;
  const std::int64_t legs = held_back ? kNewLegs + kSelectLegs : kNewLegs;
  const std::int64_t needed_ns = plan.drifted_ns(legs * plan.delay_high_ns) + kMs;
  for (std::uint32_t client = 0; client < plan.clients.size(); ++client) {
    bool waits = false;
    for (std::uint32_t i = 0; i < plan.resources; ++i) {
      waits = waits || plan.course({client, i}).wait_ms >= 0;
    }
    if (waits && needed_ns >= plan.shortest_timeout_ms(client) * kMs) return false;
  }
  return true;
}

}  // namespace

Waits::Waits(Record& record)
    : record_(record),
      plan_(record.plan),
      reported_(plan_.clients.size() * plan_.resources),
      polls_(reported_.size()),
      turned_ns_(plan_.clients.size() * plan_.servers, kNotTurned),
      to_be_had_(plan_.resources, kForever),
      silent_ns_(plan_.resources, 0) {
  const bool handlers = std::ranges::any_of(
      plan_.clients, [](const ClientPlan& client) { return client.re_entries > 0; });
  judged_ = judged_under(ViolationKind::waits_in_vain, plan_) && !handlers && !plan_.crowd &&
            // Servers that began anew have no vote for a while.
            waiters_learn_in_time(plan_) && !plan_.guarded;
  const std::int64_t answers_ns = kWaitLegs * plan_.delay_high_ns + 2 * longest_timeout_ns(plan_);
  bound_ns_ = kFirstAsksNs + static_cast<std::int64_t>(plan_.clients.size()) * kPlaceNs +
              answers_ns + kMarginNs;
  if (!plan_.faults.empty()) bound_ns_ += kOfferNs;
  bound_ns_ = plan_.drifted_ns(bound_ns_);
  missed_ns_ = plan_.drifted_ns(kHeartbeatNs + answers_ns + kRecoveryNs);
  if (loses_words(plan_)) bound_ns_ += std::exchange(missed_ns_, 0);
  for (const FaultPlan& fault : plan_.faults) troubled(fault.until_ns);
}

void Waits::begins(Contender party) {
  record_.begins_to_wait(party);
  reported_[place_of(party)] = polls_[place_of(party)] = false;
  review_polling(party);
}

void Waits::ends(Contender party) {
  review(party.resource);
  if (judges(party)) record_.note_judged(ViolationKind::waits_in_vain);
  record_.ends_waiting(party);
  record_.book.note_over(party);
  review(party.resource);
}

void Waits::turned_away(std::uint32_t client, std::uint32_t server) {
  turned_ns_[client * plan_.servers + server] = record_.now_ns;
  for (std::uint32_t i = 0; i < plan_.resources; ++i) review_polling({client, i});
}

void Waits::joined(const Origin& origin) {
  std::int64_t& turned_ns = turned_ns_[origin.client * plan_.servers + origin.server];
  if (turned_ns < origin.written_ns) turned_ns = kNotTurned;
}

// Whoever begins to wait is told what another call of the process came upon, until it tries again.
void Waits::review_polling(Contender party) {
  if (since(party) == kForever) return;
  const std::int64_t lately_ns = since(party) - plan_.drifted_ns(kRecoveryNs);
  std::uint32_t left = 0;
  for (std::uint32_t server = 0; server < plan_.servers; ++server) {
    left += turned_ns_[party.client * plan_.servers + server] < lately_ns ? 1 : 0;
  }
  if (left < plan_.servers / 2 + 1) polls_[place_of(party)] = true;
}

void Waits::falls_silent(Contender party) {
  if (since(party) == kForever) return;
  silent_ns_[party.resource] = record_.now_ns + plan_.drifted_ns(kSilentNs);
}

void Waits::troubled(std::int64_t until_ns) {
  const std::int64_t recovered_ns = until_ns + kRecoveryNs + longest_timeout_ns(plan_);
  calm_from_ns_ = std::max(calm_from_ns_, recovered_ns);
}

void Waits::review(std::uint32_t resource) {
  std::array<std::int64_t, kNodesMax> free_ns{};
  const std::string name = resource_name(resource);
  for (std::uint32_t server = 0; server < plan_.servers; ++server) {
    const ServerView& view = record_.servers[server];
    const Entry* const lock = alive_entry(*view.keyspace, name, view.clock_ms(record_.now_ns));
    free_ns[server] = view.down_until_ns;
    if (lock == nullptr) continue;
    const Waiter* const waiter = record_.book.find(token_hash(held_by(*lock)));
    if (waiter != nullptr && !waiter->over && waiter->ended_ns == Waiter::kNever) continue;
    const std::int64_t until_ms = lock->expires_ms ? *lock->expires_ms + 1 : kForever / kMs;
    free_ns[server] = std::max(free_ns[server], view.clock->when(until_ms * kMs));
  }
  std::sort(free_ns.begin(), free_ns.begin() + plan_.servers);
  can_be_had(resource, free_ns[plan_.servers / 2]);
  if (const auto party = in_vain(resource)) {
    record_.report(ViolationKind::waits_in_vain,
                   who(party->client) + " waits for a lock that could be had for long");
  }
}

void Waits::can_be_had(std::uint32_t resource, std::int64_t at_ns) {
  std::int64_t& from_ns = to_be_had_[resource];
  if (at_ns > record_.now_ns) {
    from_ns = at_ns;
  } else if (from_ns > record_.now_ns) {
    from_ns = record_.now_ns;
  }
}

std::int64_t Waits::from(Contender party) const {
  return std::max({since(party), to_be_had_[party.resource], calm_from_ns_});
}

std::int64_t Waits::bound_ns(std::uint32_t resource, std::int64_t from_ns) const {
  return from_ns < silent_ns_[resource] ? bound_ns_ + missed_ns_ : bound_ns_;
}

bool Waits::judges(Contender party) const {
  return judged_ && !polls_[place_of(party)] && from(party) < record_.now_ns;
}

std::optional<Contender> Waits::in_vain(std::uint32_t resource) {
  const std::int64_t now_ns = record_.now_ns;
  if (!judged_) return std::nullopt;
  for (std::uint32_t client = 0; client < plan_.clients.size(); ++client) {
    const Contender party{client, resource};
    if (polls_[place_of(party)]) continue;
    const std::int64_t from_ns = from(party);
    if (from_ns >= now_ns - std::min(bound_ns(resource, from_ns), now_ns)) continue;
    reported_[place_of(party)] = true;
    return party;
  }
  return std::nullopt;
}

}  // namespace redlock::sim
