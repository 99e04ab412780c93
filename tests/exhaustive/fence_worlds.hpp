// The worlds of a lock that comes with a fence, by name.
#pragma once
#include <vector>

#include "exhaustive/fence_world.hpp"
#include "exhaustive/worlds.hpp"

namespace redlock::exhaustive {

using NamedFence = Named<FenceSettings>;

[[nodiscard]] std::vector<NamedFence> fence_worlds();

}  // namespace redlock::exhaustive
