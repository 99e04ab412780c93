// When simulated worlds take place.
#pragma once
#include <cstdint>

#include "sim/sim_clock.hpp"

namespace redlock::sim {

// What wall clocks that are right show when a schedule begins.
inline constexpr std::int64_t kWallStartNs = 1'700'000'000'000 * kMs;
// No schedule may have more events. Where kernels take little and the network carries single bytes,
// the texts of scripts alone are some 20,000 for each attempt on five servers.
inline constexpr std::uint64_t kEventsMax = 4'000'000;

}  // namespace redlock::sim
