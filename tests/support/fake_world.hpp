// A pool with everything around it faked: servers "s0", "s1", …, network, clock and chance.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "redlock/locks/lock_manager.hpp"
#include "redlock/net/pool.hpp"
#include "support/fake_transport.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::test {

class FakeWorld : public testing::Test {
 protected:
  static std::vector<ServerSpec> specs(std::size_t count) {
    std::vector<ServerSpec> servers;
    for (std::size_t i = 0; i < count; ++i) servers.push_back(parse_server(name(i)));
    return servers;
  }
  static std::string name(std::size_t i) { return "s" + std::to_string(i) + ":6379"; }
  // One attempt, and servers that have the usual time to answer.
  static LockOptions once() {
    LockOptions options;
    options.retry = RetryPolicy::exact(1, Duration());
    return options;
  }
  LockManager manager(std::size_t count, LockOptions options = once()) {
    return {pool_, specs(count), std::move(options)};
  }
  // Its connections await a SELECT.
  LockManager manager_with_database(std::size_t count) {
    std::vector<ServerSpec> servers = specs(count);
    for (ServerSpec& spec : servers) spec.endpoint.database = 1;
    return {pool_, servers, once()};
  }
  FakeServer& server(std::size_t i) { return transport_.server(name(i)); }
  Outcome lock(LockManager& manager, const std::string& resource = "r",
               Duration ttl = Duration::ms(10'000)) {
    return pool_.run(manager.begin_lock(Resource(resource), ttl));
  }
  Outcome unlock(LockManager& manager, const Token& token, const std::string& resource = "r") {
    return pool_.run(manager.begin_unlock(Resource(resource), token));
  }
  // Lets time pass as a caller does that steps the pool.
  void step_for(Duration span) {
    const Instant until = clock_.now() + span;
    while (clock_.now() < until) pool_.step(until);
  }
  // How long something took on the fake clock.
  template <class Call>
  Duration time_of(Call call) {
    const Instant start = clock_.now();
    call();
    return clock_.now() - start;
  }

  FakeClock clock_;
  SeededEntropy entropy_;
  FakeTransport transport_{clock_};
  Pool pool_{transport_, clock_, entropy_};
};

}  // namespace redlock::test
