// Many threads count with one counter that nothing protects but a lock; each has a client of its
// own.
//
// Run it as: counter threads locks 10.0.0.1 10.0.0.2 10.0.0.3
#include <redlock/redlock.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

using namespace std::chrono_literals;

namespace {

// Two who count at the same time count once.
std::atomic<int> counter = 0;

void count(const std::vector<std::string>& servers, int locks) try {
  redlock::Client client(servers, {.timeout = 5s, .retry_delay = 4ms});
  for (int i = 0; i < locks; ++i) {
    const redlock::Result lease = client.lock("counter", 30s, 10min);
    if (!lease) {
      std::fprintf(stderr, "no lease: %s\n", to_string(lease.refusal()).c_str());
      return;
    }
    const int before = counter;
    std::this_thread::yield();
    counter = before + 1;
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 4) return 2;
  const int threads = std::atoi(arguments[1]);
  const int locks = std::atoi(arguments[2]);
  const std::vector<std::string> servers(arguments + 3, arguments + argument_count);
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i) all.emplace_back(count, servers, locks);
  }
  std::printf("%d of %d\n", counter.load(), threads * locks);
  return counter == threads * locks ? 0 : 1;
}
