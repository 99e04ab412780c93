// Drawing who asks for a fence, and by which clock.
#pragma once
#include "sim/plan.hpp"
#include "sim/random.hpp"

namespace redlock::sim {

// Behind all else that is drawn, and only where it is wished for.
void draw_fences(Random& random, Plan& plan);

}  // namespace redlock::sim
