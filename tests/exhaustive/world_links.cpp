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

// An overdue connection is not used again, except for a removal behind what it is to remove.
void World::give_up_overdue(State& state, Turn& turn, const Emission& emission,
                            const Message& message) {
  Link& link = link_of(state, turn.client, emission.node);
  if (!overdue(link)) return;
  const BookedCommand& booked = book_.at(emission.command);
  if (booked.removal) {
    Message removal = message;
    removal.command = byte(book_.undo_of(emission.command));
    removal.left = kNeverDue;
    removal.wanted = false;
    append(link, removal);
  }
  fail_link(state, turn, emission.node, Heard::timeout, true);
  if (!awaits_verdict(state, turn.client, emission.node)) {
    close_link(state, turn.client, emission.node);
  }
}

void World::send(State& state, Turn& turn, const Emission& emission) {
  const Client& client = state.clients[static_cast<std::size_t>(turn.client)];
  Link& link = link_of(state, turn.client, emission.node);
  const Message message{emission.command,      client.round, emission.attempt,
                        emission.answer_ticks, Answer::none, emission.wants_answer};
  const bool removal = book_.at(emission.command).removal;
  if (emission.wants_answer) give_up_overdue(state, turn, emission, message);
  const bool closing = link.closing;
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

void World::fail_link(State& state, Turn& turn, int server, Heard heard, bool usable) {
  Link& link = link_of(state, turn.client, server);
  link.closing = true;
  link.usable = usable;
  for (int i = 0; i < link.count; ++i) {
    const Message& message = link.queue[static_cast<std::size_t>(i)];
    turn.arrivals.emplace_back(Input{InputKind::reply, byte(server), message.attempt, heard},
                               message);
  }
}

bool World::awaits_verdict(const State& state, int client, int server) const {
  const Client& c = state.clients[static_cast<std::size_t>(client)];
  if (c.phase != Phase::acquiring) return false;
  const Link& link =
      state.links[static_cast<std::size_t>(client)][static_cast<std::size_t>(server)];
  bool open = false;
  for (int i = 0; i < link.count; ++i) {
    const Message& message = link.queue[static_cast<std::size_t>(i)];
    if (message.round != c.round) continue;
    const BookedCommand& booked = book_.at(message.command);
    // An attempt's removals come before the next attempt's take.
    if (booked.role == Role::take) open = true;
    if (booked.removal) open = false;
  }
  return open;
}

void World::close_link(State& state, int client, int server) {
  Link& link = link_of(state, client, server);
  Zombie zombie = 0;
  int shift = 0;
  for (int i = 0; i < link.count; ++i) {
    const Message& message = link.queue[static_cast<std::size_t>(i)];
    const bool removal = book_.at(message.command).removal;
    // Repeating a removal that is on its way changes nothing, so only the other case matters.
    const int repeated = book_.undo_of(message.command);
    if (removal && !link.usable) link.carried |= carried_bit(repeated, message.round);
    if (message.answer != Answer::none) continue;
    if (shift == 64) throw std::length_error("a closed connection carries too much");
    zombie |= zombie_code(message) << static_cast<unsigned>(shift);
    shift += 8;
  }
  // A take of a granted lock that comes after its release, which travels on another connection,
  // stays until its ttl.
  const Zombie last = shift == 0 ? 0 : zombie >> static_cast<unsigned>(shift - 8);
  if (last != 0 && !book_.at(static_cast<int>(last & 15U) - 1).removal) state.loss = true;
  const bool reachable = !link.broken;
  link.queue = {};
  link.count = 0;
  link.open = link.broken = link.closing = link.usable = false;
  link.failed = settings_.backoff;
  if (zombie != 0 && reachable) add_zombie(link, zombie);
}

// Nobody reads the answers any more: what was sent is on its way, what was not stays behind.
void World::abandon(State& state, int client, int server) {
  Link& link = link_of(state, client, server);
  const std::uint32_t carried = link.carried;
  close_link(state, client, server);
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
