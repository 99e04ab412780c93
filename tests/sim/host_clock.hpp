// The clocks of a client's machine, as the production code reads them.
//
// SystemClock itself is under test: while it reads, clock_gettime() is answered from here (the
// linker wraps it), and everywhere else by the real one. The wall clock shows the same as the
// others until somebody sets it, so that whatever goes wrong then is due to the step. One thread
// per world.
#pragma once
#include <cstdint>

#include "redlock/runtime/clock.hpp"
#include "sim/sim_clock.hpp"

namespace redlock::sim {

class HostClock final : public Clock {
 public:
  // All references must outlive the clock.
  HostClock(const SimClock& clock, const std::int64_t& wall_step_ns,
            const std::int64_t& true_now_ns)
      : clock_(clock), wall_step_ns_(wall_step_ns), true_now_ns_(true_now_ns) {}

  Instant now() override;

  [[nodiscard]] std::int64_t steady_ns() const { return clock_.at(true_now_ns_); }
  [[nodiscard]] std::int64_t wall_ns() const { return steady_ns() + wall_step_ns_; }

 private:
  const SimClock& clock_;
  const std::int64_t& wall_step_ns_;
  const std::int64_t& true_now_ns_;
  SystemClock system_;
};

}  // namespace redlock::sim
