// Holds, deeds and owners.
#include "sim/record/record.hpp"

#include <utility>

namespace redlock::sim {

namespace {
constexpr std::size_t kViolationsMax = 16;
}

Record::Record(const Plan& made, std::vector<ServerView> views)
    : plan(made),
      servers(std::move(views)),
      lines(made.has_lines()),
      book(made),
      removals(made.servers),
      holds_(made.clients.size() * made.resources),
      deeds_(holds_.size() * made.servers * static_cast<std::size_t>(Verb::count)),
      owned_(made.servers),
      waits_since_ns_(holds_.size(), kForever),
      returns_(holds_.size()) {}

void Record::report(ViolationKind kind, std::string text) {
  if (violations_.size() < kViolationsMax) violations_.push_back({kind, now_ns, std::move(text)});
}

void Record::granted(Contender party, const std::string& value, std::int64_t until_ns) {
  ++grant_count_;
  granted_.push_back(hash_text(value));
  hold_of(party) = {true, value, until_ns};
}

void Record::extended(Contender party, const std::string& value, std::int64_t until_ns) {
  Hold& hold = hold_of(party);
  hold = {true, value, std::max(hold.until_ns, until_ns), {}, hold.exchanges};
}

void Record::shortens(Contender party, const std::string& fresh, std::int64_t until_ns) {
  Hold& hold = hold_of(party);
  hold.before.push_back(std::exchange(hold.value, fresh));
  hold.until_ns = std::min(hold.until_ns, until_ns);
  ++hold.exchanges;
  fresh_.push_back(hash_text(fresh));
}

void Record::transferred(Contender party) {
  const Hold& hold = hold_of(party);
  transferred_.push_back(hash_text(hold.value));
  for (const std::string& token : hold.before) transferred_.push_back(hash_text(token));
}

// A call within another one returns to a handler, and what that one sends may go on.
void Record::end_exchange(Contender party) {
  Hold& hold = hold_of(party);
  if (hold.exchanges > 0) --hold.exchanges;
  returned(party);
}

void Record::returned(Contender party) {
  if (hold_of(party).exchanges == 0) returns_[place_of(party)].push_back(now_ns);
}

void Record::shortened(Contender party, const std::string& held, const std::string& fresh,
                       std::int64_t until_ns) {
  granted_.push_back(hash_text(fresh));
  removals.note_granted(token_hash(fresh));
  Hold& hold = hold_of(party);
  hold = {hold.active, fresh, until_ns, {}, hold.exchanges};
  end_exchange(party);
  removals.note_released(token_hash(held), now_ns);
}

void Record::not_shortened(Contender party, const std::string& held) {
  Hold& hold = hold_of(party);
  hold.active = false;
  hold.before.clear();
  end_exchange(party);
  removals.note_released(token_hash(held), now_ns);
}

void Record::overtaken(Contender party, const std::string& held, const std::string& fresh) {
  end_exchange(party);
  if (was_transferred(hash_text(held))) return;
  granted_.push_back(hash_text(fresh));
  removals.note_granted(token_hash(fresh));
  for (const std::string& token : {held, fresh}) {
    removals.note_released(token_hash(token), now_ns);
  }
}

void Record::process_ended(std::uint32_t client) {
  book.note_ended(client, now_ns);
  for (std::uint32_t i = 0; i < plan.resources; ++i) {
    ends_waiting({client, i});
    hold_of({client, i}) = {};
  }
}

void Record::executed(const Origin& origin, const Deed& deed, std::string_view answer) {
  const bool refused = answer.front() == '-';
  const std::uint64_t token = token_hash(deed.token);
  if (deed.verb == Verb::release) removals.note_removal(origin, token, refused, now_ns);
  if (refused) return;
  const bool done = deed.done(answer);
  deeds({origin.client, origin.resource}, origin.server, deed.verb).push_back({token, done});
  if (deed.joins) return removals.note_join(origin, token, now_ns);
  if (deed.verb != Verb::take && deed.verb != Verb::swap) return;
  removals.note_take(origin, token, done, now_ns);
  // The old token goes by an exchange: a join of it that comes behind is a late one.
  if (deed.verb == Verb::swap && done) {
    removals.note_removal(origin, token_hash(deed.held), false, now_ns);
  }
}

Waiter& Record::joined(const Origin& origin, const Deed& deed, std::string_view answer) {
  Waiter& waiter = book.note_join(origin, deed, now_ns);
  const std::int64_t since_ns = waits_since_ns(waiter.party);
  waiter.over = since_ns == kForever || since_ns > origin.written_ns;
  if (deed.done(answer)) waiter.places[origin.server].note_given(now_ns);
  return waiter;
}

// It is that client's take, by its latest join.
Waiter* Record::handed(std::uint32_t server, const std::string& value) {
  const std::uint64_t token = token_hash(value);
  Waiter* const waiter = book.find(token);
  if (waiter == nullptr) return nullptr;
  waiter->places[server].note_given(now_ns);
  deeds(waiter->party, server, Verb::take).push_back({token, true});
  return waiter;
}

bool Record::held_now(std::string_view value) const {
  return std::ranges::any_of(holds_, [this, value](const Hold& hold) {
    return hold.active && hold.until_ns > now_ns && hold.holds(value);
  });
}

Marks& Record::deeds(Contender party, std::uint32_t server, Verb verb) {
  return deeds_[(place_of(party) * plan.servers + server) * static_cast<std::size_t>(Verb::count) +
                static_cast<std::size_t>(verb)];
}

Owned* Record::owned(std::uint32_t server, std::string_view value) {
  const auto known = std::ranges::find(owned_[server], hash_text(value), &Owned::value);
  return known == owned_[server].end() ? nullptr : &*known;
}

Owned& Record::own(std::uint32_t server, std::string_view value, std::uint32_t client) {
  Owned* const known = owned(server, value);
  return known != nullptr ? *known : owned_[server].emplace_back(Owned{hash_text(value), client});
}

bool Record::is_swap(std::uint32_t client, const Entry* before, const Entry& after) const {
  return before != nullptr && swap.client == client && swap.fresh != 0 &&
         token_hash(before->value) == swap.held && token_hash(after.value) == swap.fresh;
}

std::uint32_t Record::owner_of(std::uint32_t executing, std::string_view value) {
  if (book.empty()) return executing;
  const Waiter* const waiter = book.find(token_hash(value));
  return waiter == nullptr ? executing : waiter->party.client;
}

bool Record::stands(std::uint32_t server, std::string_view value) const {
  const ServerView& view = servers[server];
  const std::int64_t now_ms = view.clock_ms(now_ns);
  return std::ranges::any_of(view.keyspace->entries(), [&](const Entry& entry) {
    return entry.value == value && view.keyspace->alive(entry, now_ms);
  });
}

LineView Record::look_at(std::uint32_t server, std::string_view key) const {
  const ServerView& view = servers[server];
  return look_at_line(*view.keyspace, key, view.clock_ms(now_ns));
}

void Record::for_each_key(std::uint32_t client, std::uint32_t server, std::string_view name,
                          const std::function<void(const Entry&, const Owned&)>& visit) {
  const ServerView& view = servers[server];
  const std::int64_t now_ms = view.clock_ms(now_ns);
  for (const Entry& entry : view.keyspace->entries()) {
    if (entry.name != name) continue;
    const Owned* const known = owned(server, entry.value);
    if (known == nullptr || known->client != client) continue;
    if (view.keyspace->alive(entry, now_ms)) visit(entry, *known);
  }
}

void Record::for_each_waiting(std::uint32_t client, std::uint32_t server, std::string_view key,
                              const std::function<void(std::uint64_t)>& visit) {
  if (book.empty()) return;
  const ServerView& view = servers[server];
  const Entry* const line = alive_entry(*view.keyspace, line_key_of(key), view.clock_ms(now_ns));
  if (line == nullptr) return;
  for (const Item& stander : line->items) {
    const Waiter* const waiter = book.find(token_hash(stander.name));
    if (waiter == nullptr || waiter->party.client != client) continue;
    if (!removals.known(server, waiter->token).brought_back) visit(waiter->token);
  }
}

}  // namespace redlock::sim
