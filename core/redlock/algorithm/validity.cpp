// The validity formula of the Redlock algorithm.
#include "redlock/algorithm/validity.hpp"

#include <cmath>

namespace redlock {

Duration drift_share(Duration span, double factor) {
  const double scaled_ns = std::ceil(static_cast<double>(span.count_ns()) * factor);
  return Duration::ns(static_cast<std::int64_t>(scaled_ns));
}

Duration drift_of(Duration ttl, double factor) { return drift_share(ttl, factor) + kDriftFloor; }

Duration validity_of(Duration ttl, Duration elapsed, double drift_factor) {
  return ttl - elapsed - drift_of(ttl, drift_factor);
}

// A clock that shows a factor f less than another needs 1 / (1 - f) as long, which is less than
// 1 + 2f while f is less than a half.
Duration longest_life(Duration ttl, double drift_factor) {
  return ttl + drift_of(ttl, drift_factor) * 2;
}

}  // namespace redlock
