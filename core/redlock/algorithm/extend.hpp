// Prolongs a lock that a majority still knows as ours.
//
// The machine is a query whose grant carries a new validity, counted from before the
// first byte left. A failed extend never shortens the lock: no node lowers a key's expiry.
#pragma once
#include <memory>

#include "redlock/algorithm/lock_kind.hpp"
#include "redlock/algorithm/quorum_query.hpp"

namespace redlock {

class Extend final : public QuorumQuery {
 public:
  // Requires a kind that can be extended.
  Extend(const AnswerTimes& answer_times, std::shared_ptr<const LockKind> kind, Token proof,
         LossDetail detail = LossDetail::reason);
  // Whoever wants to hear each node must not lose the lock over one that is hard to reach: the
  // connection goes on being made, and serves the next extend.
  void on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) override;

 protected:
  void complete_grant(Outcome& outcome, Instant started) override;

 private:
  std::shared_ptr<const LockKind> kind_;
  Token proof_;
  bool hears_each_;
};

}  // namespace redlock
