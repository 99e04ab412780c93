// clock_gettime() as a client's machine answers it.
#include "sim/host_clock.hpp"

#include <ctime>

namespace redlock::sim {

namespace {

// On whose machine this thread is just now; null: on the real one.
thread_local const HostClock* host = nullptr;

}  // namespace

OnMachine::OnMachine(const HostClock& clock) : outer_(host) { host = &clock; }

OnMachine::~OnMachine() { host = outer_; }

Instant HostClock::now() {
  time_.pass();
  const OnMachine here(*this);
  return system_.now();
}

}  // namespace redlock::sim

// The names are the linker's.
extern "C" {

int __real_clock_gettime(clockid_t id, timespec* time);

int __wrap_clock_gettime(clockid_t id, timespec* time) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  const redlock::sim::HostClock* host = redlock::sim::host;
  if (host == nullptr) return __real_clock_gettime(id, time);
  std::int64_t ns = host->steady_ns();
  if (id == CLOCK_REALTIME) ns = host->wall_ns();
  if (id == CLOCK_MONOTONIC) ns = host->awake_ns();
  time->tv_sec = ns / kNsPerSecond;
  time->tv_nsec = ns % kNsPerSecond;
  return 0;
}
}
