// Open addressing, at most two thirds full.
#include "exhaustive/visited.hpp"

#include <algorithm>
#include <cstring>

namespace redlock::exhaustive {

namespace {

// Folds the 128-bit product: every bit of both factors reaches every bit of the result.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

constexpr std::uint64_t kOddA = 0x9e3779b97f4a7c15U;
constexpr std::uint64_t kOddB = 0xc2b2ae3d27d4eb4fU;
constexpr std::uint64_t kOddC = 0xd6e8feb86659fd93U;
constexpr std::uint64_t kOddD = 0xff51afd7ed558ccdU;

}  // namespace

Fingerprint fingerprint_of(std::string_view bytes) {
  std::uint64_t low = kOddA ^ bytes.size();
  std::uint64_t high = kOddB + bytes.size();
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
    low = mix(low ^ word, kOddC) + high;
    high = mix(high + word, kOddD) ^ (low >> 29U);
  }
  Fingerprint result{mix(low ^ kOddD, high | 1U), mix(high ^ kOddC, low | 1U)};
  if (result == Fingerprint{}) result.low = 1;
  return result;
}

Visited::Visited() : slots_(1U << 16U) {}

std::size_t Visited::slot_of(const Fingerprint& fingerprint) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = fingerprint.low & mask;
  while (slots_[slot] != Fingerprint{} && slots_[slot] != fingerprint) slot = (slot + 1) & mask;
  return slot;
}

bool Visited::insert(const Fingerprint& fingerprint, const Origin& origin) {
  const std::size_t slot = slot_of(fingerprint);
  if (slots_[slot] == fingerprint) return false;
  slots_[slot] = fingerprint;
  origins_.push_back(origin);
  if (3 * origins_.size() > 2 * slots_.size()) grow();
  return true;
}

void Visited::grow() {
  std::vector<Fingerprint> old(2 * slots_.size());
  old.swap(slots_);
  for (const Fingerprint& fingerprint : old) {
    if (fingerprint != Fingerprint{}) slots_[slot_of(fingerprint)] = fingerprint;
  }
}

std::vector<Move> Visited::path_to(std::uint32_t state) const {
  std::vector<Move> moves;
  for (; state != 0; state = origins_[state].parent) moves.push_back(origins_[state].move);
  std::ranges::reverse(moves);
  return moves;
}

std::size_t Visited::bytes() const {
  return slots_.capacity() * sizeof(Fingerprint) + origins_.capacity() * sizeof(Origin);
}

}  // namespace redlock::exhaustive
