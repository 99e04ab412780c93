// What tells two worlds of holders apart, and the words for what happens there.
#include <algorithm>

#include "exhaustive/holding_world.hpp"

namespace redlock::exhaustive {

std::string HoldingWorld::bytes_of(std::size_t server) const {
  std::string bytes = std::to_string(servers_[server]) + '/';
  for (const Client& client : clients_) {
    if (client.call != 0) bytes += std::to_string(book_->calls.at(client.call).heard[server]);
    for (const Said& said : client.wires[server]) {
      bytes += ',' + std::to_string(said.command);
      if (client.call != 0 && said.call == client.calls) bytes += '!';
    }
    bytes += '|';
  }
  std::vector<std::uint16_t> late;
  for (const Late& one : late_) {
    if (one.server == server) late.push_back(one.command);
  }
  std::ranges::sort(late);
  for (const std::uint16_t command : late) bytes += std::to_string(command) + ',';
  return bytes;
}

// The servers differ in nothing else, so their names do not matter.
std::string HoldingWorld::bytes() const {
  std::array<std::string, kHoldingServers> servers;
  for (std::size_t i = 0; i < kHoldingServers; ++i) servers[i] = bytes_of(i);
  std::ranges::sort(servers);
  std::string bytes;
  for (const std::string& server : servers) (bytes += server) += '#';
  for (const Client& client : clients_) {
    bytes += client.call != 0 ? book_->calls.at(client.call).bytes : "-";
    for (const std::int64_t number :
         {std::int64_t{client.held}, std::int64_t{client.tokens}, std::int64_t{client.calls_left},
          std::int64_t{client.changes_left}, std::int64_t{client.extends_left},
          inside(client) ? client.until_ms : 0}) {
      bytes += '.' + std::to_string(number);
    }
    bytes += client.alone ? 'a' : '_';
    bytes += client.dead ? 'd' : '_';
    bytes += client.had ? 'h' : '_';
  }
  return bytes + std::to_string(tick_) + '.' + std::to_string(cuts_) + '.' +
         std::to_string(deaths_);
}

std::string HoldingWorld::to_string(const Move& move) {
  static constexpr std::array kWords{" asks for the lock",
                                     " is to be alone, or lets others in",
                                     " asks for more time",
                                     " gives the lock back",
                                     " dies",
                                     " is served by server ",
                                     " is cut off from server ",
                                     " is served and not answered by server ",
                                     "what came late is done: number ",
                                     "a tick passes"};
  const auto kind = static_cast<std::size_t>(move.kind);
  std::string text;
  if (move.kind < Move::Kind::late) text = std::string(1, static_cast<char>('A' + move.client));
  text += kWords[kind];
  const bool says_where = move.kind >= Move::Kind::serve && move.kind <= Move::Kind::late;
  return says_where ? text + std::to_string(move.place + 1) : text;
}

}  // namespace redlock::exhaustive
