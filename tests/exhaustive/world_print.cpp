// Moves and states in words.
#include <bit>

#include "exhaustive/world.hpp"

namespace redlock::exhaustive {

std::string command_name(const World& world, int command, int round) {
  const BookedCommand& booked = world.book().at(command);
  static constexpr std::array<const char*, 5> kRoles{"take", "undo", "release", "extend", "check"};
  std::string text = kRoles[static_cast<std::size_t>(booked.role)];
  text += " t" + std::to_string(booked.token + 1);
  if (round > 0) text += "/" + std::to_string(round + 1);
  return text;
}

namespace {

std::string client_name(const World& world, int client) {
  const int natives = world.settings().natives;
  if (client >= natives) return "old client " + std::to_string(client - natives + 1);
  return std::string("client ") + static_cast<char>('A' + client);
}

std::string server_name(const World& world, int server) {
  return world.settings().servers == 1 ? " the server" : " server " + std::to_string(server + 1);
}

std::string executed(const World& world, const State& state, const Move& move) {
  const Link& link = state.links[move.client][move.server];
  if (move.kind == MoveKind::execute_zombie) {
    const auto code = static_cast<int>(link.zombies[move.detail] & 127U);
    return command_name(world, (code & 15) - 1, code >> 4) + " (from a closed connection)";
  }
  for (const Message& m : link.queue) {
    if (m.answer == Answer::none) return command_name(world, m.command, m.round);
  }
  return "nothing";
}

std::string legacy_command(LegacyStep step) {
  switch (step) {
    case LegacyStep::setnx:
      return "SETNX";
    case LegacyStep::get:
      return "GET";
    case LegacyStep::getset:
      return "GETSET";
    case LegacyStep::release_get:
      return "GET (release)";
    case LegacyStep::del:
      return "DEL";
    default:
      return "nothing";
  }
}

std::string holder_text(const World& world, const State& state, int client) {
  const Client& c = state.clients[static_cast<std::size_t>(client)];
  const bool holding =
      c.phase == Phase::holding || c.phase == Phase::extending || c.step == LegacyStep::holding;
  if (!holding) return {};
  return " | " + client_name(world, client) + " holds for " + std::to_string(c.hold_left);
}

}  // namespace

std::string describe(const World& world, const State& before, const Move& move) {
  const std::string who = client_name(world, move.client);
  const std::string where = server_name(world, move.server);
  switch (move.kind) {
    case MoveKind::start:
      return who + " asks for the lock";
    case MoveKind::execute:
    case MoveKind::execute_zombie:
      return where.substr(1) + " executes " + who + "'s " + executed(world, before, move);
    case MoveKind::deliver: {
      const Message& m = before.links[move.client][move.server].queue[0];
      return who + " reads" + where + "'s answer to " + command_name(world, m.command, m.round) +
             (m.answer == Answer::granted  ? ": yes"
              : m.answer == Answer::denied ? ": no"
                                           : ": an unknown script");
    }
    case MoveKind::admit:
      return where.substr(1) + " confirms " + who + "'s handshake";
    case MoveKind::turn:
      return who + "'s deadline passes";
    case MoveKind::release:
      return who + " unlocks";
    case MoveKind::extend:
      return who + " extends";
    case MoveKind::tick:
      return "one tick passes";
    case MoveKind::expire:
      return where.substr(1) + "'s key expires (fast clock)";
    case MoveKind::gain:
      return "the server's clock gains a tick";
    case MoveKind::crash:
      return where.substr(1) + " crashes and loses its keys";
    case MoveKind::instant_restart:
      return where.substr(1) + " restarts at once without its keys";
    case MoveKind::flush:
      return where.substr(1) + " forgets its scripts";
    case MoveKind::notice:
      return who + " notices that" + where + " closed the connection";
    case MoveKind::reset:
      return who + "'s connection to" + where + " breaks";
    case MoveKind::kill:
      return who + " is killed";
    case MoveKind::lag:
      return who + " stands still";
    case MoveKind::resume:
      return who + " goes on";
    case MoveKind::legacy_start:
      return who + " reads its clock and sends SETNX";
    case MoveKind::legacy_execute:
      return "the server executes " + who + "'s " +
             legacy_command(before.clients[move.client].step);
    case MoveKind::legacy_release:
      return who + " releases: sends GET";
  }
  return "?";
}

std::string describe(const World& world, const State& state) {
  std::string text = "[";
  for (int s = 0; s < world.settings().servers; ++s) {
    const Server& server = state.servers[static_cast<std::size_t>(s)];
    if (s > 0) text += ", ";
    if (server.down > 0) {
      text += "down";
    } else if (server.owner == kNoOwner) {
      text += "-";
    } else {
      text +=
          server.owner == kPlain ? "plain" : std::string(1, static_cast<char>('A' + server.owner));
      if (server.owner != kPlain) text += "t" + std::to_string(server.token + 1);
      text += ":" + std::to_string(server.left);
    }
  }
  text += "]";
  for (int c = 0; c < world.settings().clients(); ++c) text += holder_text(world, state, c);
  return text;
}

}  // namespace redlock::exhaustive
