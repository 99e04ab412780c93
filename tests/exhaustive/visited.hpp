// The set of states seen, as 128-bit fingerprints, and how each was reached.
//
// Two different states with one fingerprint would hide one of them. For n states the chance is
// below n² / 2^129: for 10^8 states 10^-23.
// One thread.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "exhaustive/state.hpp"

namespace redlock::exhaustive {

struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Fingerprint&) const = default;
};

[[nodiscard]] Fingerprint fingerprint_of(std::string_view bytes);

// How a state was first reached.
struct Origin {
  std::uint32_t parent = 0;
  Move move;
};

class Visited {
 public:
  Visited();
  // True: it is new, and has the number size() - 1.
  bool insert(const Fingerprint& fingerprint, const Origin& origin);
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(origins_.size()); }
  // The moves from the first state to this one.
  [[nodiscard]] std::vector<Move> path_to(std::uint32_t state) const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  void grow();
  [[nodiscard]] std::size_t slot_of(const Fingerprint& fingerprint) const;

  std::vector<Fingerprint> slots_;  // all zero: empty
  std::vector<Origin> origins_;
};

}  // namespace redlock::exhaustive
