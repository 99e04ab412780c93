// When a key that was given up is overdue.
#include "sim/liveness/leftovers.hpp"

#include <algorithm>
#include <utility>

#include "sim/liveness/excuses.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

namespace {
// A removal that was refused is repeated when the server has carried something out; but only after
// a pause, which begins when the client reads of it, behind the answer that shows it, and only for
// so long.
constexpr std::int64_t kRefusedPauseNs = 250 * kMs;
constexpr std::int64_t kOwedNs = 60'000 * kMs;
constexpr std::uint32_t kServedMin = 2;
constexpr std::uint32_t kEndedMin = 2;
}  // namespace

void Leftovers::report(const Origin& origin, Kind kind, const std::string& what) {
  const bool released = kind == Kind::released;
  record_.report(released ? ViolationKind::left_behind : ViolationKind::not_undone,
                 who(origin.client) + " came back to server " + std::to_string(origin.server) +
                     ", and " + what);
}

void Leftovers::came_back(const Origin& origin, const Deed& deed) {
  if (record_.final_attempt || !judged_under(ViolationKind::not_undone, record_.plan)) return;
  const std::uint64_t taking = token_hash(deed.token);
  note_occasions(origin, taking);
  const auto left = [&](const Entry& entry, const Owned& known) {
    if (record_.was_transferred(known.value)) return;
    const Kind kind = overdue(origin, taking, token_hash(entry.value));
    if (kind == Kind::none) return;
    const char* const what = kind == Kind::released ? "released lock" : "failed attempt";
    report(origin, kind, "its " + std::string(what) + " is still there");
  };
  record_.for_each_key(origin.client, origin.server, deed.key, left);
  record_.for_each_waiting(origin.client, origin.server, deed.key, [&](std::uint64_t token) {
    if (record_.was_transferred(token)) return;
    const Kind kind = overdue(origin, taking, token);
    if (kind != Kind::none) report(origin, kind, "still stands in line there");
  });
}

// Of the removals for a server that is silent for a crowd the oldest are forgotten.
bool Leftovers::forgotten_in_crowd(const Origin& origin, const KnownToken& key) const {
  const auto& crowd = record_.plan.crowd;
  if (!crowd || origin.server != crowd->server) return false;
  return key.client == crowd_.client && key.set_ns <= crowd_.at_ns;
}

// A removal that was not answered goes on one more connection; none, where the process closes its
// connections itself.
bool Leftovers::ended_with(const Origin& origin, std::uint64_t token) const {
  std::uint32_t ended = 0;
  const Links& links = *record_.links;
  for (const EndedLink& link : links.ended(origin.client, origin.server, origin.connection)) {
    if (!removal_unanswered(link, token)) continue;
    if (link.by_the_end || ++ended == kEndedMin) return true;
  }
  return false;
}

// What travelled behind a password that was refused counts as refused, whether the server came to
// read it or not.
void Leftovers::note_unaccepted(const Origin& origin, KnownToken& key) const {
  const Links& links = *record_.links;
  for (const EndedLink& link : links.ended(origin.client, origin.server, origin.connection)) {
    if (link.unaccepted_ns <= key.refused_ns || !removal_unanswered(link, key.token)) continue;
    key.refuse(link.unaccepted_ns);
  }
}

bool Leftovers::excused(const Origin& origin, KnownToken& key) const {
  if (key.stays || (key.removed_before && key.remover != key.connection)) return true;
  if (forgotten_in_crowd(origin, key)) return true;
  if (record_.links != nullptr) {
    if (ended_with(origin, key.token)) return true;
    note_unaccepted(origin, key);
    if (record_.links->under_way(origin.client, origin.server, origin.connection)) return true;
  }
  if (key.refused_ns == 0) return false;
  if (key.back_ns == 0) key.back_ns = origin.written_ns;
  const Plan& plan = record_.plan;
  if (origin.written_ns <= key.back_ns + plan.drifted_ns(kRefusedPauseNs)) return true;
  // What was answered on another connection may have ended with it unread.
  if (std::exchange(key.served_on, origin.connection) != origin.connection) key.served = 0;
  return plan.drifted_ns(origin.written_ns - key.refused_ns) >= kOwedNs ||
         ++key.served < kServedMin;
}

// Before the take was written: had the client given the lock up? A take that was written before
// anything of that attempt was for this server, and arrives behind it, is one of an earlier
// attempt.
Leftovers::Kind Leftovers::given_up(const Origin& origin, std::uint64_t taking,
                                    std::uint64_t token) {
  const TokenLife& old = record_.removals.life(token);
  if (token == taking || origin.written_ns == 0 || old.written_ns == 0) return Kind::none;
  // Or it is said once more, on a connection that was made anew.
  const std::int64_t since_ns = record_.removals.life(taking).written_ns;
  if (since_ns != 0 && since_ns < old.written_ns) return Kind::none;
  // One that was never given back ends by itself; so may a stamp that was.
  const bool ends = old.released_ns == 0 || record_.plan.kind == LockKind::stamp;
  if (old.granted && ends) return Kind::none;
  const std::int64_t written_ns =
      std::max(old.written_ns, record_.removals.known(origin.server, token).written_ns);
  const std::int64_t over_ns = old.granted ? old.released_ns : written_ns;
  if (origin.written_ns <= over_ns) return Kind::none;
  return old.granted ? Kind::released : Kind::undone;
}

Leftovers::Kind Leftovers::overdue(const Origin& origin, std::uint64_t taking,
                                   std::uint64_t token) {
  const Kind kind = given_up(origin, taking, token);
  if (kind == Kind::none) return kind;
  return excused(origin, record_.removals.known(origin.server, token)) ? Kind::none : kind;
}

void Leftovers::note_occasions(const Origin& origin, std::uint64_t taking) {
  for (KnownToken& key : record_.removals.all_known(origin.server)) {
    if (key.counted || key.client != origin.client || key.resource != origin.resource) continue;
    if (key.set_ns == 0) continue;
    const Kind kind = given_up(origin, taking, key.token);
    if (kind == Kind::none) continue;
    key.counted = true;
    record_.note_judged(kind == Kind::released ? ViolationKind::left_behind
                                               : ViolationKind::not_undone);
  }
}

}  // namespace redlock::sim
