// Servers executing what has arrived, and the passing of time.
#include <algorithm>

#include "exhaustive/world.hpp"

namespace redlock::exhaustive {

void World::list_servers(const State& state, std::vector<Move>& moves) const {
  for (int c = 0; c < settings_.natives; ++c) {
    for (int s = 0; s < settings_.servers; ++s) {
      if (state.servers[static_cast<std::size_t>(s)].down != 0) continue;
      const Link& link = state.links[static_cast<std::size_t>(c)][static_cast<std::size_t>(s)];
      const auto end = link.queue.begin() + link.count;
      const bool waiting = std::any_of(link.queue.begin(), end,
                                       [](const Message& m) { return m.answer == Answer::none; });
      if (waiting && !link.broken && !link.held)
        moves.push_back({MoveKind::execute, byte(c), byte(s), 0});
      for (int z = 0; z < link.zombie_count; ++z) {
        const auto slot = static_cast<std::size_t>(z);
        if (z > 0 && link.zombies[slot] == link.zombies[slot - 1]) continue;
        moves.push_back({MoveKind::execute_zombie, byte(c), byte(s), byte(z)});
      }
    }
  }
}

// Runs one command under the key; true: granted.
bool World::execute(State& state, int client, int server, int command, int round) {
  Server& at = state.servers[static_cast<std::size_t>(server)];
  KeyView before{Standing::nothing, 0, at.left, at.persistent};
  if (at.owner == kPlain) {
    before.standing = Standing::plain;
  } else if (at.owner != kNoOwner) {
    const bool own = at.owner == client && at.round == round;
    before.standing = own ? Standing::own : Standing::other;
    if (own) before.token = at.token;
  }
  const StepResult& result = server_step_.run(
      command, before, state.clients[static_cast<std::size_t>(client)].stamp_left, state.phase);
  if (!result.changed) return result.granted;
  const BookedCommand& booked = book_.at(command);
  const bool foreign = before.standing == Standing::other || before.standing == Standing::plain ||
                       (before.standing == Standing::own && before.token != booked.token);
  const State past = state;
  if (booked.role == Role::take) {
    const bool free =
        at.owner == kNoOwner || (settings_.lock == LockKind::stamp && stands_for(at) < 0);
    if (!free) blame("a live lock was taken over");
  } else if (foreign) {
    const bool allowed = settings_.mixed_fleet && before.standing == Standing::plain;
    if (!allowed) blame("a command changed a value that is not its own");
  }
  if (booked.role == Role::extend && result.after.left < before.left) {
    blame("an extend shortened a lock");
  }
  if (result.after.standing == Standing::nothing) {
    expire(at);
  } else {
    at.owner = byte(client);
    at.round = byte(round);
    at.token = result.after.token;
    at.left = result.after.left;
    at.persistent = result.after.persistent;
  }
  Client& c = state.clients[static_cast<std::size_t>(client)];
  const bool wanted = c.phase == Phase::acquiring && c.round == round &&
                      machines_.at(c.machine).token == booked.token;
  if (settings_.mixed_fleet && booked.role == Role::take && wanted) c.stamp_left = at.left;
  if (settings_.legacies > 0) note_robbery(past, state, client, Robbery::plain_release);
  return result.granted;
}

void World::execute_head(State& state, int client, int server) {
  Link& link = state.links[static_cast<std::size_t>(client)][static_cast<std::size_t>(server)];
  const auto next = std::find_if(link.queue.begin(), link.queue.begin() + link.count,
                                 [](const Message& m) { return m.answer == Answer::none; });
  Byte& scripts = state.servers[static_cast<std::size_t>(server)].scripts;
  const Byte script = book_.at(next->command).script;
  if (next->by_sha1 && (scripts & script) == 0) {
    next->answer = Answer::unknown_script;
    return;
  }
  const bool granted = execute(state, client, server, next->command, next->round);
  if (follows_scripts()) scripts = byte(scripts | script);
  next->answer = granted ? Answer::granted : Answer::denied;
}

void World::execute_zombie(State& state, const Move& move) {
  Link& link = state.links[move.client][move.server];
  Zombie& zombie = link.zombies[move.detail];
  const auto code = static_cast<int>(zombie & 255U);
  Byte& scripts = state.servers[move.server].scripts;
  const int command = (code & 15) - 1;
  const Byte script = book_.at(command).script;
  if ((code & 128) == 0 || (scripts & script) != 0) {
    execute(state, move.client, move.server, command, code >> 4 & 7);
    if (follows_scripts()) scripts = byte(scripts | script);
  }
  zombie >>= 8U;
  const auto end = link.zombies.begin() + link.zombie_count;
  if (zombie == 0) {
    zombie = *(end - 1);
    *(end - 1) = 0;
    --link.zombie_count;
  }
  std::sort(link.zombies.begin(), link.zombies.begin() + link.zombie_count);
}

void World::list_time(const State& state, std::vector<Move>& moves) const {
  for (int s = 0; s < settings_.servers; ++s) {
    const Server& server = state.servers[static_cast<std::size_t>(s)];
    // A fast server's key may be gone as soon as the drift allows.
    const bool may = settings_.lock == LockKind::quorum && server.owner != kNoOwner &&
                     server.left <= kDriftTicks;
    if (may) moves.push_back({MoveKind::expire, 0, byte(s), 0});
  }
  if (state.gain_left > 0) moves.push_back({MoveKind::gain, 0, 0, 0});
  for (int c = 0; c < settings_.natives; ++c) {
    if (urgent(state, c)) return;
    // By then everything has expired, and going on changes nothing.
    const Client& client = state.clients[static_cast<std::size_t>(c)];
    const int standstill_max = settings_.life() + 1 + settings_.slack;
    if (client.lagging && machines_.at(client.machine).elapsed >= standstill_max) return;
  }
  for (int c = settings_.natives; c < settings_.clients(); ++c) {
    if (state.clients[static_cast<std::size_t>(c)].age >= 2 * settings_.life() + 1) return;
  }
  const bool over = settings_.ticks >= 0 && state.ticks_left == 0;
  if (!over) moves.push_back({MoveKind::tick, 0, 0, 0});
}

void World::expire(Server& server) {
  const Ticks down = server.down;
  const Byte scripts = server.scripts;
  server = Server{};
  server.down = down;
  server.scripts = scripts;
}

void World::advance_clock(State& state) const {
  if (settings_.unit_ticks > 0) state.phase = byte((state.phase + 1) % settings_.unit_ticks);
}

// Until nobody takes it for a live one any more. A plain stamp of whole seconds has ended when the
// second after it begins; a native value's key is gone by then.
int World::stands_for(const Server& server) const {
  const bool longer = server.owner == kPlain && settings_.unit_ticks > 0;
  return server.left + (longer ? settings_.unit_ticks - 1 : 0);
}

void World::gain(State& state) {
  --state.gain_left;
  advance_clock(state);
  for (Server& server : state.servers) {
    if (server.owner == kNoOwner) continue;
    --server.left;
    if (server.left < 0 && !server.persistent) expire(server);
  }
}

void World::tick(State& state) {
  if (state.ticks_left > 0) --state.ticks_left;
  advance_clock(state);
  for (Server& server : state.servers) {
    if (server.down > 0) --server.down;
    if (server.owner == kNoOwner) continue;
    const int lowest = -(2 * settings_.life() + 3);
    if (server.left > lowest) --server.left;
    if (!server.persistent && server.left < -settings_.slack) expire(server);
  }
  for (int c = 0; c < settings_.natives; ++c) tick_client(state, c);
  for (int c = settings_.natives; c < settings_.clients(); ++c) {
    Client& client = state.clients[static_cast<std::size_t>(c)];
    const bool acquiring = client.step == LegacyStep::setnx || client.step == LegacyStep::get ||
                           client.step == LegacyStep::getset;
    if (acquiring) ++client.age;
    if (client.hold_left > 0) --client.hold_left;
  }
}

void World::tick_client(State& state, int c) {
  Client& client = state.clients[static_cast<std::size_t>(c)];
  if (client.hold_left > 0 && !settings_.overstay) --client.hold_left;
  if (settings_.mixed_fleet && client.stamp_left > -settings_.unit_ticks) --client.stamp_left;
  if (client.machine != 0) {
    client.machine = machines_.step(client.machine, Input{}).target;
  }
  if (client.connect_left > 0) --client.connect_left;
  HedgedRequests& hedged = client.hedged;
  if (hedged.left > 0) --hedged.left;
  // That was asked about before time may pass.
  if (hedged.ask_left > 0 && hedged.ask_left != kAskSoon) --hedged.ask_left;
  for (Link& link : state.links[static_cast<std::size_t>(c)]) {
    if (link.ready_left > 0) --link.ready_left;
    for (int i = 0; i < link.count; ++i) {
      Message& message = link.queue[static_cast<std::size_t>(i)];
      if (message.left > 0 && message.left != kNeverDue) --message.left;
    }
  }
}

}  // namespace redlock::exhaustive
