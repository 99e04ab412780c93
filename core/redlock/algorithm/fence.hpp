// Fences: whole numbers, each strictly larger than that of every earlier holder of the resource.
//
// A client proposes a number with its acquire. A server that grants the lock records the proposal
// where it is larger than the last one recorded there; where a majority has recorded the same one,
// it is the fence. Any two majorities share a server, so no clock is part of the argument: clocks
// only make the usual proposal larger than the last one at once. Pure values.
#pragma once
#include <algorithm>
#include <cstdint>

#include "redlock/algorithm/time.hpp"

namespace redlock {

// Every language can hold it: a double has so many digits.
inline constexpr std::int64_t kFenceMax = (std::int64_t{1} << 53) - 1;
// How long a server remembers the last fence, counted from the grant: longer than a write can be
// late.
inline constexpr Duration kFenceTtlDefault = Duration::seconds(24 * 3600);
// So often is a fence proposed again above what servers recorded for others meanwhile.
inline constexpr std::size_t kFenceRaisesMax = 8;

// What a server that granted a lock said to the fence proposed with it.
struct FenceVote {
  bool recorded = false;
  // Where it was not: the one that stands there.
  std::int64_t last = 0;

  bool operator==(const FenceVote&) const = default;
};

// What goes with one command.
struct FenceProposal {
  std::int64_t fence = 0;
  // The server is to remember it for so long.
  Duration ttl;

  bool operator==(const FenceProposal&) const = default;
};

// What one call proposes.
struct FenceProposals {
  // The wall clock in us since 1970 at a moment of the clock that never steps.
  std::int64_t wall_us = 0;
  Instant read_at;
  Duration ttl = kFenceTtlDefault;

  [[nodiscard]] std::int64_t first() const {
    return std::clamp<std::int64_t>(wall_us, 1, kFenceMax);
  }
  // Where `last` is the largest that there is, it is proposed again, and refused.
  [[nodiscard]] std::int64_t above(std::int64_t last, Instant now) const {
    const std::int64_t by_clock = wall_us + (now - read_at).count_ns() / 1'000;
    return std::clamp(by_clock, std::min(last + 1, kFenceMax), kFenceMax);
  }
};

}  // namespace redlock
