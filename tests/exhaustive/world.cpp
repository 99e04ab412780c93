// The list of moves and which rule each belongs to.
#include "exhaustive/world.hpp"

#include <algorithm>
#include <stdexcept>

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
  if (!apply_client_move(state, move)) apply_other_move(state, move);
  for (auto& links : state.links) {
    for (Link& link : links) link.fresh = false;
  }
  // It asks nothing more: its connections are left to themselves.
  const bool done =
      move.client < settings_.natives && state.clients[move.client].phase == Phase::finished;
  for (int s = 0; done && s < settings_.servers; ++s) {
    const Link& link = state.links[move.client][static_cast<std::size_t>(s)];
    // A removal that waits for the handshake is still to go out.
    if (link.open && (!link.held || link.count == 0)) abandon(state, move.client, s);
  }
  return wrong_;
}

// False: it is none of a client's moves.
bool World::apply_client_move(State& state, const Move& move) {
  Client& client = state.clients[move.client];
  Turn turn{move.client, move.detail, {}};
  switch (move.kind) {
    case MoveKind::start:
      begin(state, turn, Root{}, Phase::acquiring);
      settle(state, turn);
      return true;
    case MoveKind::extend:
      client.extended = true;
      begin(state, turn, Root{Root::Kind::extend, client.held, false}, Phase::extending);
      settle(state, turn);
      return true;
    case MoveKind::deliver:
      deliver(state, move);
      return true;
    case MoveKind::admit:
      admit(state, move);
      return true;
    case MoveKind::turn:
      take_turn(state, move);
      return true;
    case MoveKind::release:
      release(state, move);
      return true;
    case MoveKind::notice:
      notice(state, move);
      return true;
    case MoveKind::resume:
      client.lagging = false;
      return true;
    case MoveKind::legacy_start:
      client.step = LegacyStep::setnx;
      ++client.attempt;
      client.age = 0;
      return true;
    case MoveKind::legacy_execute:
      legacy_execute(state, move.client);
      return true;
    case MoveKind::legacy_release:
      client.step = LegacyStep::release_get;
      client.hold_left = 0;
      return true;
    default:
      return false;
  }
}

void World::apply_other_move(State& state, const Move& move) {
  switch (move.kind) {
    case MoveKind::execute:
      return execute_head(state, move.client, move.server);
    case MoveKind::execute_zombie:
      return execute_zombie(state, move);
    case MoveKind::tick:
      return tick(state);
    case MoveKind::expire:
      return expire(state.servers[move.server]);
    case MoveKind::gain:
      return gain(state);
    case MoveKind::crash:
      return crash(state, move.server, false);
    case MoveKind::instant_restart:
      return crash(state, move.server, true);
    case MoveKind::flush:
      return flush(state, move.server);
    case MoveKind::reset:
      // What was sent may still arrive, at any time or never; the client knows only that it is cut
      // off.
      --state.faults_left;
      state.loss = true;
      return notice(state, move);
    case MoveKind::kill:
      return kill(state, move.client);
    case MoveKind::lag:
      --state.faults_left;
      state.clients[move.client].lagging = true;
      return;
    default:
      throw std::logic_error("a move that nobody makes");
  }
}

}  // namespace redlock::exhaustive
