// Who reads and who writes, how many permits there are, or who wants which names at once.
#pragma once
#include "sim/plan.hpp"
#include "sim/random.hpp"

namespace redlock::sim {

// What else the plan has drawn stays, but for what only locks of one holder do.
void draw_sharing(Random& random, const PlanWishes& wishes, Plan& plan);

}  // namespace redlock::sim
