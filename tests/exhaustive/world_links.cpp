// Connections, as net/node and wire/session treat them.
#include <algorithm>
#include <span>
#include <stdexcept>

#include "exhaustive/world.hpp"

namespace redlock::exhaustive {

namespace {

constexpr int kZombieBits = 64;

Link& link_of(State& state, int client, int server) {
  return state.links[static_cast<std::size_t>(client)][static_cast<std::size_t>(server)];
}

Zombie zombie_code(const Message& message) {
  return static_cast<Zombie>(message.command + 1 + 16 * message.round) |
         (message.by_sha1 ? 128U : 0U);
}

// What is sent on a connection before it is closed.
class LastWords {
 public:
  void add(const Message& message) {
    if (shift_ == kZombieBits) throw std::length_error("a closed connection carries too much");
    zombie_ |= zombie_code(message) << static_cast<unsigned>(shift_);
    shift_ += 8;
  }
  [[nodiscard]] Zombie zombie() const { return zombie_; }

 private:
  Zombie zombie_ = 0;
  int shift_ = 0;
};

}  // namespace

// What waits for an unconfirmed handshake gets its form when it is written. A removal goes by SHA1
// behind a text that is unanswered, too.
void World::write(Link& link, Message& message) const {
  const Byte script = book_.at(message.command).script;
  const Byte ready =
      book_.at(message.command).removal ? byte(link.known | link.offered) : link.known;
  message.by_sha1 = message.wanted && (ready & script) != 0;
  if (follows_scripts() && !message.by_sha1) link.offered = byte(link.offered | script);
}

void World::append(Link& link, const Message& message) {
  if (link.count == kQueueMax) throw std::length_error("a connection's queue is full");
  link.queue[link.count] = message;
  if (!link.held && !link.closing) write(link, link.queue[link.count]);
  link.queue[link.count].unwritten = link.held || link.closing;
  ++link.count;
}

void World::open_link(State& state, int client, int server) {
  Link& link = link_of(state, client, server);
  link.open = link.fresh = true;
  link.held = settings_.handshake;
  link.ready_left = settings_.handshake ? byte(settings_.answer) : Byte{0};
  // To a server that is away: nothing sent will ever be executed.
  link.broken = state.servers[static_cast<std::size_t>(server)].down != 0;
  for (int bit = 0; link.carried != 0 && bit < 32; ++bit) {
    const std::uint32_t mask = std::uint32_t{1} << static_cast<unsigned>(bit);
    if ((link.carried & mask) == 0) continue;
    append(link, {byte(bit % 16), byte(bit / 16), 0, kNeverDue, Answer::none, false});
  }
  link.again &= link.carried;
  link.carried = 0;
}

void World::admit(State& state, const Move& move) {
  Link& link = state.links[move.client][move.server];
  link.held = link.failed = link.suspected = false;
  link.ready_left = 0;
  // Only now the time of the answers begins. But for removals, what has waited for too long is not
  // sent at all.
  for (int i = 0; i < link.count; ++i) {
    Message& message = link.queue[static_cast<std::size_t>(i)];
    if (message.left == 0 && !book_.at(message.command).removal) continue;
    const Byte answer = byte(settings_.answer);
    message.left = message.wanted ? answer : std::max(message.left, answer);
  }
  Turn turn{move.client, move.detail, {}};
  flush_link(state, turn, move.server);
  settle(state, turn);
}

bool World::is_current(const State& state, int client, const Message& message) const {
  const Client& c = state.clients[static_cast<std::size_t>(client)];
  if (message.round != c.round) return false;
  const Role role = book_.at(message.command).role;
  if (role == Role::take) return c.phase == Phase::acquiring;
  return c.phase == (role == Role::extend ? Phase::extending : Phase::releasing);
}

// By what the session goes: the release of a PidLock names its whole stamp, not the fraction.
bool World::same_lock(const Message& a, const Message& b) const {
  const BookedCommand& one = book_.at(a.command);
  const BookedCommand& two = book_.at(b.command);
  return a.round == b.round && one.token == two.token &&
         (one.role == Role::release) == (two.role == Role::release);
}

// With what was to undo a take that never left.
void World::drop_unwritten(Link& link, const std::array<bool, kQueueMax>& useless) const {
  std::array<Message, kQueueMax> rest{};
  const auto count = static_cast<std::size_t>(link.count);
  Byte left = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Message& message = link.queue[i];
    bool dropped = useless[i];
    for (std::size_t j = 0; j < count && !message.wanted; ++j) {
      const bool take = book_.at(link.queue[j].command).role == Role::take;
      dropped = dropped || (useless[j] && take && same_lock(link.queue[j], message));
    }
    if (!dropped) rest[left++] = message;
  }
  link.queue = rest;
  link.count = left;
}

// What is not written in time never is; the operation is told at once.
void World::flush_link(State& state, Turn& turn, int server) {
  Link& link = link_of(state, turn.client, server);
  if (!link.open || link.closing) return;
  std::array<bool, kQueueMax> useless{};
  for (std::size_t i = 0; i < link.count; ++i) {
    const Message& message = link.queue[i];
    useless[i] = message.unwritten && message.left == 0 && !book_.at(message.command).removal;
    if (!useless[i]) continue;
    turn.arrivals.emplace_back(
        Input{InputKind::reply, byte(server), message.attempt, Heard::connect}, message);
  }
  if (std::ranges::count(useless, true) > 0) drop_unwritten(link, useless);
  for (std::size_t i = 0; i < link.count && !link.held; ++i) {
    if (!link.queue[i].unwritten) continue;
    write(link, link.queue[i]);
    link.queue[i].unwritten = false;
  }
}

void World::repeat_as_text(State& state, Turn& turn, const Message& message, int server) {
  Link& link = link_of(state, turn.client, server);
  const bool removal = book_.at(message.command).removal;
  const bool withdrawn = !is_current(state, turn.client, message);
  const bool undone =
      !removal &&
      std::any_of(link.queue.begin(), link.queue.begin() + link.count, [&](const auto& m) {
        return book_.at(m.command).removal && same_lock(m, message);
      });
  if ((withdrawn && !removal) || undone) {
    turn.arrivals.emplace_back(
        Input{InputKind::reply, byte(server), message.attempt, Heard::denied}, message);
    return;
  }
  if (message.left == 0 && !removal) {
    turn.arrivals.emplace_back(
        Input{InputKind::reply, byte(server), message.attempt, Heard::connect}, message);
    return;
  }
  Message again = message;
  if (withdrawn) again.command = byte(book_.undo_of(message.command));
  again.left = kNeverDue;
  again.answer = Answer::none;
  append(link, again);
  link.queue[link.count - std::size_t{1}].by_sha1 = false;
}

// An overdue connection is not used again, except for a removal behind what it is to remove.
Byte World::give_up_overdue(State& state, Turn& turn, const Emission& emission,
                            const Message& message) {
  Link& link = link_of(state, turn.client, emission.node);
  Byte asked = message.command;
  if (!overdue(link)) return asked;
  if (book_.at(emission.command).removal) {
    Message removal = message;
    removal.command = asked = byte(book_.undo_of(emission.command));
    removal.left = kNeverDue;
    removal.wanted = false;
    append(link, removal);
  }
  fail_link(state, turn, emission.node, Heard::timeout, true);
  if (!awaits_verdict(state, turn.client, emission.node)) {
    close_link(state, turn.client, emission.node);
  }
  return asked;
}

void World::fail_link(State& state, Turn& turn, int server, Heard heard, bool usable) {
  Link& link = link_of(state, turn.client, server);
  link.closing = true;
  link.usable = usable;
  link.late = heard == Heard::timeout;
  link.failed = settings_.backoff;
  const bool takes_again = settings_.attempts > 1 || settings_.rounds > 1;
  link.suspected = heard == Heard::timeout && takes_again;
  if (link.held) return fail_held_link(turn, link, server);
  for (int i = 0; i < link.count; ++i) {
    const Message& message = link.queue[static_cast<std::size_t>(i)];
    turn.arrivals.emplace_back(Input{InputKind::reply, byte(server), message.attempt, heard},
                               message);
  }
}

void World::fail_held_link(Turn& turn, Link& link, int server) {
  std::array<bool, kQueueMax> useless{};
  for (std::size_t i = 0; i < link.count; ++i) {
    const Message& message = link.queue[i];
    useless[i] = !book_.at(message.command).removal;
    turn.arrivals.emplace_back(
        Input{InputKind::reply, byte(server), message.attempt, Heard::connect}, message);
  }
  drop_unwritten(link, useless);
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
  const auto queue = std::span(link.queue).first(link.count);
  LastWords words;
  std::uint32_t again = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Message& message = queue[i];
    const auto behind = queue.subspan(i + 1);
    const bool removal = book_.at(message.command).removal;
    const bool undone = std::ranges::any_of(behind, [&](const Message& later) {
      const bool sent = link.usable || !later.unwritten;
      return sent && book_.at(later.command).removal && same_lock(later, message);
    });
    const std::uint32_t bit =
        removal ? carried_bit(book_.undo_of(message.command), message.round) : std::uint32_t{0};
    const bool handed_over = link.usable && !link.held;
    if (!handed_over || (link.late && (link.again & bit) == 0)) link.carried |= bit;
    if (handed_over && link.late) again |= bit & ~link.again;
    if (message.answer != Answer::none || link.held) continue;
    if (message.unwritten && !link.usable) continue;
    words.add(message);
    if (book_.at(message.command).role == Role::take && !undone) {
      link.strays |= carried_bit(message.command, message.round);
    }
  }
  // Nobody will be there to read that a script is not known.
  for (std::size_t i = 0; i < queue.size() && link.usable && !link.held; ++i) {
    Message again = queue[i];
    const bool newest = std::ranges::none_of(queue.subspan(i + 1), [&](const Message& later) {
      return book_.at(later.command).removal && same_lock(later, again);
    });
    if (!again.by_sha1 || !book_.at(again.command).removal || !newest) continue;
    again.command = byte(book_.undo_of(again.command));
    again.by_sha1 = false;
    words.add(again);
  }
  const bool reachable = !link.broken;
  link.queue = {};
  link.again = again;
  link.count = link.known = link.offered = link.ready_left = 0;
  link.open = link.broken = link.closing = link.usable = link.late = link.held = link.fresh = false;
  if (words.zombie() != 0 && reachable) add_zombie(link, words.zombie());
}

// Nobody reads the answers any more: what was sent is on its way, what was not stays behind. Who
// has finished, and was not killed, still says what the last words are.
void World::abandon(State& state, int client, int server) {
  Link& link = link_of(state, client, server);
  const Phase phase = state.clients[static_cast<std::size_t>(client)].phase;
  if (!link.closing) link.usable = phase == Phase::finished;
  const std::uint32_t carried = link.carried;
  close_link(state, client, server);
  link.carried = carried;
  link.again = 0;
  link.failed = link.suspected = false;
}

// Closed connections have no order among themselves, so they are kept sorted.
void World::add_zombie(Link& link, Zombie zombie) {
  if (link.zombie_count == kZombiesMax) throw std::length_error("too many closed connections");
  link.zombies[link.zombie_count++] = zombie;
  std::sort(link.zombies.begin(), link.zombies.begin() + link.zombie_count);
}

}  // namespace redlock::exhaustive
