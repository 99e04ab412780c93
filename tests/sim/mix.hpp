// What seeds and hashes are spread with. Pure.
#pragma once
#include <cstdint>

namespace redlock::sim {

// A bijection that spreads every input bit over the whole word.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace redlock::sim
