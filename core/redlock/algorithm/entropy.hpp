// Where random bytes come from, as the algorithms see it, and what they make of them.
//
// The runtime injects the operating system, the simulator a seeded generator.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "redlock/algorithm/ids.hpp"

namespace redlock {

class Entropy {
 public:
  virtual ~Entropy() = default;
  // Fills all of `bytes`. The product's implementation never repeats a stretch, not even
  // in a forked child.
  virtual void fill(std::span<std::byte> bytes) = 0;
};

inline constexpr std::size_t kTokenRandomBytes = 16;     // 128 bits, as 32 hex digits
inline constexpr std::size_t kStampFractionDigits = 20;  // 66 bits

[[nodiscard]] Token random_token(Entropy& entropy);
// Decimal digits only, so that a stamp with this fraction stays a number for old clients.
[[nodiscard]] Token random_fraction(Entropy& entropy);
// Uniform in [low, high]. Requires low <= high.
[[nodiscard]] std::uint64_t random_between(Entropy& entropy, std::uint64_t low, std::uint64_t high);

}  // namespace redlock
