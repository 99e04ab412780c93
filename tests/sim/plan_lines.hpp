// Drawing those who wait in line, and what goes wrong for them.
#pragma once
#include "sim/plan.hpp"
#include "sim/random.hpp"

namespace redlock::sim {

// Behind all else that is drawn: what a plan without a line means does not hang on it.
void draw_lines(Random& random, const PlanWishes& wishes, Plan& plan);

}  // namespace redlock::sim
