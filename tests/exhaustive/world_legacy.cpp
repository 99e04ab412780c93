// Clients that still run the documents' PHP: SETNX, GET, GETSET, DEL, each a step of its own.
//
// A request may be executed at any time after it was sent, and the answer is taken at once: a
// later answer would only make the client's decision later, never different, because it compares
// with the clock it has read before. Its stamp and all its comparisons use that reading.
#include "exhaustive/world.hpp"

namespace redlock::exhaustive {

void World::list_legacy(const State& state, int client, std::vector<Move>& moves) const {
  const Client& c = state.clients[static_cast<std::size_t>(client)];
  const Byte name = byte(client);
  switch (c.step) {
    case LegacyStep::idle:
      moves.push_back({MoveKind::legacy_start, name, 0, 0});
      return;
    case LegacyStep::holding:
      moves.push_back({MoveKind::legacy_release, name, 0, 0});
      return;
    case LegacyStep::finished:
      return;
    default:
      break;
  }
  if (state.servers[0].down == 0) moves.push_back({MoveKind::legacy_execute, name, 0, 0});
}

void World::legacy_win(Client& client) const {
  client.step = LegacyStep::holding;
  // Its lease counts from the reading of the clock, without the buffer.
  client.hold_left = static_cast<Ticks>(std::max(0, settings_.ttl - client.age));
  client.age = 0;
}

void World::legacy_lose(Client& client) const {
  const bool last = client.attempt >= settings_.attempts;
  client.step = last ? LegacyStep::finished : LegacyStep::idle;
  client.age = 0;
}

// Until the time that a stamp names whose writer meant `left`: whole seconds are cut off.
int World::stamp_left(const State& state, int left) const {
  const int unit = settings_.unit_ticks;
  return unit > 0 ? left - ((state.phase + left) % unit + unit) % unit : left;
}

void World::legacy_acquire(State& state, Client& client) {
  Server& key = state.servers[0];
  const bool absent = key.owner == kNoOwner;
  // now > stamp, and no value counts as 0.
  const int beyond = std::max(0, settings_.unit_ticks - 1);
  const bool stale = absent || stamp_left(state, key.left) + client.age + beyond < 0;
  const int left = stamp_left(state, settings_.life() - client.age);
  const Server mine{kPlain, 0, 0, true, static_cast<Ticks>(left), 0};
  switch (client.step) {
    case LegacyStep::setnx:
      client.step = LegacyStep::get;
      if (!absent) return;
      key = mine;
      return legacy_win(client);
    case LegacyStep::get:
      if (!stale) return legacy_lose(client);
      client.step = LegacyStep::getset;
      return;
    default:
      key = mine;
      stale ? legacy_win(client) : legacy_lose(client);
  }
}

void World::legacy_execute(State& state, int name) {
  Client& client = state.clients[static_cast<std::size_t>(name)];
  const State past = state;
  if (client.step == LegacyStep::release_get) {
    const bool live = state.servers[0].owner != kNoOwner &&
                      stamp_left(state, state.servers[0].left) + state.phase > 0;
    client.step = live ? LegacyStep::del : LegacyStep::finished;
  } else if (client.step == LegacyStep::del) {
    state.servers[0] = Server{};
    client.step = LegacyStep::finished;
    note_robbery(past, state, name, Robbery::blind_del);
  } else {
    const bool overwrites = client.step == LegacyStep::getset;
    legacy_acquire(state, client);
    if (overwrites) note_robbery(past, state, name, Robbery::stale_getset);
  }
}

}  // namespace redlock::exhaustive
