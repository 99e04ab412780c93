// What one node is asked for a shared lock: while it has readers, the key holds kSharedMark, and
// beside it stands until when each of them has it.
//
// A token proves what it holds: a reader's vote is a key that holds the mark where the reader is
// named, or one that holds its token, which excludes everybody else. So a shared lock is extended,
// rotated, checked and released by the same commands as an exclusive one. Pure values.
#pragma once
#include <optional>

#include "redlock/algorithm/command_effect.hpp"
#include "redlock/algorithm/fence.hpp"
#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/line_commands.hpp"
#include "redlock/algorithm/resources.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

// Lets a reader in where the key is absent or shared and nobody waits who wants it alone; or where
// it is in already, for `ttl` from now at least. Then the proposal of a fence is recorded, if there
// is one and it is larger than the last. Granted: with a FenceVote. Denied: with a BusyResource;
// nothing was written.
struct ShareIfFree {
  static constexpr CommandTraits kTraits{.effect = Effect::acquires};
  Resources resources;
  Token token;
  Duration ttl;
  std::optional<FenceProposal> fence;

  bool operator==(const ShareIfFree&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), token.view()}; }
  [[nodiscard]] ReleaseAndHandOver undo() const { return {resources, token, false}; }
};

// Where `held` is the only reader, the key holds the fresh token, for `ttl` from now and for no
// shorter than the reader would have had it. Granted: so it is. Denied, with a BusyResource: others
// share it. Denied: `held` is not proven to be in.
//
// The reader stays known there: where the fresh token is removed it is a reader again. So whatever
// becomes of a promotion, its undo takes nothing from the reader.
struct Promote {
  static constexpr CommandTraits kTraits{.effect = Effect::acquires};
  Resources resources;
  Token held;
  Token fresh;
  Duration ttl;

  bool operator==(const Promote&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), fresh.view()}; }
  [[nodiscard]] ReleaseAndHandOver undo() const { return {resources, fresh, false}; }
};

// Where the key holds the token, it is shared, with the token's owner as its reader until the key
// would have ended; those first in line who share it are let in. Granted: so it is, or was before.
// Denied: not proven ours.
struct Demote {
  static constexpr CommandTraits kTraits{.effect = Effect::prolongs, .needs_replicas = false};
  Resources resources;
  Token token;

  bool operator==(const Demote&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), token.view()}; }
};

}  // namespace redlock
