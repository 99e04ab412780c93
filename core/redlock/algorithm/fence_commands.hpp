// What one node is asked for a lock that comes with a fence; see fence.hpp.
//
// The last fence stands beside the lock's own key, in one more that expires. Pure values.
#pragma once
#include <cstdint>

#include "redlock/algorithm/command_effect.hpp"
#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/line_commands.hpp"
#include "redlock/algorithm/resources.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

// Sets the key when it is absent, and then records the proposal if it is larger than the last
// fence. Granted: set, with a FenceVote. Denied: the key exists; nothing was recorded.
struct SetWithFence {
  static constexpr CommandTraits kTraits{.effect = Effect::acquires};
  Resources resources;
  Token token;
  Duration ttl;
  std::int64_t proposal = 0;
  Duration fence_ttl;

  bool operator==(const SetWithFence&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), token.view()}; }
  [[nodiscard]] ReleaseAndHandOver undo() const { return {resources, token, false}; }
};

// Records the proposal where the key holds the token, if it is larger than the last fence. Only
// there: elsewhere the next holder may have read the last fence already. Granted: recorded. Denied,
// with a FenceVote: it is not larger. Denied: not proven ours.
struct RaiseFence {
  static constexpr CommandTraits kTraits{.effect = Effect::prolongs};
  Resources resources;
  Token token;
  std::int64_t proposal = 0;
  Duration fence_ttl;

  bool operator==(const RaiseFence&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), token.view()}; }
};

}  // namespace redlock
