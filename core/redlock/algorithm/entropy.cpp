// Tokens, fractions and uniform numbers out of raw random bytes, without bias.
#include "redlock/algorithm/entropy.hpp"

#include <array>
#include <cstring>
#include <limits>

#include "redlock/algorithm/invariant.hpp"

namespace redlock {

Token random_token(Entropy& entropy) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::array<std::byte, kTokenRandomBytes> raw;
  entropy.fill(raw);
  std::string text(2 * raw.size(), '0');
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const auto value = std::to_integer<unsigned>(raw[i]);
    text[2 * i] = kHexDigits[value >> 4U];
    text[2 * i + 1] = kHexDigits[value & 15U];
  }
  return Token(std::move(text));
}

Token random_fraction(Entropy& entropy) {
  std::string digits;
  digits.reserve(kStampFractionDigits);
  while (digits.size() < kStampFractionDigits) {
    std::array<std::byte, kStampFractionDigits + 4> raw;
    entropy.fill(raw);
    for (const std::byte byte : raw) {
      const auto value = std::to_integer<unsigned>(byte);
      // 250 to 255 would favour the low digits.
      if (value < 250 && digits.size() < kStampFractionDigits) {
        digits.push_back(static_cast<char>('0' + value % 10));
      }
    }
  }
  return Token(std::move(digits));
}

std::uint64_t random_between(Entropy& entropy, std::uint64_t low, std::uint64_t high) {
  REDLOCK_INVARIANT(low <= high);
  if (low == high) return low;
  const std::uint64_t last = high - low;
  constexpr std::uint64_t kTop = std::numeric_limits<std::uint64_t>::max();
  for (;;) {
    std::array<std::byte, sizeof(std::uint64_t)> raw;
    entropy.fill(raw);
    std::uint64_t value = 0;
    std::memcpy(&value, raw.data(), raw.size());
    if (last == kTop) return low + value;
    // The values above the last whole multiple of the span would favour its low end.
    const std::uint64_t span = last + 1;
    if (value < kTop - kTop % span) return low + value % span;
  }
}

}  // namespace redlock
