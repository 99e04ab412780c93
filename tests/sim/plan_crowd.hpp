// A crowd of calls that reaches the bounds of the core, drawn into a plan now and then.
//
// Changes the plan, and nothing else. Pure.
#pragma once
#include "sim/plan.hpp"
#include "sim/random.hpp"

namespace redlock::sim {

void draw_crowd(Random& random, Plan& plan);

}  // namespace redlock::sim
