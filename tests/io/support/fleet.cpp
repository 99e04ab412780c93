// One fleet for the whole program: starting servers is what takes longest.
#include "io/support/fleet.hpp"

#include <algorithm>

namespace redlock::test {

std::vector<std::unique_ptr<RedisServer>>& Fleet::servers() {
  static std::vector<std::unique_ptr<RedisServer>> fleet;
  return fleet;
}

void Fleet::SetUpTestSuite() {
  while (servers().size() < kFleetSize) servers().push_back(std::make_unique<RedisServer>());
}

void Fleet::SetUp() {
  for (const auto& server : servers()) server->reset();
}

std::vector<ServerSpec> Fleet::specs(std::size_t count) {
  std::vector<ServerSpec> specs;
  for (std::size_t i = 0; i < count; ++i) specs.push_back(parse_server(server(i).address()));
  return specs;
}

LockOptions Fleet::once(Duration timeout) {
  LockOptions options;
  options.retry = RetryPolicy::exact(1, Duration());
  options.timeout = timeout;
  return options;
}

Outcome Fleet::lock(Runtime& runtime, LockManager& locks, const std::string& resource,
                    Duration ttl) {
  return runtime.pool().run(locks.begin_lock(Resource(resource), ttl));
}

Outcome Fleet::unlock(Runtime& runtime, LockManager& locks, const Token& token,
                      const std::string& resource) {
  return runtime.pool().run(locks.begin_unlock(Resource(resource), token));
}

std::vector<std::string> Fleet::values(std::size_t count, const std::string& key) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(server(i).say({"GET", key}));
  return values;
}

bool Fleet::two_of_three_hold(std::string_view value) {
  return std::ranges::count(values(3), value) >= 2;
}

}  // namespace redlock::test
