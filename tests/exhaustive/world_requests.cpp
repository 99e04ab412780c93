// What becomes of a request, as net/hedging and net/hedged_requests decide it.
#include <algorithm>
#include <bit>

#include "exhaustive/world.hpp"

namespace redlock::exhaustive {

namespace {

bool keeps(const HedgedRequests& hedged, int server) {
  return (hedged.kept >> static_cast<unsigned>(server) & 1U) != 0;
}

// What is held back is due when the connection is given up at the latest, so more need not be told
// apart.
constexpr Byte kHeldMax = kNeverDue - 1;

enum class Advice { wait, ask, leave };

// As in HedgedRequests::advise(), by arithmetic of our own.
Advice advise(const HedgedRequests& hedged, int servers, bool take) {
  if (hedged.kept == 0) return Advice::wait;
  const int majority = servers / 2 + 1;
  const int kept = std::popcount(hedged.kept);
  int lost = hedged.failed;
  if (hedged.granted + hedged.denied >= majority) {
    const bool won = hedged.granted >= majority;
    const bool hopeless = hedged.asked + kept - hedged.denied < majority;
    if (take || won || hopeless) return Advice::leave;
    lost += hedged.denied;
  }
  const bool enough = hedged.asked - lost >= majority;
  return enough && hedged.ask_left != 0 ? Advice::wait : Advice::ask;
}

}  // namespace

void World::send(State& state, Turn& turn, const Emission& emission) {
  Client& client = state.clients[static_cast<std::size_t>(turn.client)];
  const int server = emission.node;
  Link& link = state.links[static_cast<std::size_t>(turn.client)][emission.node];
  Message message{emission.command,      client.round, emission.attempt,
                  emission.answer_ticks, Answer::none, emission.wants_answer};
  HedgedRequests& hedged = client.hedged;
  if (!emission.wants_answer) {
    if (!keeps(hedged, server) || hedged.attempt != emission.attempt) {
      return tidy_up(state, turn, message, server);
    }
    // Kept back until now: behind its own removal it would stay, so neither of the two is sent.
    hedged.kept = byte(hedged.kept & ~(1U << emission.node));
    Message dropped = message;
    dropped.command = hedged.command;
    dropped.wanted = true;
    turn.arrivals.emplace_back(
        Input{InputKind::reply, emission.node, emission.attempt, Heard::connect}, dropped);
    return;
  }
  message.command = give_up_overdue(state, turn, emission, message);
  const bool left_alone = (turn.refused >> emission.node & 1U) != 0;
  if (hedged.attempt != message.attempt) hedged = HedgedRequests{};
  hedged.attempt = message.attempt;
  if (!link.open && link.failed && left_alone) return keep(state, turn.client, message, server);
  ++hedged.asked;
  ask(state, turn, message, server, false);
}

void World::keep(State& state, int client, const Message& message, int server) {
  HedgedRequests& hedged = state.clients[static_cast<std::size_t>(client)].hedged;
  hedged.kept = byte(hedged.kept | 1U << static_cast<unsigned>(server));
  hedged.command = message.command;
  hedged.left = message.left;
  hedged.ask_left = message.left < 4 ? kAskSoon : byte(message.left / 4);
}

void World::tidy_up(State& state, Turn& turn, const Message& message, int server) {
  Link& link = state.links[static_cast<std::size_t>(turn.client)][static_cast<std::size_t>(server)];
  Message removal = message;
  removal.wanted = false;
  if (link.closing) removal.left = kNeverDue;
  if (link.open) return append(link, removal);
  link.carried |= carried_bit(removal.command, removal.round);
}

// `whatever`: also when the server is to be left alone.
void World::ask(State& state, Turn& turn, Message message, int server, bool whatever) {
  Client& client = state.clients[static_cast<std::size_t>(turn.client)];
  Link& link = state.links[static_cast<std::size_t>(turn.client)][static_cast<std::size_t>(server)];
  const bool left_alone =
      !whatever && link.failed && (turn.refused >> static_cast<unsigned>(server) & 1U) != 0;
  // It takes the place of what was carried over of the same, in the form for that.
  if (book_.at(message.command).removal) {
    const auto again = byte(book_.undo_of(message.command));
    const std::uint32_t bit = carried_bit(again, message.round);
    if ((link.carried & bit) != 0) {
      message.command = again;
      // Asked for anew, and so to be sent twice at most from now on.
      link.carried &= ~bit;
      link.again &= ~bit;
    }
  }
  if (!link.open && !left_alone) open_link(state, turn.client, server);
  const bool establishing = link.open && !link.closing && (link.held || link.fresh);
  // It is sent when that is over, and the time of its answer begins then.
  const int ready = link.held ? link.ready_left : settings_.answer;
  const Byte due = std::min(byte(ready + settings_.answer), client.connect_left);
  if (link.held) {
    message.left = std::max(message.left, std::min(due, kHeldMax));
  } else if (establishing) {
    message.left = byte(settings_.answer);
  }
  if (link.open && !link.closing) {
    append(link, message);
  } else {
    if (book_.at(message.command).removal) {
      Message removal = message;
      removal.command = byte(book_.undo_of(message.command));
      tidy_up(state, turn, removal, server);
    }
    turn.arrivals.emplace_back(
        Input{InputKind::reply, byte(server), message.attempt, Heard::connect}, message);
  }
  if (link.suspected && client.phase == Phase::acquiring) {
    tell(client, {InputKind::suspicion, byte(server), message.attempt, Heard::granted});
  }
  if (!establishing || machines_.at(client.machine).done) return;
  tell(client, {InputKind::delay, byte(server), message.attempt, Heard::granted, due});
}

void World::tell(Client& client, const Input& input) {
  if (told_ != nullptr) told_->push_back(input);
  client.machine = machines_.step(client.machine, input).target;
}

void World::review_hedged(State& state, Turn& turn) {
  HedgedRequests& hedged = state.clients[static_cast<std::size_t>(turn.client)].hedged;
  const bool take = book_.size() > 0 && book_.at(hedged.command).role == Role::take;
  const Advice advice = advise(hedged, settings_.servers, take);
  if (advice != Advice::wait) {
    release_hedged(state, turn, advice == Advice::ask, advice == Advice::leave);
  }
  if (hedged.kept == 0) hedged = HedgedRequests{};
}

// Removals are asked for in any case.
void World::release_hedged(State& state, Turn& turn, bool ask_all, bool tell) {
  HedgedRequests& hedged = state.clients[static_cast<std::size_t>(turn.client)].hedged;
  const Byte round = state.clients[static_cast<std::size_t>(turn.client)].round;
  for (int s = 0; s < settings_.servers; ++s) {
    if (!keeps(hedged, s)) continue;
    const Message message{hedged.command, round, hedged.attempt, hedged.left, Answer::none, true};
    if (ask_all || book_.at(message.command).removal) {
      ask(state, turn, message, s, ask_all);
    } else if (tell) {
      turn.arrivals.emplace_back(Input{InputKind::reply, byte(s), message.attempt, Heard::connect},
                                 message);
    }
  }
  hedged = HedgedRequests{};
}

// Of a decided operation nothing is sent any more but removals.
void World::withdraw(State& state, Turn& turn) {
  for (int s = 0; s < settings_.servers; ++s) {
    Link& link = state.links[static_cast<std::size_t>(turn.client)][static_cast<std::size_t>(s)];
    if (!link.held) continue;
    std::array<bool, kQueueMax> useless{};
    for (std::size_t i = 0; i < link.count; ++i) {
      const Message& message = link.queue[i];
      const bool removal = book_.at(message.command).removal;
      useless[i] = message.wanted && !removal && is_current(state, turn.client, message);
    }
    drop_unwritten(link, useless);
  }
  if (state.clients[static_cast<std::size_t>(turn.client)].hedged.kept != 0) {
    release_hedged(state, turn, false, false);
  }
}

}  // namespace redlock::exhaustive
