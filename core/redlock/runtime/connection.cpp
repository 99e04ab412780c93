// How long to stay away.
#include "redlock/runtime/connection.hpp"

namespace redlock {

Duration draw_backoff(std::uint32_t failures, Entropy& entropy) noexcept {
  const std::uint32_t doublings = std::min<std::uint32_t>(failures - 1, 10);
  const Duration ceiling = std::min(kBackoffFirst * (std::int64_t{1} << doublings), kBackoffMax);
  const auto half_ms = static_cast<std::uint64_t>(ceiling.count_ms() / 2);
  try {
    return Duration::ms(static_cast<std::int64_t>(random_between(entropy, half_ms, 2 * half_ms)));
  } catch (const std::exception&) {
    // Chance only spreads the clients; nothing depends on it.
    return ceiling;
  }
}

}  // namespace redlock
