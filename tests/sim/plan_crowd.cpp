// When there is a crowd of calls, and what it meets.
#include "sim/plan_crowd.hpp"

namespace redlock::sim {

namespace {

// Of so many schedules of RedLock inside the model, in one there is a crowd of calls.
constexpr std::uint64_t kCrowdOneIn = 400;
constexpr std::int64_t kCrowdMin = 300;
constexpr std::int64_t kCrowdMax = 700;
}  // namespace

// Some servers read late what is sent to them, others never.
void draw_crowd(Random& random, Plan& plan) {
  const bool may = plan.model == Model::inside && plan.kind == LockKind::quorum;
  if (!may || !random.chance(1, kCrowdOneIn)) return;
  Crowd crowd;
  crowd.client = static_cast<std::uint32_t>(random.below(plan.clients.size()));
  crowd.server = static_cast<std::uint32_t>(random.below(plan.servers));
  crowd.at_ns = random.between(5 * kMs, kHorizonNs);
  crowd.checks = static_cast<std::uint32_t>(random.between(kCrowdMin, kCrowdMax));
  crowd.releases = static_cast<std::uint32_t>(random.between(kCrowdMin, kCrowdMax));
  FaultPlan silence;
  silence.fault_class = random.chance(1, 2) ? FaultClass::stop_resume : FaultClass::machine_down;
  silence.from_ns = crowd.at_ns - random.between(0, 5 * kMs);
  silence.until_ns = crowd.at_ns + random.between(kMs, 200 * kMs);
  silence.server = crowd.server;
  plan.faults.push_back(silence);
  plan.crowd = crowd;
}

}  // namespace redlock::sim
