// The one source of chance in a simulated world: everything is drawn from a 64-bit seed.
//
// xoshiro256** seeded through splitmix64. Pure; no global state. One stream per purpose keeps
// a change in one part of the simulation from reshuffling all others.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "redlock/algorithm/entropy.hpp"
#include "sim/mix.hpp"

namespace redlock::sim {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed = mix64(seed);
      word = seed;
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }
  // Uniform in [0, count); count > 0. The bias, below one part in 2^30, does not matter here.
  std::uint64_t below(std::uint64_t count) {
    if (count >> 32U != 0) return next() % count;
    return ((next() >> 32U) * count) >> 32U;
  }
  // Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  // True in `hits` of `of` cases.
  bool chance(std::uint64_t hits, std::uint64_t of) { return below(of) < hits; }
  template <class T, std::size_t kCount>
  T pick(const std::array<T, kCount>& choices) {
    return choices[below(kCount)];
  }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t x, unsigned by) {
    return (x << by) | (x >> (64U - by));
  }
  std::array<std::uint64_t, 4> state_{};
};

// What the production code draws its tokens and pauses from.
class SimEntropy final : public Entropy {
 public:
  explicit SimEntropy(std::uint64_t seed) : random_(seed) {}
  void fill(std::span<std::byte> bytes) override {
    while (!bytes.empty()) {
      const std::uint64_t word = random_.next();
      const std::size_t size = bytes.size() < sizeof(word) ? bytes.size() : sizeof(word);
      std::memcpy(bytes.data(), &word, size);
      bytes = bytes.subspan(size);
    }
  }

 private:
  Random random_;
};

}  // namespace redlock::sim
