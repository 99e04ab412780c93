// The list of moves and which rule each belongs to.
#include "exhaustive/world.hpp"

#include <algorithm>

namespace redlock::exhaustive {

World::World(const Settings& settings)
    : settings_(settings), machines_(settings_, book_), server_step_(settings_, book_) {}

State World::root() const {
  State state;
  state.faults_left = byte(settings_.fault_budget);
  state.gain_left = byte(settings_.gain);
  state.ticks_left = byte(std::max(0, settings_.ticks));
  return state;
}

void World::list_moves(const State& state, std::vector<Move>& moves) const {
  moves.clear();
  for (int i = 0; i < settings_.natives; ++i) list_client(state, i, moves);
  for (int i = settings_.natives; i < settings_.clients(); ++i) list_legacy(state, i, moves);
  list_servers(state, moves);
  list_time(state, moves);
  list_faults(state, moves);
}

std::string World::apply(State& state, const Move& move) {
  wrong_.clear();
  Client& client = state.clients[move.client];
  switch (move.kind) {
    case MoveKind::start: {
      Turn turn{move.client, move.detail, {}};
      begin(state, turn, Root{}, Phase::acquiring);
      settle(state, turn);
      break;
    }
    case MoveKind::execute:
      execute_head(state, move.client, move.server);
      break;
    case MoveKind::execute_zombie:
      execute_zombie(state, move);
      break;
    case MoveKind::deliver:
      deliver(state, move.client, move.server);
      break;
    case MoveKind::turn:
      take_turn(state, move);
      break;
    case MoveKind::release:
      release(state, move);
      break;
    case MoveKind::extend: {
      Turn turn{move.client, move.detail, {}};
      client.extended = true;
      begin(state, turn, Root{Root::Kind::extend, client.held, false}, Phase::extending);
      settle(state, turn);
      break;
    }
    case MoveKind::tick:
      tick(state);
      break;
    case MoveKind::expire:
      expire(state.servers[move.server]);
      break;
    case MoveKind::gain:
      --state.gain_left;
      for (Server& server : state.servers) {
        if (server.owner == kNoOwner) continue;
        --server.left;
        if (server.left < 0 && !server.persistent) expire(server);
      }
      break;
    case MoveKind::crash:
      crash(state, move.server, false);
      break;
    case MoveKind::instant_restart:
      crash(state, move.server, true);
      break;
    case MoveKind::notice:
      notice(state, move.client, move.server);
      break;
    case MoveKind::reset:
      reset(state, move.client, move.server);
      break;
    case MoveKind::kill:
      kill(state, move.client);
      break;
    case MoveKind::lag:
      --state.faults_left;
      client.lagging = true;
      break;
    case MoveKind::resume:
      client.lagging = false;
      break;
    case MoveKind::legacy_start:
      client.step = LegacyStep::setnx;
      ++client.attempt;
      client.age = 0;
      break;
    case MoveKind::legacy_execute:
      legacy_execute(state, move.client);
      break;
    case MoveKind::legacy_release:
      client.step = LegacyStep::release_get;
      client.hold_left = 0;
      break;
  }
  // It asks nothing more: its connections are left to themselves.
  const bool done = move.client < settings_.natives && client.phase == Phase::finished;
  for (int s = 0; done && s < settings_.servers; ++s) {
    const Link& link = state.links[move.client][static_cast<std::size_t>(s)];
    if (link.open) abandon(state, move.client, s);
  }
  return wrong_;
}

}  // namespace redlock::exhaustive
