// What one node is asked for a permit: a slot's lock, and a place in the line common to all slots.
//
// A slot's lock is given back by ReleaseAndHandOver, which tells the first in that line.
// Pure values.
#pragma once
#include <cstddef>

#include "redlock/algorithm/command_effect.hpp"
#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/line_commands.hpp"
#include "redlock/algorithm/resources.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

// Sets the slot's key when it is absent. Granted: set. Denied: it exists, with a PermitView.
struct TakeSlot {
  static constexpr CommandTraits kTraits{.effect = Effect::acquires};
  Resources resources;  // the slot
  Token token;
  Duration ttl;
  std::size_t permits = 1;

  bool operator==(const TakeSlot&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), token.view()}; }
  [[nodiscard]] ReleaseAndHandOver undo() const { return {resources, token, false}; }
};

// Leaves the line, and tells nobody. Denied, for no key held the token.
struct LeavePermits {
  static constexpr CommandTraits kTraits{.effect = Effect::removes};
  Resources resources;  // the line
  Token token;

  bool operator==(const LeavePermits&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), token.view()}; }
  [[nodiscard]] LeavePermits again() const { return *this; }
};

// Stands in the line, and sets nothing. Denied, with a PermitView. Whoever is told there of a slot
// that is free stands there no more.
struct StandForPermit {
  static constexpr CommandTraits kTraits{.effect = Effect::acquires, .enqueues = true};
  Resources resources;  // the line
  Token token;
  Duration ttl;
  LineEntry entry;
  std::size_t permits = 1;

  bool operator==(const StandForPermit&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), token.view()}; }
  [[nodiscard]] LeavePermits undo() const { return {resources, token}; }
};

}  // namespace redlock
