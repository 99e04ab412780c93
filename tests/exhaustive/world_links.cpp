// Connections, as runtime/node and wire/session treat them.
#include <algorithm>
#include <stdexcept>

#include "exhaustive/world.hpp"

namespace redlock::exhaustive {

namespace {

std::uint32_t carried_bit(int command, int round) {
  return std::uint32_t{1} << static_cast<unsigned>(command + 16 * round);
}

Link& link_of(State& state, int client, int server) {
  return state.links[static_cast<std::size_t>(client)][static_cast<std::size_t>(server)];
}

Zombie zombie_code(const Message& message) {
  return static_cast<Zombie>(message.command + 1 + 16 * message.round);
}

}  // namespace

void World::append(Link& link, const Message& message) {
  if (link.count == kQueueMax) throw std::length_error("a connection's queue is full");
  link.queue[link.count++] = message;
}

void World::open_link(State& state, int client, int server) {
  Link& link = link_of(state, client, server);
  link.open = true;
  // To a server that is away: nothing sent will ever be executed.
  link.broken = state.servers[static_cast<std::size_t>(server)].down != 0;
  for (int bit = 0; link.carried != 0 && bit < 32; ++bit) {
    const std::uint32_t mask = std::uint32_t{1} << static_cast<unsigned>(bit);
    if ((link.carried & mask) == 0) continue;
    append(link, {byte(bit % 16), byte(bit / 16), 0, kNeverDue, Answer::none, false});
  }
  link.carried = 0;
}

void World::send(State& state, Turn& turn, const Emission& emission) {
  const Client& client = state.clients[static_cast<std::size_t>(turn.client)];
  Link& link = link_of(state, turn.client, emission.node);
  const Message message{emission.command,      client.round, emission.attempt,
                        emission.answer_ticks, Answer::none, emission.wants_answer};
  const bool closing = (turn.closing >> emission.node & 1U) != 0;
  const bool removal = book_.at(emission.command).removal;
  if (!emission.wants_answer) {
    if (link.open) return append(link, message);
    link.carried |= carried_bit(message.command, message.round);
    return;
  }
  const bool refused = (turn.refused >> emission.node & 1U) != 0;
  if (!link.open && !refused) open_link(state, turn.client, emission.node);
  if (link.open && !closing) return append(link, message);
  Message unanswered = message;
  unanswered.wanted = false;
  if (removal && closing) append(link, unanswered);
  if (removal && !closing) link.carried |= carried_bit(message.command, message.round);
  turn.arrivals.emplace_back(
      Input{InputKind::reply, emission.node, emission.attempt, Heard::connect}, message);
}

void World::fail_link(State& state, Turn& turn, int server, Heard heard) {
  const Link& link = link_of(state, turn.client, server);
  turn.closing |= 1U << static_cast<unsigned>(server);
  for (int i = 0; i < link.count; ++i) {
    const Message& message = link.queue[static_cast<std::size_t>(i)];
    turn.arrivals.emplace_back(Input{InputKind::reply, byte(server), message.attempt, heard},
                               message);
  }
}

// The take of a lock that other servers have granted meanwhile.
bool World::spared(const State& state, int client, const Message& message) const {
  const Client& c = state.clients[static_cast<std::size_t>(client)];
  return settings_.spare_granted && !book_.at(message.command).removal &&
         message.round == c.round && (c.phase == Phase::holding || c.phase == Phase::extending) &&
         book_.at(message.command).token == c.held;
}

void World::close_link(State& state, int client, int server, bool usable) {
  Link& link = link_of(state, client, server);
  Zombie zombie = 0;
  int shift = 0;
  const auto add = [&zombie, &shift](Zombie code) {
    if (shift == 64) throw std::length_error("a closed connection carries too much");
    zombie |= code << static_cast<unsigned>(shift);
    shift += 8;
  };
  std::vector<Message> undos;
  for (int i = 0; i < link.count; ++i) {
    const Message& message = link.queue[static_cast<std::size_t>(i)];
    if (message.answer == Answer::none) add(zombie_code(message));
    const int undo = book_.undo_of(message.command);
    if (undo < 0) continue;
    if (spared(state, client, message)) {
      // If it is executed after the release on another connection, it stays until its ttl.
      state.loss = true;
      continue;
    }
    // The latest word about a lock counts: a removal that is on its way settles it.
    const int token = book_.at(message.command).token;
    std::erase_if(undos, [&](const Message& other) {
      return other.round == message.round && book_.at(other.command).token == token;
    });
    if (usable && book_.at(message.command).removal) continue;
    undos.push_back({byte(undo), message.round, 0, 0, Answer::none, false});
  }
  for (const Message& undo : undos) {
    if (usable) {
      add(zombie_code(undo));
    } else {
      link.carried |= carried_bit(undo.command, undo.round);
    }
  }
  const bool reachable = !link.broken;
  link.queue = {};
  link.count = 0;
  link.open = false;
  link.broken = false;
  link.failed = settings_.backoff;
  if (zombie != 0 && reachable) add_zombie(link, zombie);
}

// Nobody reads the answers any more: what was sent is on its way, what was not stays behind.
void World::abandon(State& state, int client, int server) {
  Link& link = link_of(state, client, server);
  const std::uint32_t carried = link.carried;
  close_link(state, client, server, false);
  link.carried = carried;
  link.failed = false;
}

// Closed connections have no order among themselves, so they are kept sorted.
void World::add_zombie(Link& link, Zombie zombie) {
  if (link.zombie_count == kZombiesMax) throw std::length_error("too many closed connections");
  link.zombies[link.zombie_count++] = zombie;
  std::sort(link.zombies.begin(), link.zombies.begin() + link.zombie_count);
}

}  // namespace redlock::exhaustive
