// What one node is asked for RedLock's quorum lock: the key holds the token, nothing else. Of
// several resources that are held together each key does.
//
// Pure values.
#pragma once
#include <optional>

#include "redlock/algorithm/command_effect.hpp"
#include "redlock/algorithm/fence.hpp"
#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/line_commands.hpp"
#include "redlock/algorithm/resources.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

// Sets the key when it is absent. Granted: set. Denied: the key exists.
struct SetIfAbsent {
  static constexpr CommandTraits kTraits{.effect = Effect::acquires, .needs_script = false};
  Resources resources;
  Token token;
  Duration ttl;

  bool operator==(const SetIfAbsent&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), token.view()}; }
  [[nodiscard]] ReleaseAndHandOver undo() const { return {resources, token, false}; }
};

// Sets all keys when each is absent or holds the token, and then records the proposal of a fence,
// if there is one and it is larger than the last. Granted: set, with a FenceVote. Denied: one of
// them is another's, with a BusyResource; nothing was written.
struct SetAllIfAbsent {
  static constexpr CommandTraits kTraits{.effect = Effect::acquires};
  Resources resources;
  Token token;
  Duration ttl;
  std::optional<FenceProposal> fence;

  bool operator==(const SetAllIfAbsent&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), token.view()}; }
  [[nodiscard]] ReleaseAndHandOver undo() const { return {resources, token, false}; }
};

// Makes the key live for `ttl` from now when it holds the token, unless it already
// lives longer. Granted: it now lives at least that long. Denied: not proven ours.
struct ExtendIfEqual {
  static constexpr CommandTraits kTraits{.effect = Effect::prolongs};
  Resources resources;
  Token token;
  Duration ttl;

  bool operator==(const ExtendIfEqual&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), token.view()}; }
};

// Where the key holds the old token, it holds the fresh one and lives for `ttl` from now: that may
// be shorter than before. Granted: so it is. Denied: nothing was written. One that is late finds no
// old token.
struct RotateIfEqual {
  static constexpr CommandTraits kTraits{
      .effect = Effect::acquires, .only_chance = true, .needs_replicas = false};
  Resources resources;
  Token held;
  Token fresh;
  Duration ttl;

  bool operator==(const RotateIfEqual&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), fresh.view()}; }
  [[nodiscard]] ReleaseAndHandOver undo() const { return {resources, fresh}; }
};

// Granted: the key holds the token. Denied: it does not.
struct CheckEqual {
  static constexpr CommandTraits kTraits{.effect = Effect::asks};
  Resources resources;
  Token token;

  bool operator==(const CheckEqual&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), token.view()}; }
};

// Granted: the key exists and never expires, so what stands there is nobody's lock. Denied: it
// will expire, or is gone.
struct CheckEndless {
  static constexpr CommandTraits kTraits{.effect = Effect::asks, .needs_script = false};
  Resources resources;

  bool operator==(const CheckEndless&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), {}}; }
};

// Changes nothing. Granted: something stands there. Denied: nothing does. Either reply comes with
// what is seen there (LockState).
struct Inspect {
  static constexpr CommandTraits kTraits{.effect = Effect::asks};
  Resources resources;

  bool operator==(const Inspect&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), {}}; }
};

}  // namespace redlock
