// A client of C++ users, on a fleet of real servers.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "io/support/fleet.hpp"
#include "redlock/redlock.hpp"

namespace redlock::test {

using namespace std::chrono_literals;
using Values = std::vector<std::string>;

class ClientOnServers : public Fleet {
 protected:
  static std::vector<std::string> addresses(std::size_t count = 3) {
    std::vector<std::string> addresses;
    for (std::size_t i = 0; i < count; ++i) addresses.push_back(server(i).address());
    return addresses;
  }
  static Options patient() { return {.timeout = 5s, .retry_delay = 20ms}; }
  static Values everywhere(std::string_view value) { return Values(3, std::string(value)); }
  static bool gone(const std::string& resource = "r") {
    return eventually([&] { return values(3, resource) == everywhere("nil"); });
  }
  // What a connection without memory took with it goes on the next one, and what is owed with the
  // next call.
  static bool gone_behind_a_call(Client& client) {
    return eventually([&] {
      (void)client.inspect("r");
      return values(3) == everywhere("nil");
    });
  }

  Client client_{addresses(), patient()};
};

}  // namespace redlock::test
