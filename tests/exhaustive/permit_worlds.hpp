// The worlds of two permits, by name.
#pragma once
#include <vector>

#include "exhaustive/permit_world.hpp"
#include "exhaustive/worlds.hpp"

namespace redlock::exhaustive {

using NamedPermits = Named<PermitSettings>;

[[nodiscard]] std::vector<NamedPermits> permit_worlds();

}  // namespace redlock::exhaustive
