// How much of a fault there is: what its class makes of its amount, and until when it lasts.
//
// Pure, but for the draws.
#pragma once
#include "sim/plan.hpp"
#include "sim/random.hpp"

namespace redlock::sim {

// In millionths. Two clocks share the lock's allowance; often they use it up.
[[nodiscard]] std::int64_t draw_rate(Random& random, const Plan& plan);
// Into a fault of the plan that has its class and its beginning.
void draw_amount(Random& random, const Plan& plan, FaultPlan& fault);

}  // namespace redlock::sim
