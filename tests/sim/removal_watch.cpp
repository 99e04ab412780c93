// Removals and tokens, and the connections that they went on.
#include "sim/removal_watch.hpp"

#include <algorithm>

#include "sim/liveness/excuses.hpp"
#include "sim/record/hash.hpp"

namespace redlock::sim {

RemovalWatch::RemovalWatch(const Plan& plan, const Network& network)
    : plan_(plan), network_(network), accounts_(plan.clients.size()) {}

void RemovalWatch::inherit(std::uint32_t client) {
  Account& account = accounts_[client];
  account.first_connection = network_.connection_count();
  account.parents.insert(account.parents.end(), account.taken.begin(), account.taken.end());
  account.taken.clear();
}

std::string RemovalWatch::executed(const Connection& connection, const Deed& deed, Told told) {
  if (plan_.clients[connection.client].legacy) return {};
  Account& account = accounts_[connection.client];
  const std::uint64_t token = token_hash(deed.token);
  if (deed.verb == Verb::release && told != Told::nothing) {
    std::erase_if(account.unknown, [&](const Unknown& one) {
      return one.token == token && one.server == connection.server;
    });
    if (told == Told::no_script) {
      account.unknown.push_back({connection.id, connection.server, token});
    }
  }
  if (connection.id < account.first_connection) return {};
  if (deed.verb == Verb::take || deed.verb == Verb::swap) account.taken.push_back(token);
  if (std::ranges::find(account.parents, token) == account.parents.end()) return {};
  return "client " + std::to_string(connection.client) + " touches its parent's lock";
}

std::string RemovalWatch::ended(const Connection& connection) const {
  if (!judged_under(ViolationKind::removal_lost, plan_)) return {};
  const Account& account = accounts_[connection.client];
  const bool left = std::ranges::any_of(
      account.unknown, [&](const Unknown& one) { return one.connection == connection.id; });
  if (!left) return {};
  return "client " + std::to_string(connection.client) + " left server " +
         std::to_string(connection.server) + " with a removal that met a NOSCRIPT";
}

}  // namespace redlock::sim
