// Native clients: lock, hold, maybe extend, unlock, as often as the world says.
#include <algorithm>

#include "exhaustive/world.hpp"

namespace redlock::exhaustive {

namespace {

bool operating(const Client& client) {
  return client.phase == Phase::acquiring || client.phase == Phase::extending ||
         client.phase == Phase::releasing;
}

}  // namespace

bool World::overdue(const Link& link) {
  if (!link.open || link.closing) return false;
  if (link.held) return link.ready_left == 0;
  return std::any_of(link.queue.begin(), link.queue.begin() + link.count,
                     [](const Message& m) { return m.left == 0; });
}

bool World::any_overdue(const State& state, int client) {
  const auto& links = state.links[static_cast<std::size_t>(client)];
  return std::any_of(links.begin(), links.end(), overdue);
}

// Something is due, or may be within less than a tick.
bool World::wants_turn(const State& state, int client) const {
  const Client& c = state.clients[static_cast<std::size_t>(client)];
  if (any_overdue(state, client)) return true;
  if (!operating(c)) return false;
  const HedgedRequests& hedged = c.hedged;
  if (hedged.kept != 0 && (hedged.ask_left == 0 || hedged.ask_left == kAskSoon)) return true;
  return machines_.at(c.machine).due.value_or(1) == 0;
}

// Time may not pass: the client's event loop would wake up first.
bool World::urgent(const State& state, int client) const {
  const Client& c = state.clients[static_cast<std::size_t>(client)];
  return operating(c) && !c.lagging && wants_turn(state, client);
}

void World::list_client(const State& state, int client, std::vector<Move>& moves) const {
  const Client& c = state.clients[static_cast<std::size_t>(client)];
  const Byte name = byte(client);
  if (c.lagging) {
    moves.push_back({MoveKind::resume, name, 0, 0});
    return;
  }
  for (int s = 0; settings_.handshake && s < settings_.servers; ++s) {
    const Link& link = state.links[static_cast<std::size_t>(client)][static_cast<std::size_t>(s)];
    if (link.held && !link.closing && !link.broken && state.servers[byte(s)].down == 0) {
      moves.push_back({MoveKind::admit, name, byte(s), 0});
    }
  }
  if (c.phase == Phase::finished || c.phase == Phase::dead) return;
  if (c.phase == Phase::idle) list_with_backoff(state, {MoveKind::start, name, 0, 0}, moves);
  for (int s = 0; s < settings_.servers; ++s) {
    const Link& link = state.links[static_cast<std::size_t>(client)][static_cast<std::size_t>(s)];
    if (!link.open || link.closing || (link.count == 0 && !link.held)) continue;
    if (link.count > 0 && link.queue[0].answer != Answer::none) {
      list_with_backoff(state, {MoveKind::deliver, name, byte(s), 0}, moves);
    }
    if (link.broken) moves.push_back({MoveKind::notice, name, byte(s), 0});
  }
  // While the application holds the lock no event loop runs, but one may at any time.
  if (wants_turn(state, client)) list_with_backoff(state, {MoveKind::turn, name, 0, 0}, moves);
  if (c.phase != Phase::holding) return;
  list_with_backoff(state, {MoveKind::release, name, 0, 0}, moves);
  if (settings_.extend && !c.extended) {
    list_with_backoff(state, {MoveKind::extend, name, 0, 0}, moves);
  }
}

// Servers that this client backs off from, or will within this move, may be left alone.
void World::list_with_backoff(const State& state, Move move, std::vector<Move>& moves) const {
  unsigned doubtful = 0;
  if (settings_.backoff) {
    for (unsigned s = 0; s < static_cast<unsigned>(settings_.servers); ++s) {
      const Link& link = state.links[move.client][s];
      const bool may_close = link.closing || overdue(link);
      if ((link.failed && !link.open) || may_close) doubtful |= 1U << s;
    }
  }
  for (unsigned mask = 0; mask <= doubtful; ++mask) {
    if ((mask & doubtful) != mask) continue;
    move.detail = byte(mask);
    moves.push_back(move);
  }
}

void World::begin(State& state, Turn& turn, const Root& root, Phase phase) {
  Client& client = state.clients[static_cast<std::size_t>(turn.client)];
  client.phase = phase;
  client.connect_left = byte(2 * settings_.answer);
  follow(state, turn, machines_.start(root));
}

void World::feed(State& state, Turn& turn, const Input& input) {
  if (told_ != nullptr) told_->push_back(input);
  follow(state, turn,
         machines_.step(state.clients[static_cast<std::size_t>(turn.client)].machine, input));
}

void World::follow(State& state, Turn& turn, const Transition& transition) {
  Client& client = state.clients[static_cast<std::size_t>(turn.client)];
  client.machine = transition.target;
  if (!transition.wrong.empty()) blame(transition.wrong);
  for (const Emission& emission : transition.emissions) send(state, turn, emission);
  review_hedged(state, turn);
  if (!machines_.at(client.machine).done) return;
  withdraw(state, turn);
  finish_operation(state, turn.client);
}

void World::hear(State& state, Turn& turn, const Input& input, const Message& message) {
  if (!message.wanted || !is_current(state, turn.client, message)) return;
  Client& client = state.clients[static_cast<std::size_t>(turn.client)];
  HedgedRequests& hedged = client.hedged;
  if (hedged.kept != 0 && message.attempt == hedged.attempt) {
    Byte& count = input.heard == Heard::granted  ? hedged.granted
                  : input.heard == Heard::denied ? hedged.denied
                                                 : hedged.failed;
    ++count;
  }
  // What the answer makes necessary is sent before what it makes the operation undo.
  review_hedged(state, turn);
  const int trusted = settings_.ttl - settings_.drift_ticks();
  const bool late = machines_.at(client.machine).elapsed >= trusted;
  if (late || input.heard > Heard::denied) state.untimely = true;
  feed(state, turn, input);
}

// Hands the answers of this turn to the operation that asked, while it runs, and then closes what
// need not stay open.
void World::settle(State& state, Turn& turn) {
  do {
    while (!turn.arrivals.empty()) {
      const auto [input, message] = turn.arrivals.front();
      turn.arrivals.pop_front();
      hear(state, turn, input, message);
    }
    for (int s = 0; settings_.handshake && s < settings_.servers; ++s) {
      flush_link(state, turn, order_[static_cast<std::size_t>(s)]);
    }
  } while (!turn.arrivals.empty());
  for (const int server : order_) {
    if (server >= settings_.servers) continue;
    const Link& link =
        state.links[static_cast<std::size_t>(turn.client)][static_cast<std::size_t>(server)];
    if (link.closing && !awaits_verdict(state, turn.client, server)) {
      close_link(state, turn.client, server);
    }
  }
}

void World::finish_operation(State& state, int client) {
  Client& c = state.clients[static_cast<std::size_t>(client)];
  const Machine& machine = machines_.at(c.machine);
  const bool granted = machine.decision == Decision::granted;
  const Phase was = c.phase;
  if (was == Phase::acquiring && granted) {
    c.held = machine.token;
    state.granted = true;
  }
  if (was != Phase::releasing && granted) c.hold_left = static_cast<Ticks>(machine.validity);
  c.machine = 0;
  c.connect_left = 0;
  c.hedged = HedgedRequests{};
  c.phase = Phase::holding;
  if (was == Phase::releasing || (was == Phase::acquiring && !granted)) finish_round(state, client);
}

void World::finish_round(State& state, int client) {
  Client& c = state.clients[static_cast<std::size_t>(client)];
  c.hold_left = 0;
  c.held = 0;
  c.robbed = Robbery::none;
  c.extended = false;
  c.phase = Phase::idle;
  ++c.round;
  if (c.round < settings_.rounds) return;
  c.phase = Phase::finished;
}

void World::deliver(State& state, const Move& move) {
  Link& link = state.links[move.client][move.server];
  const Message message = link.queue[0];
  link.failed = link.suspected = false;
  Turn turn{move.client, move.detail, {}};
  const Byte script = book_.at(message.command).script;
  if (message.answer == Answer::unknown_script) {
    link.known = byte(link.known & ~script);
    link.offered = byte(link.offered & ~script);
    repeat_as_text(state, turn, message, move.server);
  } else {
    if (follows_scripts()) link.known = byte(link.known | script);
    const Heard heard = message.answer == Answer::granted ? Heard::granted : Heard::denied;
    turn.arrivals.emplace_back(Input{InputKind::reply, move.server, message.attempt, heard},
                               message);
  }
  std::move(link.queue.begin() + 1, link.queue.begin() + link.count, link.queue.begin());
  link.queue[--link.count] = Message{};
  settle(state, turn);
}

// As in the reactor: connections whose answer is overdue are given up, the operation is told and
// may still say what to undo on them, they are closed, and only then is it told the time.
void World::take_turn(State& state, const Move& move) {
  Turn turn{move.client, move.detail, {}};
  auto& links = state.links[move.client];
  Client& client = state.clients[move.client];
  if (client.hedged.ask_left == kAskSoon) client.hedged.ask_left = 0;
  settle(state, turn);
  for (const int s : order_) {
    if (s < settings_.servers && overdue(links[static_cast<std::size_t>(s)])) {
      fail_link(state, turn, s, Heard::timeout, true);
    }
  }
  settle(state, turn);
  if (!operating(client)) return;
  if (machines_.at(client.machine).due.value_or(1) == 0) {
    feed(state, turn, Input{InputKind::on_time, 0, 0, Heard::granted});
  } else {
    review_hedged(state, turn);
  }
  settle(state, turn);
}

void World::release(State& state, const Move& move) {
  Turn turn{move.client, move.detail, {}};
  Client& client = state.clients[move.client];
  const bool plain = settings_.mixed_fleet && client.hold_left > 0;
  client.hold_left = 0;
  begin(state, turn, Root{Root::Kind::release, client.held, plain}, Phase::releasing);
  settle(state, turn);
}

}  // namespace redlock::exhaustive
