// How many schedules a test looks at: all of them, or with sanitizers a part.
//
// With sanitizers a schedule takes thirty times as long. They are to see every kind of schedule,
// not each of many; stage sim runs every test without them too.
#pragma once
#include <cstdint>

namespace redlock::sim {

// Clang and g++ tell it each in their own way.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define REDLOCK_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REDLOCK_SANITIZED
#endif

#if defined(REDLOCK_SANITIZED)
inline constexpr std::uint64_t kWatchedPart = 4;
#else
inline constexpr std::uint64_t kWatchedPart = 1;
#endif

[[nodiscard]] constexpr std::uint64_t watched(std::uint64_t all) { return all / kWatchedPart; }

}  // namespace redlock::sim
