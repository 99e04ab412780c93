// The earlier of two moments, of which either may not come at all.
#pragma once
#include <algorithm>
#include <optional>

#include "redlock/algorithm/time.hpp"

namespace redlock {

[[nodiscard]] inline std::optional<Instant> earlier(std::optional<Instant> one,
                                                    std::optional<Instant> other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

}  // namespace redlock
