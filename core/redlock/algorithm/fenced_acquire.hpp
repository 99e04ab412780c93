// Acquires a lock and a fence for it.
//
//   acquiring ──granted at once, a majority recorded the proposal──▶ done (granted)
//     │  └──granted otherwise──▶ raising ──a majority recorded a larger one──▶ done (granted)
//     │                            │  ├──some have a larger one──▶ raising again
//     │                            │  └──some are silent──▶ raising again, once their time is over
//     │                            └──no majority has the lock, or its time is over──▶ done, undone
//     └──not granted──▶ done
//
// A lock that is handed over in line has been granted without a proposal, and one that was waited
// for with an old one: it is raised once, which is one round trip. Invariant: a fence is granted
// only with the lock, and only where it was recorded by servers that held the lock's token at that
// moment: a later holder has to have votes of one of them. Pure. One thread; lives for one call.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "redlock/algorithm/fence.hpp"
#include "redlock/algorithm/lock_kind.hpp"
#include "redlock/algorithm/operation.hpp"
#include "redlock/algorithm/round.hpp"

namespace redlock {

class FencedAcquire final : public Operation {
 public:
  // `acquire` acquires a lock of that kind, whose commands propose `proposals.first()`.
  FencedAcquire(AnswerTimes answer_times, std::shared_ptr<const LockKind> kind,
                const FenceProposals& proposals, std::unique_ptr<Operation> acquire);

  [[nodiscard]] QuorumRule quorum() const override { return acquire_->quorum(); }
  void start(Instant now) override;
  void on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) override;
  void on_time(Instant now) override;
  void on_suspicion(NodeIndex node, AttemptNumber attempt) override;
  void on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) override;
  [[nodiscard]] bool listens() const override { return acquire_->listens(); }
  void on_subscription(NodeIndex node, const SubscriptionState& subscription_state,
                       Instant now) override;
  bool on_push(NodeIndex node, const Push& push, Instant now) override;
  [[nodiscard]] std::vector<NodeReport> outage() const override { return acquire_->outage(); }
  void abort(Instant now) override;
  [[nodiscard]] std::optional<Request> next_request() override;
  [[nodiscard]] std::optional<Instant> next_deadline() const override;
  [[nodiscard]] const Outcome* outcome() const override { return outcome_ ? &*outcome_ : nullptr; }
  [[nodiscard]] Outcome collect() noexcept override { return std::move(*outcome_); }

  // What tells two machines of one recipe apart, beside what the acquire is.
  struct Snapshot {
    std::optional<Round::Snapshot> round;  // of those that raise
    std::size_t raises;
    std::int64_t proposal;
    std::int64_t last;
    Instant again_at;
    std::size_t undo_count;  // requests that are still to be handed out
    std::optional<Outcome> outcome;

    bool operator==(const Snapshot&) const = default;
  };
  [[nodiscard]] Snapshot snapshot() const;

 private:
  void follow_acquire(Instant now);
  void note_votes(const std::vector<NodeReport>& nodes);
  void raise(Instant now);
  void follow_raise(Instant now);
  // What is left of the lock.
  [[nodiscard]] Duration validity(Instant now) const;
  void finish(std::int64_t fence, Instant now);
  void give_up(Decision decision, Instant now);

  AnswerTimes answer_times_;
  std::shared_ptr<const LockKind> kind_;
  FenceProposals proposals_;
  std::unique_ptr<Operation> acquire_;
  // Of those that raise; nothing before and after.
  std::optional<Round> round_;
  std::size_t raises_ = 0;
  std::int64_t proposal_ = 0;
  std::int64_t last_ = 0;  // the largest that a server has said
  Instant again_at_;       // behind silence, it is not raised again before
  std::vector<Request> undo_;
  std::optional<Outcome> outcome_;
};

}  // namespace redlock
