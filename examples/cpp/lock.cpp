// Takes a lock, has its validity to work, and gives it back.
//
// Run it as: lock redis://10.0.0.1:6379 10.0.0.2:6379 unix:///run/redis.sock
#include <redlock/redlock.hpp>

#include <cstdio>
#include <exception>

using namespace std::chrono_literals;

int main(int argument_count, char** arguments) try {
  redlock::Client client({arguments + 1, arguments + argument_count});
  redlock::Result lock = client.try_lock("invoice:42", 10s);
  if (!lock) {
    const bool busy = lock.refusal().decision == redlock::Decision::denied;
    std::puts(busy ? "somebody else holds it" : to_string(lock.refusal()).c_str());
    return 1;
  }
  std::printf("ours for %lld ms\n", static_cast<long long>(lock->remaining().count()));
  std::puts(lock->release() ? "given back" : "left to expire");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
