// Drawing who makes a lease shorter.
#pragma once
#include "sim/plan.hpp"
#include "sim/random.hpp"

namespace redlock::sim {

// Once all else is known. Nobody does, where the plan is none for that.
void draw_shorter(Random& random, const PlanWishes& wishes, Plan& plan);

}  // namespace redlock::sim
