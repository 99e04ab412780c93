// Amounts, class by class.
#include "sim/plan_amount.hpp"

#include <algorithm>

namespace redlock::sim {

using enum FaultClass;

std::int64_t draw_rate(Random& random, const Plan& plan) {
  const std::int64_t most = plan.rate_max_ppm();
  if (random.chance(1, 3)) return random.chance(1, 2) ? most : -most;
  return random.between(-most, most);
}

void draw_amount(Random& random, const Plan& plan, FaultPlan& fault) {
  const std::int64_t longest_ns = plan.longest_ttl_ms() * kMs;
  fault.amount = random.next() >> 1U;
  const auto set = [&fault](std::int64_t amount) {
    fault.amount = static_cast<std::uint64_t>(amount);
  };
  switch (fault.fault_class) {
    case slow_link:
      set(random.between(kMs, 3 * plan.timeout_ms * kMs));
      break;
    case crash_lose_second_late:
      set(random.between(0, 1000 * kMs));
      [[fallthrough]];
    case crash_lose_all_late:
      fault.until_ns =
          fault.from_ns + plan.drifted_ns(longest_ns) + random.between(10 * kMs, 100 * kMs);
      break;
    case crash_lose_second_at_once:
    case fail_over_lagging:
      set(random.between(5 * kMs, 500 * kMs));
      [[fallthrough]];
    case crash_lose_all_at_once:
      fault.until_ns = fault.from_ns + random.between(0, 2 * kMs);
      break;
    case server_clock_rate:
    case client_clock_rate:
      set(draw_rate(random, plan));
      break;
    case server_clock_forward:
    case server_clock_back:
      set(random.between(longest_ns / 4, 2 * longest_ns));
      break;
    case client_wall_step:
    case legacy_wall_step:
      set(random.between(-2 * longest_ns, 2 * longest_ns));
      break;
    case server_clock_wild:
      set(random.between(200'000, 3'000'000));
      break;
    case holder_overstays:
      fault.until_ns = fault.from_ns + random.between(50, 400) * kMs;
      break;
    case server_lies:
      fault.until_ns = fault.from_ns + 100 * kMs;
      break;
    case client_pause:
      fault.until_ns = fault.from_ns + random.between(kMs, 400 * kMs);
      break;
    default:
      break;
  }
}

std::int64_t Plan::longest_ttl_ms() const {
  std::int64_t longest = 0;
  for (const ClientPlan& client : clients) {
    for (std::uint32_t i = 0; i < resources; ++i) {
      const Course& course = client.course(i);
      longest = std::max({longest, course.ttl_ms, course.extend_ttl_ms});
    }
  }
  // The stamp lock keeps its key for the buffer too, and whole seconds round up.
  return longest + buffer_ms + (stamps_in_seconds ? 1000 : 0);
}

}  // namespace redlock::sim
