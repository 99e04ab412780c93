// The validity formula of the Redlock algorithm.
#include "redlock/algorithm/validity.hpp"

#include <cmath>
#include <limits>

namespace redlock {

Duration drift_share(Duration span, double factor) {
  const double scaled_ns = std::ceil(static_cast<double>(span.count_ns()) * factor);
  return Duration::ns(static_cast<std::int64_t>(scaled_ns));
}

Duration drift_of(Duration ttl, double factor) { return drift_share(ttl, factor) + kDriftFloor; }

Duration validity_of(Duration ttl, Duration elapsed, double drift_factor) {
  return ttl - elapsed - drift_of(ttl, drift_factor);
}

// A clock that shows a factor f less than another needs 1 / (1 - f) as long.
Duration longest_life(Duration ttl, double drift_factor) {
  constexpr auto kTooLong = static_cast<double>(std::numeric_limits<std::int64_t>::max());
  const double life_ns = std::ceil(static_cast<double>(ttl.count_ns()) / (1 - drift_factor));
  if (life_ns >= kTooLong) return Duration::max();
  return Duration::ns(static_cast<std::int64_t>(life_ns)) + kDriftFloor * 2;
}

}  // namespace redlock
