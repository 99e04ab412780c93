// Random bytes that a test decides: a seeded stream, or the very bytes to hand out.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "redlock/algorithm/entropy.hpp"

namespace redlock::test {

// splitmix64: the same seed gives the same bytes everywhere.
class SeededEntropy final : public Entropy {
 public:
  explicit SeededEntropy(std::uint64_t seed = 1) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }
  // In [low, high]; the small bias does not matter here.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + next() % (high - low + 1);
  }
  void fill(std::span<std::byte> bytes) override {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(next());
    ++fill_count_;
    byte_count_ += bytes.size();
  }
  [[nodiscard]] std::size_t fill_count() const { return fill_count_; }
  [[nodiscard]] std::size_t byte_count() const { return byte_count_; }

 private:
  std::uint64_t state_;
  std::size_t fill_count_ = 0;
  std::size_t byte_count_ = 0;
};

// Hands out exactly these bytes, and throws when more are asked for.
class ScriptedEntropy final : public Entropy {
 public:
  explicit ScriptedEntropy(std::vector<unsigned> values) : values_(std::move(values)) {}

  void fill(std::span<std::byte> bytes) override {
    for (std::byte& byte : bytes) {
      if (used_ == values_.size()) throw std::logic_error("the script has no more bytes");
      byte = static_cast<std::byte>(values_[used_++]);
    }
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::vector<unsigned> values_;
  std::size_t used_ = 0;
};

}  // namespace redlock::test
