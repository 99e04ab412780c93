// When a key that was given up is overdue.
#include "sim/liveness/leftovers.hpp"

#include <algorithm>
#include <utility>

#include "sim/record/deed.hpp"
#include "sim/record/hash.hpp"
#include "sim/servers.hpp"

namespace redlock::sim {

namespace {
// A removal that was refused is repeated when the server has carried something out; but only after
// a pause, which begins when the client reads of it, behind the answer that shows it, and only for
// so long.
constexpr std::int64_t kRefusedPauseNs = 250 * kMs;
constexpr std::int64_t kOwedNs = 60'000 * kMs;
constexpr std::uint32_t kServedMin = 2;
constexpr std::uint32_t kEndedMin = 2;

// Of the takes of one token; 0: nobody knows when.
void note_first(std::int64_t& first_ns, std::int64_t written_ns) {
  if (written_ns > 0 && (first_ns == 0 || written_ns < first_ns)) first_ns = written_ns;
}

bool removal_unanswered(const EndedLink& link, std::uint64_t token) {
  Arguments arguments;
  std::string_view left = link.written;
  for (std::size_t i = 0; !left.empty(); ++i) {
    const ParsedRequest request = parse_request(left, arguments);
    if (request.state != ParseState::complete) return false;
    const Deed deed = deed_of(arguments);
    const bool same = deed.verb == Verb::release && token_hash(deed.token) == token;
    if (same && i >= link.answered) return true;
    left.remove_prefix(request.size);
  }
  return false;
}
}  // namespace

Leftovers::Lock& Leftovers::lock(std::uint64_t token) {
  const auto known = std::ranges::find(locks_, token, &Lock::token);
  if (known != locks_.end()) return *known;
  return locks_.emplace_back(Lock{.token = token});
}

Leftovers::Kept& Leftovers::kept(std::uint32_t server, std::uint64_t token) {
  std::vector<Kept>& all = kept_[server];
  const auto known = std::ranges::find(all, token, &Kept::token);
  if (known != all.end()) return *known;
  return all.emplace_back(Kept{.token = token});
}

void Leftovers::note_take(const Origin& origin, std::uint64_t token, bool set,
                          std::int64_t now_ns) {
  note_first(lock(token).written_ns, origin.written_ns);
  if (!set) return;
  Kept& key = kept(origin.server, token);
  // Where nobody knows when it was written: not behind this.
  note_first(key.written_ns, origin.written_ns > 0 ? origin.written_ns : now_ns);
  key.client = origin.client;
  key.resource = origin.resource;
  key.connection = origin.connection;
  key.set_ns = now_ns;
  key.brought_back = false;
  if (!key.removed) return;
  key.removed_before = true;
  key.remover = key.last_remover;
}

void Leftovers::note_join(const Origin& origin, std::uint64_t token, std::int64_t now_ns) {
  note_take(origin, token, true, now_ns);
  Kept& key = kept(origin.server, token);
  if (key.removed) key.joined_late = key.remover != origin.connection;
}

void Leftovers::note_removal(const Origin& origin, std::uint64_t token, bool refused,
                             std::int64_t now_ns) {
  Kept& key = kept(origin.server, token);
  if (refused) {
    key.refused_ns = now_ns;
    key.client = origin.client;
    // Whatever it refuses of this client: it is in trouble yet, and is not asked for anything again
    // until a pause later.
    for (Kept& other : kept_[origin.server]) {
      if (other.client == origin.client) begin_pause(other);
    }
    return;
  }
  key.removed = true;
  key.removed_ns = now_ns;
  key.brought_back = false;
  key.last_remover = origin.connection;
}

void Leftovers::note_went_back(std::uint32_t server, std::int64_t to_ns) {
  for (Kept& key : kept_[server]) {
    key.brought_back = key.brought_back || (key.removed && key.removed_ns > to_ns);
  }
}

void Leftovers::note_granted(std::uint64_t token) { lock(token).granted = true; }

void Leftovers::note_released(std::uint64_t token, std::int64_t now_ns) {
  lock(token).released_ns = now_ns;
}

// Of the removals for a server that is silent for a crowd the oldest are forgotten.
bool Leftovers::forgotten_in_crowd(const Origin& origin, const Kept& key) const {
  if (!plan_.crowd || origin.server != plan_.crowd->server) return false;
  return key.client == crowd_.client && key.set_ns <= crowd_.at_ns;
}

// A removal that was not answered goes on one more connection; none, where the process closes its
// connections itself.
bool Leftovers::ended_with(const Origin& origin, std::uint64_t token) const {
  std::uint32_t ended = 0;
  for (const EndedLink& link : links_->ended(origin.client, origin.server, origin.connection)) {
    if (!removal_unanswered(link, token)) continue;
    if (link.by_the_end || ++ended == kEndedMin) return true;
  }
  return false;
}

bool Leftovers::removal_forgotten(std::uint32_t client, std::uint32_t server,
                                  std::uint64_t token) const {
  if (links_ == nullptr) return false;
  const std::vector<EndedLink> links = links_->forgotten(client, server);
  return std::ranges::any_of(
      links, [token](const EndedLink& link) { return removal_unanswered(link, token); });
}

// What travelled behind a password that was refused counts as refused, whether the server came to
// read it or not.
void Leftovers::note_unaccepted(const Origin& origin, Kept& key) const {
  for (const EndedLink& link : links_->ended(origin.client, origin.server, origin.connection)) {
    if (link.unaccepted_ns <= key.refused_ns || !removal_unanswered(link, key.token)) continue;
    key.refused_ns = link.unaccepted_ns;
    begin_pause(key);
  }
}

bool Leftovers::excused(const Origin& origin, Kept& key) const {
  if (key.stays || (key.removed_before && key.remover != key.connection)) return true;
  if (forgotten_in_crowd(origin, key)) return true;
  if (links_ != nullptr) {
    if (ended_with(origin, key.token)) return true;
    note_unaccepted(origin, key);
    if (links_->under_way(origin.client, origin.server, origin.connection)) return true;
  }
  if (key.refused_ns == 0) return false;
  if (key.back_ns == 0) key.back_ns = origin.written_ns;
  if (origin.written_ns <= key.back_ns + plan_.drifted_ns(kRefusedPauseNs)) return true;
  // What was answered on another connection may have ended with it unread.
  if (std::exchange(key.served_on, origin.connection) != origin.connection) key.served = 0;
  return plan_.drifted_ns(origin.written_ns - key.refused_ns) >= kOwedNs ||
         ++key.served < kServedMin;
}

// Before the take was written: had the client given the lock up? A take that was written before
// anything of that attempt was for this server, and arrives behind it, is one of an earlier
// attempt.
Leftovers::Kind Leftovers::given_up(const Origin& origin, std::uint64_t taking,
                                    std::uint64_t token) {
  const Lock& old = lock(token);
  if (token == taking || origin.written_ns == 0 || old.written_ns == 0) return Kind::none;
  // One that was never given back ends by itself; so may a stamp that was.
  if (old.granted && (old.released_ns == 0 || plan_.kind == LockKind::stamp)) return Kind::none;
  const std::int64_t written_ns = std::max(old.written_ns, kept(origin.server, token).written_ns);
  const std::int64_t over_ns = old.granted ? old.released_ns : written_ns;
  if (origin.written_ns <= over_ns) return Kind::none;
  return old.granted ? Kind::released : Kind::undone;
}

Leftovers::Kind Leftovers::overdue(const Origin& origin, std::uint64_t taking,
                                   std::uint64_t token) {
  const Kind kind = given_up(origin, taking, token);
  if (kind == Kind::none || excused(origin, kept(origin.server, token))) return Kind::none;
  return kind;
}

Leftovers::Occasions Leftovers::occasions(const Origin& origin, std::uint64_t taking) {
  Occasions occasions;
  for (Kept& key : kept_[origin.server]) {
    if (key.counted || key.client != origin.client || key.resource != origin.resource) continue;
    if (key.set_ns == 0) continue;
    const Kind kind = given_up(origin, taking, key.token);
    if (kind == Kind::none) continue;
    key.counted = true;
    ++(kind == Kind::released ? occasions.released : occasions.undone);
  }
  return occasions;
}

}  // namespace redlock::sim
