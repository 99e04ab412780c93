// Removals and tokens, and the connections that they went on.
#include "sim/safety/removal_watch.hpp"

#include <algorithm>

#include "sim/record/hash.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

void RemovalWatch::inherit(std::uint32_t client, std::uint32_t first_connection) {
  Account& account = accounts_[client];
  account.first_connection = first_connection;
  account.parents.insert(account.parents.end(), account.taken.begin(), account.taken.end());
  account.taken.clear();
}

std::string RemovalWatch::executed(const Origin& origin, const Deed& deed, Told told) {
  if (plan_.clients[origin.client].legacy) return {};
  Account& account = accounts_[origin.client];
  const std::uint64_t token = token_hash(deed.token);
  if (deed.verb == Verb::release && told != Told::nothing) {
    std::erase_if(account.unknown, [&](const Unknown& one) {
      return one.token == token && one.server == origin.server;
    });
    if (told == Told::no_script) {
      account.unknown.push_back({origin.connection, origin.server, token});
    }
  }
  if (origin.connection < account.first_connection) return {};
  if (deed.verb == Verb::take || deed.verb == Verb::swap) account.taken.push_back(token);
  if (std::ranges::find(account.parents, token) == account.parents.end()) return {};
  return who(origin.client) + " touches its parent's lock";
}

std::string RemovalWatch::ended(const Origin& origin, bool taken) const {
  const bool left = std::ranges::any_of(accounts_[origin.client].unknown, [&](const Unknown& one) {
    return one.connection == origin.connection;
  });
  if (!left || !taken) return {};
  return who(origin.client) + " left server " + std::to_string(origin.server) +
         " with a removal that met a NOSCRIPT";
}

}  // namespace redlock::sim
