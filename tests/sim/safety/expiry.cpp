// What was asked for, whatever the server was told.
#include "sim/safety/expiry.hpp"

#include <algorithm>

namespace redlock::sim {

namespace {

// What RedLock's formula allows for, in the clock of the world.
constexpr std::int64_t kDriftFloorNs = 3 * kMs;
// A stamp in seconds is rounded up.
constexpr std::int64_t kWholeSecondMs = 1000;

}  // namespace

// `known` is what it prolongs.
std::int64_t Expiry::ttl_asked_for(Contender party, std::uint64_t value, bool known) const {
  const Course& course = record_.plan.course(party);
  if (record_.swap.client == party.client && record_.swap.fresh != 0) return course.shorten_ttl_ms;
  // What keeps a lease alive extends it, and repairs it again, by the ttl that it has.
  const std::int64_t own_ms = record_.was_fresh(value) ? course.shorten_ttl_ms : course.ttl_ms;
  if (known && (course.extends > 0 || course.extend_ttl_ms != 0)) {
    const std::int64_t asked_ms = course.extend_ttl_ms != 0 ? course.extend_ttl_ms : course.ttl_ms;
    return course.renew_max_ms > 0 ? std::max(asked_ms, own_ms) : asked_ms;
  }
  return own_ms;
}

std::int64_t Expiry::gone_by(Contender party, std::uint64_t value, const Owned* known) const {
  const Plan& plan = record_.plan;
  std::int64_t ttl_ms = ttl_asked_for(party, value, known != nullptr);
  if (record_.final_attempt) ttl_ms = std::max(ttl_ms, kTtlMaxMs);
  if (plan.kind == LockKind::stamp) ttl_ms += plan.buffer_ms;
  if (plan.stamps_in_seconds) ttl_ms += kWholeSecondMs;
  const std::int64_t gone_by_ns = record_.now_ns + plan.drifted_ns(ttl_ms * kMs) + kDriftFloorNs;
  // What was there before may have longer.
  return known == nullptr ? gone_by_ns : std::max(gone_by_ns, known->gone_by_ns);
}

void Expiry::created(Contender owner, std::uint32_t server, std::string_view value, bool same,
                     bool legacy) {
  const Owned* const known = same ? record_.owned(server, value) : nullptr;
  const std::int64_t gone_by_ns = legacy ? kForever : gone_by(owner, hash_text(value), known);
  earliest_ns_ = std::min(earliest_ns_, gone_by_ns);
  record_.own(server, value, owner.client).gone_by_ns = gone_by_ns;
}

void Expiry::after_event() {
  if (record_.now_ns <= earliest_ns_) return;
  earliest_ns_ = kForever;
  for (std::uint32_t server = 0; server < record_.plan.servers; ++server) {
    const ServerView& view = record_.servers[server];
    for (const Entry& entry : view.keyspace->entries()) {
      Owned* const known = record_.owned(server, entry.value);
      if (known == nullptr) continue;
      if (known->gone_by_ns >= record_.now_ns) {
        earliest_ns_ = std::min(earliest_ns_, known->gone_by_ns);
        continue;
      }
      known->gone_by_ns = kForever;
      if (!view.keyspace->alive(entry, view.clock_ms(record_.now_ns))) continue;
      record_.report(ViolationKind::outlives_ttl, "a key on server " + std::to_string(server) +
                                                      " outlives what was asked for, and drift");
    }
  }
}

}  // namespace redlock::sim
