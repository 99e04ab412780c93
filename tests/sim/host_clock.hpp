// The clocks of a client's machine, as the production code reads them.
//
// SystemClock itself is under test: while it reads, or somebody is on the machine, clock_gettime()
// is answered from here (the linker wraps it), and everywhere else by the real one. The wall clock
// shows the same as the others until somebody sets it, so that whatever goes wrong then is due to
// the step. One thread per world.
#pragma once
#include <cstdint>

#include "redlock/os/clock.hpp"
#include "sim/random.hpp"
#include "sim/sim_clock.hpp"

namespace redlock::sim {

// True time as one process lives through it: whatever it does takes a little.
struct HostTime {
  HostTime(const std::int64_t& world_now_ns, std::uint64_t seed)
      : event_ns(world_now_ns), steps(seed) {}
  // The clock is read, or something is sent.
  void pass() {
    constexpr std::uint64_t kUsualMaxNs = 2'000;
    constexpr std::uint64_t kLongMaxNs = 50'000;
    const std::uint64_t drawn = steps.next();
    const std::uint64_t some = drawn >> 16U;
    // Each by a constant, for which no division is needed.
    ahead_ns += static_cast<std::int64_t>(drawn % 32 == 0 ? some % kLongMaxNs : some % kUsualMaxNs);
  }
  [[nodiscard]] std::int64_t now_ns() const { return event_ns + ahead_ns; }

  const std::int64_t& event_ns;  // when the turn began
  Random steps;
  std::int64_t ahead_ns = 0;   // since then
  std::int64_t asleep_ns = 0;  // the sum of what the machine slept
};

class HostClock final : public Clock {
 public:
  // All references must outlive the clock.
  HostClock(const SimClock& clock, const std::int64_t& wall_step_ns, HostTime& time)
      : clock_(clock), wall_step_ns_(wall_step_ns), time_(time) {}

  Instant now() override;

  [[nodiscard]] std::int64_t steady_ns() const { return clock_.at(time_.now_ns()); }
  // Stands still while the machine sleeps.
  [[nodiscard]] std::int64_t awake_ns() const { return steady_ns() - time_.asleep_ns; }
  [[nodiscard]] std::int64_t wall_ns() const { return steady_ns() + wall_step_ns_; }

 private:
  const SimClock& clock_;
  const std::int64_t& wall_step_ns_;
  HostTime& time_;
  SystemClock system_;
};

// While it lives, all that reads a clock reads one of this machine's.
class OnMachine {
 public:
  explicit OnMachine(const HostClock& clock);
  ~OnMachine();
  OnMachine(const OnMachine&) = delete;
  OnMachine& operator=(const OnMachine&) = delete;

 private:
  const HostClock* outer_;
};

}  // namespace redlock::sim
