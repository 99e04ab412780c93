// The worlds of a lease that is kept alive, by name.
#pragma once
#include <vector>

#include "exhaustive/renewal_world.hpp"
#include "exhaustive/worlds.hpp"

namespace redlock::exhaustive {

using NamedRenewal = Named<RenewalSettings>;

[[nodiscard]] std::vector<NamedRenewal> renewal_worlds();

}  // namespace redlock::exhaustive
