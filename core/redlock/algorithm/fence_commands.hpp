// What one node is asked for the fence of a lock that is held; see fence.hpp.
//
// The last fence stands beside the lock's own key, in one more that expires. Pure values.
#pragma once
#include "redlock/algorithm/command_effect.hpp"
#include "redlock/algorithm/fence.hpp"
#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/resources.hpp"

namespace redlock {

// Records the proposal where all keys hold the token, if it is larger than the last fence. Only
// there: elsewhere the next holder may have read the last fence already. Granted: recorded. Denied,
// with a FenceVote: it is not larger. Denied: not proven ours.
struct RaiseFence {
  static constexpr CommandTraits kTraits{.effect = Effect::prolongs};
  Resources resources;
  Token token;
  FenceProposal proposal;

  bool operator==(const RaiseFence&) const = default;
  [[nodiscard]] LockName lock() const { return {resources.all(), token.view()}; }
};

}  // namespace redlock
