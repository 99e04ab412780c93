// What is wrong for whom and when, and what is left over.
#include "sim/liveness/availability.hpp"

#include <algorithm>
#include <bit>

#include "sim/liveness/excuses.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

namespace {

// A link that was blocked delivers up to so much later.
constexpr std::int64_t kRetransmitNs = 60 * kMs;
// Whoever is asked last is asked when this part of the answer time is over.
constexpr std::int64_t kHedgedOneIn = 4;
// A connection and an answer; a SELECT is awaited, and a script may have to be sent once more.
constexpr std::int64_t kLegs = 4;
constexpr std::int64_t kMoreLegs = 2;
constexpr std::int64_t kRoundingNs = 3 * kMs;
// Whoever may not listen to a server asks it for a channel again so much later.
constexpr std::int64_t kUnsubscribedNs = 10'000 * kMs;

// Whom a fault keeps apart while it lasts; `line`: those who wait in line, or ask
// for a fence.
enum class Reach { nobody, link, server, line, client };

Reach reach_of(FaultClass fault_class) {
  switch (fault_class) {
    case FaultClass::slow_link:
    case FaultClass::stall:
    case FaultClass::partition_to_server:
    case FaultClass::partition_to_client:
    case FaultClass::full_send_queue:
    case FaultClass::slow_look_up:
    case FaultClass::failing_look_up:
    case FaultClass::no_descriptors:
      return Reach::link;
    case FaultClass::crash_keep:
    case FaultClass::crash_lose_second_late:
    case FaultClass::crash_lose_all_late:
    case FaultClass::crash_lose_second_at_once:
    case FaultClass::crash_lose_all_at_once:
    case FaultClass::machine_down:
    case FaultClass::stop_resume:
    case FaultClass::command_pause:
    case FaultClass::loading:
    case FaultClass::out_of_memory:
    case FaultClass::read_only:
    case FaultClass::no_auth:
    case FaultClass::busy:
    case FaultClass::hostile_type:
    case FaultClass::hostile_oversized:
    case FaultClass::hostile_nested:
    case FaultClass::hostile_garbage:
    case FaultClass::hostile_missing:
    case FaultClass::refused_select:
    case FaultClass::too_many_clients:
    case FaultClass::cannot_save:
    case FaultClass::no_permission:
      return Reach::server;
    case FaultClass::no_line_keys:
      return Reach::line;
    case FaultClass::reply_at_timeout:
      return Reach::client;
    default:
      // Struck connections are told one by one.
      return Reach::nobody;
  }
}

std::int64_t slowest_ns(const Plan& plan) {
  std::int64_t slowest = plan.delay_high_ns;
  for (const FaultPlan& fault : plan.faults) {
    if (fault.fault_class != FaultClass::slow_link) continue;
    slowest = std::max(slowest, plan.delay_high_ns + static_cast<std::int64_t>(fault.amount));
  }
  return slowest;
}

}  // namespace

Availability::Availability(Record& record)
    : record_(record),
      plan_(record.plan),
      calls_(plan_.clients.size() * plan_.resources),
      struck_ns_(plan_.clients.size() * plan_.servers, -1),
      stood_still_ns_(plan_.clients.size(), -1),
      unsubscribed_ns_(struck_ns_.size(), kSubscribed),
      stood_(calls_.size()),
      trusted_ns_(calls_.size() * plan_.servers),
      settle_ns_(kRetransmitNs + 4 * slowest_ns(plan_)),
      judged_(plan_.servers <= kServersMax && judged_under(ViolationKind::unavailable, plan_) &&
              // Servers that began anew have no vote for a while.
              !plan_.guarded) {}

void Availability::call_begins(Contender party) {
  const std::string name = resource_name(party.resource);
  std::uint32_t occupied = 0;
  std::uint32_t cut_off = 0;
  for (std::uint32_t server = 0; server < plan_.servers; ++server) {
    const ServerView& view = record_.servers[server];
    const bool taken = alive_entry(*view.keyspace, name, view.clock_ms(record_.now_ns)) != nullptr;
    const bool sound = record_.links == nullptr || record_.links->sound(party.client, server);
    if (taken) occupied |= bit(server);
    if (!sound) cut_off |= bit(server);
  }
  const bool waits = plan_.course(party).wait_ms > plan_.timeout_of(party);
  call_of(party) = {record_.now_ns, occupied, cut_off, 0, waits && stood_[index_of(party)], false};
}

void Availability::key_set(std::uint32_t server, Contender party) {
  for (std::uint32_t other = 0; other < plan_.clients.size(); ++other) {
    if (other != party.client) call_of({other, party.resource}).occupied |= bit(server);
  }
}

void Availability::struck(std::uint32_t client, std::uint32_t server) {
  for (std::uint32_t i = 0; i < plan_.resources; ++i) call_of({client, i}).cut_off |= bit(server);
  struck_ns_[client * plan_.servers + server] = record_.now_ns;
}

// What passes is tried again soon.
void Availability::asked_to_be_heard(std::uint32_t client, std::uint32_t server,
                                     std::string_view answer) {
  std::int64_t& unsubscribed_ns = unsubscribed_ns_[client * plan_.servers + server];
  if (!answer.starts_with('-')) {
    unsubscribed_ns = kSubscribed;
  } else if (answer.starts_with("-NOPERM")) {
    unsubscribed_ns = record_.now_ns;
  }
}

std::uint32_t Availability::in_trouble(Contender party, std::int64_t from_ns) const {
  // A fence has a key of its own, as a line has.
  const bool more_keys = plan_.course(party).wait_ms > 0 || plan_.course(party).fence;
  std::uint32_t servers = 0;
  for (const FaultPlan& fault : plan_.faults) {
    const Reach reach = reach_of(fault.fault_class);
    if (reach == Reach::nobody || (reach == Reach::line && !more_keys)) continue;
    if (fault.from_ns > record_.now_ns || fault.until_ns + settle_ns_ < from_ns) continue;
    const bool everybodys = reach == Reach::server || reach == Reach::line || fault.all_clients;
    const bool ours = everybodys || fault.client == party.client;
    if (!ours) continue;
    servers |= fault.all_servers || reach == Reach::client ? ~std::uint32_t{0} : bit(fault.server);
  }
  return servers;
}

// They came in that call, nobody knows when.
void Availability::answered(Contender party, const Outcome& outcome) {
  for (std::uint32_t server = 0; server < outcome.nodes.size(); ++server) {
    const NodeReport& node = outcome.nodes[server];
    if (!node.answered || node.reply.answer == Answer::unknown) continue;
    std::int64_t& trusted_ns = trusted_ns_[place_of(party, server)];
    trusted_ns = std::max(trusted_ns, call_of(party).began_ns);
  }
}

// A majority that is well and free is enough, whatever happens to the others.
void Availability::judge(Contender party, const Outcome& outcome) {
  if (record_.final_attempt || !owed(party)) return;
  record_.note_judged(ViolationKind::unavailable);
  if (outcome.decision == Decision::granted) return;
  record_.report(ViolationKind::unavailable,
                 who(party.client) + " was refused by a majority that was well and free");
}

std::uint32_t Availability::suspected(Contender party) const {
  std::uint32_t servers = 0;
  for (std::uint32_t server = 0; server < plan_.servers; ++server) {
    const std::int64_t trusted_ns = trusted_ns_[place_of(party, server)];
    servers |= in_trouble(party, trusted_ns) & bit(server);
    const std::int64_t silent_ns =
        std::max(struck_ns_[party.client * plan_.servers + server], stood_still_ns_[party.client]);
    servers |= silent_ns >= trusted_ns ? bit(server) : 0;
  }
  return servers;
}

// Whoever cannot stand in line at a majority polls, and asks all.
std::uint32_t Availability::unasked(Contender party) const {
  const Call& call = calls_[index_of(party)];
  const auto majority = static_cast<int>(plan_.servers / 2 + 1);
  if (!call.by_the_line || std::popcount(call.stands) < majority) return 0;
  std::uint32_t servers = 0;
  for (std::uint32_t server = 0; server < plan_.servers; ++server) {
    const std::int64_t unsubscribed_ns = unsubscribed_ns_[party.client * plan_.servers + server];
    if (unsubscribed_ns == kSubscribed) continue;
    const std::int64_t until_ns = unsubscribed_ns + plan_.drifted_ns(kUnsubscribedNs) + settle_ns_;
    servers |= call.began_ns <= until_ns ? bit(server) : 0;
  }
  return servers;
}

// For an attempt: to be granted, and with something left of the lease.
bool Availability::time_enough(Contender party) const {
  std::int64_t legs = kLegs;
  if (plan_.database != 0) legs += kMoreLegs;
  if (plan_.kind == LockKind::stamp) legs += kMoreLegs;
  const std::int64_t timeout_ns = plan_.timeout_of(party) * kMs;
  const std::int64_t needed_ns =
      plan_.drifted_ns(timeout_ns / kHedgedOneIn + legs * plan_.delay_high_ns) + kMs;
  const std::int64_t ttl_ns = plan_.course(party).ttl_ms * kMs;
  const auto drift_ns =
      static_cast<std::int64_t>(static_cast<double>(ttl_ns) * 2 * plan_.drift_factor_of(party));
  // A fence may have to be raised.
  const std::int64_t rounds = plan_.course(party).fence ? 2 : 1;
  return needed_ns < timeout_ns && rounds * needed_ns + drift_ns + kRoundingNs < ttl_ns;
}

bool Availability::owed(Contender party) const {
  const Call& call = calls_[index_of(party)];
  if (!judged_ || call.excused || !time_enough(party)) return false;
  const std::uint32_t all = bit(plan_.servers) - 1;
  const std::uint32_t sick = in_trouble(party, call.began_ns) | call.cut_off;
  const std::uint32_t free = all & ~(sick | call.occupied | unasked(party));
  const auto majority = static_cast<int>(plan_.servers / 2 + 1);
  if (std::popcount(free) < majority) return false;
  // A server that was silent may vote, but nobody waits for it where another says no, be it well or
  // not.
  const bool denied = (all & call.occupied) != 0;
  return !denied || (suspected(party) & free) == 0;
}

}  // namespace redlock::sim
