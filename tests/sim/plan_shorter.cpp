// Who makes a lease shorter: by a little or by most of it, kept alive or not, waited for or not.
#include "sim/plan_shorter.hpp"

#include <algorithm>

namespace redlock::sim {

namespace {

// Of so many schedules of RedLock inside the model, in one there are leases that are shortened.
constexpr std::uint64_t kShorterOneIn = 3;
constexpr std::int64_t kTtlMinMs = 20;
constexpr std::uint32_t kEntries = 6;

}  // namespace

void draw_shorter(Random& random, const PlanWishes& wishes, Plan& plan) {
  if (plan.kind == LockKind::stamp || plan.model == Model::outside) return;
  if (wishes.standard_shape || !random.chance(1, kShorterOneIn)) return;
  for (ClientPlan& client : plan.clients) {
    // Handlers that come in between are what goes wrong most.
    if (random.chance(1, 2)) client.re_entries = std::max(client.re_entries, kEntries);
    for (std::uint32_t i = 0; i < plan.resources; ++i) {
      Course& course = client.course(i);
      if (!random.chance(2, 3)) continue;
      const std::int64_t least_ms = std::min(course.ttl_ms, std::max(kTtlMinMs, course.ttl_ms / 8));
      course.shorten_ttl_ms = random.between(least_ms, course.ttl_ms);
      // Time enough for it to happen.
      if (random.chance(1, 2)) course.hold_ms = std::max(course.hold_ms, course.ttl_ms / 4);
    }
  }
}

}  // namespace redlock::sim
