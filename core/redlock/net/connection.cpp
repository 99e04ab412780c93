// How long to stay away, and what is said of time-outs.
#include "redlock/net/connection.hpp"

#include <array>
#include <charconv>

namespace redlock {

std::string timed_reason(const std::string& reason, Duration time, std::string_view option) {
  std::array<char, 48> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(),
                                          time.as_ms(), std::chars_format::fixed);
  return reason + " (timed out after " + std::string(digits.data(), end) + " ms, its " +
         std::string(option) + ")";
}

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
