// Faults that the budget allows, one by one.
#include "exhaustive/world.hpp"

namespace redlock::exhaustive {

void World::list_faults(const State& state, std::vector<Move>& moves) const {
  const auto allowed = [this](Fault fault) { return (settings_.faults & fault) != 0; };
  if (state.faults_left == 0) return;
  for (int s = 0; s < settings_.servers; ++s) {
    const Byte server = byte(s);
    if (state.servers[server].down != 0) continue;
    if (allowed(kCrash)) moves.push_back({MoveKind::crash, 0, server, 0});
    if (allowed(kFlush) && state.servers[server].scripts != 0) {
      moves.push_back({MoveKind::flush, 0, server, 0});
    }
    if (allowed(kInstantRestart)) moves.push_back({MoveKind::instant_restart, 0, server, 0});
  }
  for (int c = 0; c < settings_.natives; ++c) {
    const Byte name = byte(c);
    const Client& client = state.clients[name];
    const bool alive = client.phase != Phase::finished && client.phase != Phase::dead;
    if (!alive || client.phase == Phase::idle) continue;
    if (allowed(kKill)) moves.push_back({MoveKind::kill, name, 0, 0});
    if (allowed(kLag) && client.machine != 0 && !client.lagging) {
      moves.push_back({MoveKind::lag, name, 0, 0});
    }
    for (int s = 0; s < settings_.servers; ++s) {
      const Link& link = state.links[name][static_cast<std::size_t>(s)];
      if (allowed(kReset) && link.open && link.count > 0 && !client.lagging && !link.broken &&
          !link.closing) {
        moves.push_back({MoveKind::reset, name, byte(s), 0});
      }
    }
  }
}

void World::crash(State& state, int server, bool instant) {
  --state.faults_left;
  state.loss = true;
  Server& at = state.servers[static_cast<std::size_t>(server)];
  at = Server{};
  // The delay that operators must keep to: longer than any key may live.
  at.down = static_cast<Ticks>(instant ? 0 : settings_.life() + 1);
  for (auto& links : state.links) {
    Link& link = links[static_cast<std::size_t>(server)];
    if (link.open) link.broken = true;
    link.zombies = {};
    link.zombie_count = 0;
  }
}

void World::flush(State& state, int server) {
  --state.faults_left;
  state.servers[static_cast<std::size_t>(server)].scripts = 0;
}

void World::notice(State& state, const Move& move) {
  Turn turn{move.client, move.detail, {}};
  fail_link(state, turn, move.server, Heard::closed, false);
  settle(state, turn);
}

void World::kill(State& state, int client) {
  --state.faults_left;
  state.loss = true;
  Client& c = state.clients[static_cast<std::size_t>(client)];
  const Byte round = c.round;
  c = Client{};
  c.round = round;
  c.phase = Phase::dead;
  for (int s = 0; s < settings_.servers; ++s) {
    abandon(state, client, s);
    state.links[static_cast<std::size_t>(client)][static_cast<std::size_t>(s)].carried = 0;
    state.links[static_cast<std::size_t>(client)][static_cast<std::size_t>(s)].again = 0;
  }
}

}  // namespace redlock::exhaustive
