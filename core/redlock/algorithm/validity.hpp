// How long a lock may be trusted, in one pure function.
#pragma once
#include "redlock/algorithm/time.hpp"

namespace redlock {

inline constexpr double kDriftFactorDefault = 0.01;
// Redis expires keys with a resolution of 1 ms; one for the server, one for rounding.
inline constexpr Duration kDriftFloor = Duration::ms(2);
// 100 years. Past it a server's own expiry arithmetic is not to be trusted.
inline constexpr Duration kTtlMax = Duration::ms(std::int64_t{36'500} * 24 * 3600 * 1000);

// span · factor, rounded up to the nanosecond. Requires 0 <= factor < 1.
[[nodiscard]] Duration drift_share(Duration span, double factor);
// ttl · factor + 2 ms. Requires 0 <= factor < 1.
[[nodiscard]] Duration drift_of(Duration ttl, double factor);

// ttl − elapsed − drift: what is left of a lock that was asked for `elapsed` ago.
// Not positive: it must not be used.
[[nodiscard]] Duration validity_of(Duration ttl, Duration elapsed, double drift_factor);

// How long a server may have a key that lives for `ttl`, by another clock. Requires
// 0 <= drift_factor < 1.
[[nodiscard]] Duration longest_life(Duration ttl, double drift_factor);

}  // namespace redlock
