// Counting keys, and when they end.
#include "sim/safety/majority.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "sim/record/words.hpp"

namespace redlock::sim {

std::size_t Majority::really_set(Contender party, const Hold& hold, Verb made_by) {
  const std::uint64_t token = token_hash(hold.value);
  std::size_t count = 0;
  for (std::uint32_t server = 0; server < record_.plan.servers; ++server) {
    const bool set = std::ranges::any_of(
        record_.deeds(party, server, made_by),
        [token](const Mark& mark) { return mark.granted && mark.token == token; });
    count += set ? 1 : 0;
  }
  return count;
}

void Majority::judge(Contender party, const Hold& hold, std::optional<Verb> made_by) {
  const std::size_t set = made_by ? really_set(party, hold, *made_by) : kNodesMax;
  if (set < record_.plan.servers / 2 + 1) {
    record_.report(ViolationKind::no_distinct_majority,
                   who(party.client) + " was granted a lock that only " + std::to_string(set) +
                       " servers have set");
  }
  const std::int64_t ends_ns = majority_ends(hold);
  if (ends_ns >= hold.until_ns) return;
  record_.report(ViolationKind::validity_beyond_expiry,
                 who(party.client) + " was told " + in_ms(hold.until_ns) + ", a majority ends at " +
                     in_ms(ends_ns));
}

// From then on somebody else could get this server's vote.
std::int64_t Majority::blocked_until(const ServerView& view, const Hold& hold) const {
  const Plan& plan = record_.plan;
  const std::int64_t down_until_ns = std::max(view.down_until_ns, std::int64_t{0});
  const std::int64_t now_ms = view.clock_ms(record_.now_ns);
  for (const Entry& entry : view.keyspace->entries()) {
    if (!hold.holds(entry.value) || !view.keyspace->alive(entry, now_ms)) continue;
    const std::string& value = entry.value;
    std::int64_t free_ms = entry.expires_ms ? *entry.expires_ms + 1 : kForever / kMs;
    if (plan.kind == LockKind::stamp) {
      std::int64_t stamp = 0;
      std::from_chars(value.data(), value.data() + value.size(), stamp);
      free_ms = std::min(free_ms, (stamp + 1) * (plan.stamps_in_seconds ? 1000 : 1));
    }
    return std::max(down_until_ns, view.clock->when(free_ms * kMs));
  }
  return down_until_ns;
}

std::int64_t Majority::majority_ends(const Hold& hold) const {
  std::array<std::int64_t, kNodesMax> ends{};
  const std::uint32_t servers = record_.plan.servers;
  for (std::uint32_t i = 0; i < servers; ++i) ends[i] = blocked_until(record_.servers[i], hold);
  std::sort(ends.begin(), ends.begin() + servers, std::greater<>());
  return ends[servers / 2];
}

void Majority::after_event() {
  if (!suspected_) return;
  suspected_ = false;
  for (std::uint32_t client = 0; client < record_.plan.clients.size(); ++client) {
    for (std::uint32_t i = 0; i < record_.plan.resources; ++i) judge_held({client, i});
  }
}

void Majority::judge_held(Contender party) {
  const Hold& hold = record_.hold_of(party);
  if (!hold.active || hold.until_ns <= record_.now_ns || hold.until_ns == kForever) return;
  if (majority_ends(hold) >= hold.until_ns) return;
  record_.report(ViolationKind::held_majority_lost,
                 who(party.client) + " holds a lock of which a command has removed the majority");
}

}  // namespace redlock::sim
