// Takes a lock on the servers named as arguments, has its validity to work, and gives it back.
//
// Run it as: example redis://10.0.0.1:6379 10.0.0.2:6379 unix:///run/redis.sock
#include <cstdio>
#include <exception>
#include <vector>

#include "redlock/runtime/lock_manager.hpp"
#include "redlock/runtime/runtime.hpp"

namespace {

// Says why no majority could be asked.
void print_troubles(const redlock::LockManager& locks, const redlock::Outcome& outcome) {
  for (const redlock::ServerTrouble& trouble : locks.troubles(outcome)) {
    std::fprintf(stderr, "%s: %s\n", trouble.server.c_str(), trouble.reason.c_str());
  }
}

int run(const std::vector<redlock::ServerSpec>& servers) {
  redlock::Runtime runtime;  // One per thread, kept for as long as the thread takes locks.
  redlock::Pool& pool = runtime.pool();
  redlock::LockManager locks(pool, servers, {});

  const redlock::Resource resource("invoice:42");
  const redlock::Outcome lock =
      pool.run(locks.begin_lock(resource, redlock::Duration::seconds(10)));
  if (lock.decision != redlock::Decision::granted) {
    std::puts(lock.decision == redlock::Decision::denied ? "somebody else holds it" : "no lock");
    print_troubles(locks, lock);
    return 1;
  }
  std::printf("ours for %lld ms\n", static_cast<long long>(lock.validity.count_ms()));

  const redlock::Outcome release = pool.run(locks.begin_unlock(resource, lock.token));
  std::puts(release.decision == redlock::Decision::granted ? "given back" : "left to expire");
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    std::vector<redlock::ServerSpec> servers;
    for (int i = 1; i < argument_count; ++i) {
      servers.push_back(redlock::parse_server(arguments[i]));
    }
    return run(servers);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
