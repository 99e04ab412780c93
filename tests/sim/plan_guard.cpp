// Crashes that lose all or the latest of what was stored, with a new process a moment later, while
// clients hold locks and others want them.
#include "sim/plan_guard.hpp"

#include <algorithm>

#include "sim/plan_amount.hpp"

namespace redlock::sim {

namespace {

constexpr std::int64_t kRestartsMin = 2;
constexpr std::int64_t kRestartsMax = 5;
constexpr std::int64_t kAttempts = 4;
constexpr std::uint32_t kCycles = 4;
constexpr std::int64_t kRoundsMs = 2'000;
constexpr std::int64_t kPauseMaxMs = 3'000'000;

void draw_restart(Random& random, Plan& plan) {
  FaultPlan fault;
  fault.fault_class = random.chance(2, 3) ? FaultClass::crash_lose_all_at_once
                                          : FaultClass::crash_lose_second_at_once;
  fault.from_ns = random.between(0, kHorizonNs);
  fault.server = static_cast<std::uint32_t>(random.below(plan.servers));
  fault.all_servers = random.chance(1, 2);
  draw_amount(random, plan, fault);
  plan.faults.push_back(fault);
}

}  // namespace

void draw_restarts(Random& random, bool guarded, Plan& plan) {
  plan.restarts = true;
  plan.guarded = guarded;
  for (ClientPlan& client : plan.clients) {
    client.attempts = kAttempts;
    client.cycles = kCycles;
    client.hold_ms = client.ttl_ms * random.between(5, 10) / 10;
    // Some are still trying when servers may vote again, which they count in whole seconds.
    if (random.chance(1, 2)) {
      client.pause_ms = random.between(0, std::min(plan.guarded_ms() + kRoundsMs, kPauseMaxMs));
    }
  }
  const std::int64_t times = random.between(kRestartsMin, kRestartsMax);
  for (std::int64_t i = 0; i < times; ++i) draw_restart(random, plan);
}

}  // namespace redlock::sim
