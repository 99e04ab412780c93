// Works for longer than its lease lasts: a thread of the library extends it meanwhile.
//
// A job that stops for longer than the ttl (a laptop lid, a debugger) finds its lease lost, and
// must not go on. So it looks before each step that others would see. Run it as: job
// milliseconds-of-work 10.0.0.1 10.0.0.2 10.0.0.3
#include <redlock/redlock.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

using namespace std::chrono_literals;

namespace {

constexpr auto kTtl = 1s;
constexpr auto kStep = 50ms;

// False: the lease was lost on the way.
bool work(std::chrono::milliseconds span, const std::stop_token& lost) {
  const auto end = std::chrono::steady_clock::now() + span;
  while (std::chrono::steady_clock::now() < end) {
    if (lost.stop_requested()) return false;
    std::this_thread::sleep_for(kStep);
  }
  return true;
}

}  // namespace

int main(int argument_count, char** arguments) try {
  if (argument_count < 3) return 2;
  const std::chrono::milliseconds span(std::atoll(arguments[1]));
  redlock::Client client({arguments + 2, arguments + argument_count});
  redlock::Result lease = client.lock("invoice:42", kTtl, 5s);
  if (!lease) {
    std::printf("no lease: %s\n", to_string(lease.refusal()).c_str());
    return 1;
  }
  // Whoever hangs for an hour holds it no longer.
  const redlock::KeepAlive kept = lease->keep_alive(1h);
  std::puts("working");
  std::fflush(stdout);
  const bool done = work(span, kept.lost());
  std::puts(done && lease->live() ? "done" : "the lease was lost");
  return done && lease->release() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
