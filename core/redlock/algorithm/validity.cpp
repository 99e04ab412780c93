// The validity formula of the Redlock algorithm.
#include "redlock/algorithm/validity.hpp"

#include <cmath>

namespace redlock {

Duration drift_of(Duration ttl, double factor) {
  const double scaled_ns = std::ceil(static_cast<double>(ttl.count_ns()) * factor);
  return Duration::ns(static_cast<std::int64_t>(scaled_ns)) + kDriftFloor;
}

Duration validity_of(Duration ttl, Duration elapsed, double drift_factor) {
  return ttl - elapsed - drift_of(ttl, drift_factor);
}

}  // namespace redlock
