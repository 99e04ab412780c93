// When simulated worlds take place.
#pragma once
#include <cstdint>

#include "sim/sim_clock.hpp"

namespace redlock::sim {

// What wall clocks that are right show when a schedule begins.
inline constexpr std::int64_t kWallStartNs = 1'700'000'000'000 * kMs;
// No schedule may have more events.
inline constexpr std::uint64_t kEventsMax = 500'000;

}  // namespace redlock::sim
