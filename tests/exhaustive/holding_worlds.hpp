// The worlds of shared locks and of several resources at once, by name.
#pragma once
#include <vector>

#include "exhaustive/holding_world.hpp"
#include "exhaustive/worlds.hpp"

namespace redlock::exhaustive {

using NamedHolding = Named<HoldingSettings>;

[[nodiscard]] std::vector<NamedHolding> holding_worlds();

}  // namespace redlock::exhaustive
