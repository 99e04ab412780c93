// The properties, checked in every state.
#include <algorithm>
#include <span>

#include "exhaustive/world.hpp"

namespace redlock::exhaustive {

bool World::holds(const State& state, int client) const {
  const Client& c = state.clients[static_cast<std::size_t>(client)];
  const bool has =
      c.phase == Phase::holding || c.phase == Phase::extending || c.step == LegacyStep::holding;
  return has && c.hold_left > 0;
}

int World::needs(const State& state, int client) const {
  if (holds(state, client)) return state.clients[static_cast<std::size_t>(client)].hold_left;
  if (client >= settings_.natives) return 0;
  // The lock has been given, but its client has not heard of it.
  const Client& c = state.clients[static_cast<std::size_t>(client)];
  if (c.phase != Phase::acquiring) return 0;
  const Link& link = state.links[static_cast<std::size_t>(client)][0];
  // Removals that were carried over to this connection travel before it.
  const auto queue = std::span(link.queue).first(link.open ? link.count : std::size_t{0});
  const int token = machines_.at(c.machine).token;
  const bool given = std::ranges::any_of(queue, [&](const Message& message) {
    const BookedCommand& booked = book_.at(message.command);
    return message.answer == Answer::granted && booked.role == Role::take && booked.token == token;
  });
  return given ? std::max(0,
                          settings_.ttl - settings_.drift_ticks() - machines_.at(c.machine).elapsed)
               : 0;
}

// A majority of the servers will give the lock to nobody else while the client relies on it.
bool World::protects(const State& state, int client) const {
  const Client& c = state.clients[static_cast<std::size_t>(client)];
  const int needed = needs(state, client);
  const int allowance =
      settings_.lock == LockKind::quorum ? kDriftTicks : static_cast<int>(state.gain_left);
  int count = 0;
  for (int s = 0; s < settings_.servers; ++s) {
    const Server& server = state.servers[static_cast<std::size_t>(s)];
    const bool own = server.owner == client && server.round == c.round &&
                     (server.token == c.held || c.phase == Phase::acquiring);
    // In a mixed fleet any stamp that ends late enough keeps the others out.
    const bool stands = own || (settings_.legacies > 0 && server.owner != kNoOwner);
    if ((stands && stands_for(server) - allowance >= needed) || server.down >= needed) ++count;
  }
  return 2 * count > settings_.servers;
}

void World::note_robbery(const State& before, State& after, int thief, Robbery how) const {
  for (int c = 0; c < settings_.clients(); ++c) {
    if (c == thief || needs(before, c) == 0 || !protects(before, c) || protects(after, c)) continue;
    Client& victim = after.clients[static_cast<std::size_t>(c)];
    if (victim.robbed == Robbery::none) victim.robbed = how;
  }
}

std::string World::check(const State& state, const char*& known_case) const {
  static constexpr std::array<const char*, 4> kCases{
      nullptr, "a legacy client's blind DEL",
      "a legacy client's GETSET in flight after a stale GET",
      "a native release that accepts a plain stamp (mixedFleet)"};
  known_case = nullptr;
  int holders = 0;
  bool unexplained = false;
  for (int c = 0; c < settings_.clients(); ++c) {
    if (!holds(state, c)) continue;
    ++holders;
    const Robbery robbed = state.clients[static_cast<std::size_t>(c)].robbed;
    if (robbed != Robbery::none) known_case = kCases[static_cast<std::size_t>(robbed)];
    unexplained = unexplained || (robbed == Robbery::none && !protects(state, c));
  }
  // A positive control is to show the violation itself, not that it is coming.
  if (unexplained && settings_.expectation.empty()) {
    known_case = nullptr;
    return "a holder relies on a lock that no majority keeps for it that long";
  }
  if (holders > 1) return "two clients hold the lock at once";
  return check_keys(state);
}

std::string World::check_keys(const State& state) const {
  for (int s = 0; s < settings_.servers; ++s) {
    const Server& server = state.servers[static_cast<std::size_t>(s)];
    if (server.owner >= kPlain) continue;
    if (server.persistent) return "a native client's key never expires";
    if (server.left > settings_.life()) return "a key lives longer than its ttl";
    if (settings_.legacies == 0 && !has_renewal_thread(state, s))
      return "a key is left behind, and nothing will remove it";
  }
  return {};
}

// The key's lock is wanted, or its removal is on its way on the right connection.
bool World::has_renewal_thread(const State& state, int s) const {
  const Server& server = state.servers[static_cast<std::size_t>(s)];
  const Client& owner = state.clients[server.owner];
  // Its client is gone, so nobody will: it stays until its ttl.
  if (owner.phase == Phase::dead) return true;
  // A stamp that is about to end is left to end.
  if (settings_.lock == LockKind::stamp && server.left <= state.gain_left) return true;
  if (owner.round == server.round) {
    if (owner.phase == Phase::acquiring && machines_.at(owner.machine).token == server.token) {
      return true;
    }
    if ((owner.phase == Phase::holding || owner.phase == Phase::extending) &&
        owner.held == server.token) {
      return true;
    }
  }
  const auto removes = [&](int command, int round) {
    const BookedCommand& booked = book_.at(command);
    const bool removal = booked.role == Role::undo || booked.role == Role::release;
    return removal && round == server.round && booked.token == server.token;
  };
  const HedgedRequests& hedged = owner.hedged;
  const bool keeps = (hedged.kept >> static_cast<unsigned>(s) & 1U) != 0;
  if (keeps && removes(hedged.command, owner.round)) return true;
  const Link& link = state.links[server.owner][static_cast<std::size_t>(s)];
  for (int i = 0; i < link.count; ++i) {
    const Message& m = link.queue[static_cast<std::size_t>(i)];
    const bool pending = m.answer == Answer::none || m.answer == Answer::unknown_script;
    if (pending && removes(m.command, m.round)) return true;
  }
  for (int i = 0; i < link.zombie_count; ++i) {
    for (Zombie rest = link.zombies[static_cast<std::size_t>(i)]; rest != 0; rest >>= 8U) {
      const auto code = static_cast<int>(rest & 127U);
      if (removes((code & 15) - 1, code >> 4)) return true;
    }
  }
  for (int bit = 0; bit < 32; ++bit) {
    const auto is_set = [bit](std::uint32_t mask) {
      return (mask >> static_cast<unsigned>(bit) & 1U) != 0;
    };
    if (is_set(link.carried) && removes(bit % 16, bit / 16)) return true;
    // It arrived behind the removal, which travelled on another connection.
    const bool late = is_set(link.strays) && bit / 16 == server.round;
    if (late && book_.at(bit % 16).token == server.token) return true;
  }
  return false;
}

std::string World::check_end(const State& state) const {
  // Of two clients one must get through, unless time or faults came in between; of three, each may
  // win one server.
  const bool quiet = !state.loss && !state.untimely && settings_.legacies == 0;
  const bool odd = settings_.natives <= 2 && settings_.servers % 2 == 1;
  const bool few = odd || settings_.natives == 1 || settings_.lock == LockKind::stamp;
  if (quiet && few && !state.granted) return "every answer came in time, and nobody got the lock";
  return {};
}

}  // namespace redlock::exhaustive
