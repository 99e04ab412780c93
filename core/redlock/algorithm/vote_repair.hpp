// Repairs the votes of a held lock again on nodes that have lost them.
//
// A lock that is held for long would lose vote after vote while servers are restarted one after the
// other. So where an extend was confirmed by a majority, the nodes that denied it are asked to set
// the key, if there is none: what is somebody else's stays. The repaired votes count for nothing
// until an extend finds them there.
// Nothing of it is ever undone here, also where it is unanswered or given up: the lock lives, and
// whoever extends it on another connection may count the vote before an undo arrives. Who releases
// the lock removes it.
// Nor is a connection waited for that is only being made, as by an extend that hears each node: it
// serves the next one.
// Pure. One thread; lives for one round.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "redlock/algorithm/lock_kind.hpp"
#include "redlock/algorithm/operation.hpp"
#include "redlock/algorithm/round.hpp"

namespace redlock {

class VoteRepair final : public Operation {
 public:
  // Sets the key to `proof`, which proves that the lock is ours. Requires at least one node.
  VoteRepair(AnswerTimes answer_times, const LockKind& kind, const Token& proof,
             std::vector<NodeIndex> nodes);

  [[nodiscard]] QuorumRule quorum() const override { return quorum_; }
  void start(Instant now) override;
  void on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) override;
  void on_time(Instant now) override;
  void abort(Instant now) override;
  [[nodiscard]] std::optional<Request> next_request() override;
  [[nodiscard]] std::optional<Instant> next_deadline() const override;
  // Granted: some were repaired, or may be yet; denied: none.
  [[nodiscard]] const Outcome* outcome() const override;
  [[nodiscard]] Outcome collect() noexcept override { return std::move(*outcome_); }

 private:
  [[nodiscard]] bool may_stand(NodeIndex node) const;
  void finish(Decision decision, Instant now);

  AnswerTimes answer_times_;
  QuorumRule quorum_;
  std::shared_ptr<const Command> acquire_;
  std::vector<NodeIndex> nodes_;
  std::vector<NodeReport> reports_;  // one a node of the manager
  std::size_t answered_ = 0;
  Instant end_;
  std::vector<Request> requests_;  // to be handed out, the next one last
  std::optional<Outcome> outcome_;
};

}  // namespace redlock
