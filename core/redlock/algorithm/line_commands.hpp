// What one node is asked for its line: who waits for a lock stands in it, and the command that
// frees the lock gives it, at once, to the first who can still be reached.
//
// The line is beside the lock's own key, in two more that expire. Pure values.
#pragma once
#include <cstdint>
#include <string>

#include "redlock/algorithm/command_effect.hpp"
#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/resources.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/types.hpp"

namespace redlock {

// What every removal is: deletes the key when it holds the token, hands the lock on where that is
// wanted, and leaves the line. Granted: deleted. Denied: not proven ours; the token has left the
// line all the same.
//
// A vote of an attempt that failed is not handed on: it was free, and is again. Whoever is the
// first in line is told so, and acquires it where it is of use. Where others have a majority it
// is not, and would be in the way of the vote that one of them repairs again.
struct ReleaseAndHandOver {
  static constexpr CommandTraits kTraits{.effect = Effect::removes, .hands_over = true};
  Resources resources;
  Token token;
  bool hands_over = true;

  bool operator==(const ReleaseAndHandOver&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), token.view()}; }
  [[nodiscard]] ReleaseAndHandOver again() const { return *this; }
};

// What becomes of a vote that is free, or that was this wait's own.
enum class ClaimPolicy {
  observe,  // it stays free, or is so again: others have a majority, and one may repair it there
  retain,   // what is free stays free; what was handed to this wait meanwhile is treated as by
            // `claim`
  claim,    // this wait gets it, unless somebody with an earlier ticket does
  yield,    // its own goes to those behind: this wait can reach no majority
};

// How one wait stands in one node's line.
struct LineEntry {
  // The order in line: the time at which the wait began, in ms since 1970. Safety is not its
  // affair.
  std::int64_t ticket = 0;
  // Where its process hears of it. Not empty, no blanks.
  std::string channel;
  // Comes back with what is pushed, and tells behind which join that was.
  std::uint64_t echo = 0;
  ClaimPolicy policy = ClaimPolicy::claim;

  bool operator==(const LineEntry&) const = default;
};

// Sets the key when it is absent (and that is wished) or holds the token, unless somebody with an
// earlier ticket waits, and does not yield: then that one gets it. Who does not get it stands in
// line, or goes on standing there. Granted: the key holds the token and lives for `ttl` from now.
// Denied: with a QueuePosition.
struct Enqueue {
  static constexpr CommandTraits kTraits{.effect = Effect::acquires, .enqueues = true};
  Resources resources;
  Token token;
  Duration ttl;
  LineEntry entry;
  // Who waits to share the lock is let in with all others who do, up to the first who wants it
  // alone.
  LockMode mode = LockMode::exclusive;

  bool operator==(const Enqueue&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), token.view()}; }
  [[nodiscard]] ReleaseAndHandOver undo() const { return {resources, token}; }
};

}  // namespace redlock
