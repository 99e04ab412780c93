// What joins tell of those who wait.
#include "sim/record/line_book.hpp"

#include <algorithm>
#include <charconv>

#include "sim/record/hash.hpp"

namespace redlock::sim {

Waiter* LineBook::find(std::uint64_t token) {
  const auto known = std::ranges::find(waiters_, token, &Waiter::token);
  return known == waiters_.end() ? nullptr : &*known;
}

Waiter& LineBook::note_join(const Origin& origin, const Deed& deed, std::int64_t now_ns) {
  const std::uint64_t token = token_hash(deed.token);
  Waiter* waiter = find(token);
  if (waiter == nullptr) {
    waiter = &waiters_.emplace_back();
    waiter->token = token;
    waiter->party = {origin.client, origin.resource};
    waiter->places.resize(plan_.servers);
  }
  std::from_chars(deed.ticket.data(), deed.ticket.data() + deed.ticket.size(), waiter->ticket);
  Waiter::Place& place = waiter->places[origin.server];
  place.first_ns = std::min(place.first_ns, now_ns);
  place.last_ns = now_ns;
  place.latest = origin;
  return *waiter;
}

void LineBook::note_over(Contender party) {
  for (Waiter& waiter : waiters_) {
    const bool its = waiter.party.client == party.client && waiter.party.resource == party.resource;
    waiter.over = waiter.over || its;
  }
}

void LineBook::note_ended(std::uint32_t client, std::int64_t now_ns) {
  for (Waiter& waiter : waiters_) {
    if (waiter.party.client == client) waiter.ended_ns = std::min(waiter.ended_ns, now_ns);
  }
}

}  // namespace redlock::sim
