// Holders, and what can happen around them.
#include "exhaustive/holding_world.hpp"

#include <algorithm>
#include <utility>

namespace redlock::exhaustive {

namespace {

constexpr TokenCode kTokensOfOne = 16;

Resources resources_of(const std::string& letters) {
  std::vector<Resource> all;
  for (const char letter : letters) all.emplace_back(std::string(1, letter));
  return Resources(std::move(all));
}

bool meet(const std::string& some, const std::string& others) {
  return some.find_first_of(others) != std::string::npos;
}

}  // namespace

HoldingWorld::HoldingWorld(const HoldingSettings& settings)
    : settings_(&settings),
      book_(std::make_shared<Book>()),
      clients_(settings.clients.size()),
      cuts_(settings.cuts),
      deaths_(settings.deaths) {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const HolderSettings& holder = settings.clients[i];
    clients_[i].calls_left = static_cast<std::uint8_t>(holder.calls);
    clients_[i].changes_left = static_cast<std::uint8_t>(holder.changes);
    clients_[i].extends_left = static_cast<std::uint8_t>(holder.extends);
  }
}

std::vector<HoldingWorld::Move> HoldingWorld::moves() const {
  using Kind = Move::Kind;
  std::vector<Move> moves;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const Client& client = clients_[i];
    const auto may = [&](bool so, Kind kind, std::size_t place = 0) {
      if (so)
        moves.push_back({kind, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(place)});
    };
    const bool free = !client.dead && client.call == 0;
    may(free && client.held == 0 && client.calls_left > 0, Kind::begin);
    may(free && inside(client) && client.changes_left > 0, Kind::change);
    may(free && inside(client) && client.extends_left > 0, Kind::extend);
    may(free && client.held != 0, Kind::release);
    may(deaths_ > 0 && !client.dead && client.calls > 0, Kind::die);
    for (std::size_t server = 0; server < kHoldingServers; ++server) {
      const bool waits = !client.wires[server].empty();
      may(waits, Kind::serve, server);
      may(waits && cuts_ > 0, Kind::cut, server);
      may(waits && cuts_ > 0 && client.wires[server].front().call != 0, Kind::lose, server);
    }
  }
  for (std::size_t i = 0; i < late_.size(); ++i) {
    moves.push_back({Kind::late, 0, static_cast<std::uint8_t>(i)});
  }
  if (tick_ < settings_->ticks) moves.push_back({Kind::tick, 0, 0});
  return moves;
}

void HoldingWorld::make(const Move& move) {
  Client& client = clients_[move.client];
  switch (move.kind) {
    case Move::Kind::begin:
      --client.calls_left;
      begin(move.client, CallKind::acquire);
      break;
    case Move::Kind::change:
      --client.changes_left;
      change(move.client);
      break;
    case Move::Kind::extend:
      --client.extends_left;
      begin(move.client, CallKind::extend);
      break;
    case Move::Kind::release:
      forget(move.client, std::exchange(client.held, TokenCode{0}));
      break;
    case Move::Kind::die:
      --deaths_;
      client.dead = true;
      client.call = 0;
      break;
    case Move::Kind::serve:
      serve(move.client, move.place, true);
      break;
    case Move::Kind::cut:
      cut(move.client, move.place);
      break;
    case Move::Kind::lose:
      serve(move.client, move.place, false);
      cut(move.client, move.place);
      break;
    case Move::Kind::late: {
      const Late late = late_[move.place];
      late_.erase(late_.begin() + move.place);
      (void)execute(late.server, late.command);
      break;
    }
    case Move::Kind::tick:
      pass_time();
      break;
  }
  judge();
}

void HoldingWorld::begin(std::size_t number, CallKind kind) {
  Client& client = clients_[number];
  const HolderSettings& holder = settings_->clients[number];
  CallRecipe recipe{kind, holder.resources, holder.mode, 0, 0};
  if (kind != CallKind::extend) {
    recipe.fresh = static_cast<TokenCode>(kTokensOfOne * (number + 1) + client.tokens++);
  }
  if (kind != CallKind::acquire) recipe.held = client.held;
  client.kind = kind;
  client.fresh = recipe.fresh;
  ++client.calls;
  follow(number, book_->calls.begin(recipe));
}

// A demotion counts from its beginning, so nobody waits for the answers.
void HoldingWorld::change(std::size_t number) {
  Client& client = clients_[number];
  if (!client.alone) return begin(number, CallKind::promote);
  client.alone = settings_->stays_alone;
  const Demote demote{resources_of(settings_->clients[number].resources), token_of(client.held)};
  for (std::vector<Said>& wire : client.wires) {
    wire.push_back({book_->servers.number_of(demote)});
  }
}

void HoldingWorld::remove(std::size_t number, TokenCode token, std::size_t server,
                          bool hands_over) {
  const ReleaseAndHandOver removal{resources_of(settings_->clients[number].resources),
                                   token_of(token), hands_over};
  clients_[number].wires[server].push_back({book_->servers.number_of(removal)});
}

void HoldingWorld::forget(std::size_t number, TokenCode token) {
  for (std::size_t i = 0; i < kHoldingServers; ++i) remove(number, token, i, true);
}

void HoldingWorld::follow(std::size_t number, const HoldingCalls::Step& step) {
  clients_[number].call = step.call;
  for (const HoldingCalls::Asked& asked : step.asks) say(number, asked);
  const HoldingCalls::Call& call = book_->calls.at(step.call);
  if (!call.done) return;
  clients_[number].call = 0;
  finish(number, call);
}

void HoldingWorld::say(std::size_t number, const HoldingCalls::Asked& asked) {
  Client& client = clients_[number];
  std::vector<Said>& wire = client.wires[asked.node];
  Said said{asked.command, asked.wants_answer ? client.calls : std::uint8_t{0}};
  const auto* const promote = std::get_if<Promote>(&book_->servers.command(asked.command));
  said.promotes = promote != nullptr;
  if (promote != nullptr && settings_->leaves_gap) {
    const SetIfAbsent set{promote->resources, promote->fresh, promote->ttl};
    remove(number, client.held, asked.node, true);
    said.command = book_->servers.number_of(set);
  }
  wire.push_back(said);
}

// As HeldLock does with what a call came to.
void HoldingWorld::finish(std::size_t number, const HoldingCalls::Call& call) {
  Client& client = clients_[number];
  const bool was_inside = inside(client);
  if (call.lost && was_inside) wrong_ = "one who is inside is told that he is not";
  if (!call.granted) return;
  const std::int64_t validity_ms = settings_->counts_late ? kHoldingTtlMs : call.validity_ms;
  const std::int64_t until_ms = now_ms() + validity_ms;
  switch (client.kind) {
    case CallKind::extend:
      if (was_inside) client.until_ms = std::max(client.until_ms, until_ms);
      return;
    case CallKind::promote:
      forget(number, was_inside ? client.held : client.fresh);
      if (!was_inside) return;
      client.alone = true;
      break;
    case CallKind::acquire:
      client.alone = settings_->clients[number].mode == LockMode::exclusive;
      break;
  }
  client.held = client.fresh;
  client.until_ms = until_ms;
  client.had = true;
}

void HoldingWorld::serve(std::size_t number, std::size_t server, bool answers) {
  std::vector<Said>& wire = clients_[number].wires[server];
  const Said said = wire.front();
  wire.erase(wire.begin());
  const Vote vote = execute(server, said.command);
  hear(number, server, said, answers ? vote : Vote::closed);
}

void HoldingWorld::hear(std::size_t number, std::size_t server, const Said& said, Vote vote) {
  const Client& client = clients_[number];
  if (client.call == 0 || said.call != client.calls) return;
  const bool counts = settings_->counts_strangers && said.promotes && vote == Vote::busy;
  follow(number, book_->calls.hear(client.call, server, counts ? Vote::granted : vote));
}

// Removals are said again on the next connection; of all else the call hears that it was cut off.
void HoldingWorld::cut(std::size_t number, std::size_t server) {
  Client& client = clients_[number];
  --cuts_;
  std::vector<Said> unanswered;
  std::vector<Said> again;
  for (const Said& said : std::exchange(client.wires[server], {})) {
    late_.push_back({static_cast<std::uint8_t>(server), said.command});
    if (said.call != 0) unanswered.push_back(said);
    if (is_removal(book_->servers.command(said.command)) && !client.dead) again.push_back(said);
  }
  client.wires[server] = std::move(again);
  for (const Said& said : unanswered) hear(number, server, said, Vote::closed);
}

void HoldingWorld::pass_time() {
  ++tick_;
  for (std::uint32_t& server : servers_) server = book_->servers.at(server, now_ms());
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (clients_[i].call != 0) follow(i, book_->calls.turn(clients_[i].call));
  }
}

Vote HoldingWorld::execute(std::size_t server, std::uint16_t command) {
  const auto* const set = std::get_if<SetAllIfAbsent>(&book_->servers.command(command));
  const std::uint32_t before = servers_[server];
  Vote vote = Vote::denied;
  if (set != nullptr && (settings_->one_by_one || settings_->takes_what_is_free)) {
    vote = execute_in_parts(server, *set);
  } else {
    const HoldingServers::Step step = book_->servers.run(before, command, now_ms());
    servers_[server] = step.state;
    vote = step.vote;
  }
  if (set == nullptr) return vote;
  const std::size_t keys = book_->servers.keys_with(servers_[server], set->token.view());
  const bool all = keys == set->resources.all().size();
  if (vote == Vote::granted && !all) wrong_ = "a server grants a set that it has a part of";
  if (vote != Vote::granted && servers_[server] != before) wrong_ = "a refusal leaves something";
  return vote;
}

// The broken rules of a set.
Vote HoldingWorld::execute_in_parts(std::size_t server, const SetAllIfAbsent& set) {
  Vote all = Vote::granted;
  for (const Resource& resource : set.resources.all()) {
    const SetIfAbsent one{resource, set.token, set.ttl};
    const auto step = book_->servers.run(servers_[server], book_->servers.number_of(one), now_ms());
    servers_[server] = step.state;
    if (step.vote != Vote::granted && settings_->one_by_one) return Vote::busy;
  }
  return all;
}

void HoldingWorld::judge() {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    for (std::size_t j = i + 1; j < clients_.size(); ++j) {
      const Client& one = clients_[i];
      const Client& other = clients_[j];
      if (!inside(one) || !inside(other) || (!one.alone && !other.alone)) continue;
      if (!meet(settings_->clients[i].resources, settings_->clients[j].resources)) continue;
      wrong_ = "two are inside, and one of them alone";
    }
  }
}

bool HoldingWorld::happened() const {
  const auto alone = [this](const Client& client) { return inside(client) && client.alone; };
  const auto had = std::ranges::count_if(clients_, &Client::had);
  return had > 1 && std::ranges::any_of(clients_, alone);
}

}  // namespace redlock::exhaustive
