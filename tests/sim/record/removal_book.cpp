// Takes and removals, one behind the other.
#include "sim/record/removal_book.hpp"

#include <algorithm>

#include "sim/record/hash.hpp"

namespace redlock::sim {

namespace {

// Of the takes of one token; 0: nobody knows when.
void note_first(std::int64_t& first_ns, std::int64_t written_ns) {
  if (written_ns > 0 && (first_ns == 0 || written_ns < first_ns)) first_ns = written_ns;
}

template <class Entry>
Entry& entry_of(std::vector<Entry>& all, std::uint64_t token) {
  const auto known = std::ranges::find(all, token, &Entry::token);
  return known != all.end() ? *known : all.emplace_back(Entry{.token = token});
}

}  // namespace

TokenLife& RemovalBook::life(std::uint64_t token) { return entry_of(lives_, token); }

KnownToken& RemovalBook::known(std::uint32_t server, std::uint64_t token) {
  return entry_of(known_[server], token);
}

void RemovalBook::note_take(const Origin& origin, std::uint64_t token, bool set,
                            std::int64_t now_ns) {
  note_first(life(token).written_ns, origin.written_ns);
  if (!set) return;
  KnownToken& key = known(origin.server, token);
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

void RemovalBook::note_join(const Origin& origin, std::uint64_t token, std::int64_t now_ns) {
  note_take(origin, token, true, now_ns);
  KnownToken& key = known(origin.server, token);
  if (key.removed) key.joined_late = key.remover != origin.connection;
}

void RemovalBook::note_removal(const Origin& origin, std::uint64_t token, bool refused,
                               std::int64_t now_ns) {
  KnownToken& key = known(origin.server, token);
  if (refused) {
    key.refused_ns = now_ns;
    key.client = origin.client;
    // Whatever it refuses of this client: it is in trouble yet, and is not asked for anything again
    // until a pause later.
    for (KnownToken& other : known_[origin.server]) {
      if (other.client == origin.client) other.begin_pause();
    }
    return;
  }
  key.removed = true;
  key.removed_ns = now_ns;
  key.brought_back = false;
  key.last_remover = origin.connection;
}

void RemovalBook::note_went_back(std::uint32_t server, std::int64_t to_ns) {
  for (KnownToken& key : known_[server]) {
    key.brought_back = key.brought_back || (key.removed && key.removed_ns > to_ns);
  }
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

bool removal_forgotten(const Links* links, std::uint32_t client, std::uint32_t server,
                       std::uint64_t token) {
  if (links == nullptr) return false;
  const std::vector<EndedLink> forgotten = links->forgotten(client, server);
  return std::ranges::any_of(
      forgotten, [token](const EndedLink& link) { return removal_unanswered(link, token); });
}

}  // namespace redlock::sim
