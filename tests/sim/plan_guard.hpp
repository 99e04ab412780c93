// Servers that restart at once, for clients with the guard.
#pragma once
#include "sim/plan.hpp"
#include "sim/random.hpp"

namespace redlock::sim {

// Requires the quorum lock.
void draw_restarts(Random& random, bool guarded, Plan& plan);

}  // namespace redlock::sim
