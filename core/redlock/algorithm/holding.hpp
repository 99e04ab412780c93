// What stands under a lock's key, and who waits for it: on one node, and by what a majority of them
// says.
//
// Counted in the reports of a query with the command Inspect. Pure functions.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/outcome.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

struct Holding {
  Token token;
  // Until its key expires, as the node said; nothing: it never does, so it is nobody's lock.
  std::optional<Duration> left;
};

// Who stands in line.
struct Waiter {
  Token token;
  Duration waited;
};

struct LockState {
  // Nothing where nothing stands there, or that is not known. Of a shared lock the token is
  // kSharedMark.
  std::optional<Holding> holding;
  // How many stand in line; nothing where that is not known.
  std::optional<std::int64_t> waiters;
  // The first of them, at most kNamedInLine.
  std::vector<Waiter> line;
  // Of a shared lock, how many hold it.
  std::optional<std::int64_t> readers = {};
};

// As many of a line are named; the script says it, too.
inline constexpr std::size_t kNamedInLine = 16;

[[nodiscard]] LockState seen_by(const NodeReport& report);
// What a majority of all nodes holds, with the time left until too few of them have it;
// how many stand in the lines of a majority, and how many share the lock there, at least; and those
// whom a majority names, with the longest time by which any of them knows of them, the longest
// first.
[[nodiscard]] LockState seen_by_majority(const Outcome& inspected);
// What a majority may hold though none is seen to: those that said so and those that did not say
// would be one. The most votes first, each with the longest time that anybody said. Nothing where
// a majority is seen to hold the same, for there cannot be two.
[[nodiscard]] std::vector<Holding> maybe_held(const Outcome& inspected);
// What goes where the lock is to be nobody's: what a majority holds, or may hold. What never
// expires was not put there as a lock.
[[nodiscard]] std::vector<Token> to_take_away(const Outcome& inspected);

}  // namespace redlock
