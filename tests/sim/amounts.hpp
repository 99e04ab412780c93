// How many schedules a test looks at: all of them, or with sanitizers a part.
//
// With sanitizers a schedule takes thirty times as long. They are to see every kind of schedule,
// not each of many; stage sim runs every test without them too.
#pragma once
#include <cstdint>

namespace redlock::sim {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::uint64_t kWatchedPart = 4;
#else
inline constexpr std::uint64_t kWatchedPart = 1;
#endif

[[nodiscard]] constexpr std::uint64_t watched(std::uint64_t all) { return all / kWatchedPart; }

}  // namespace redlock::sim
