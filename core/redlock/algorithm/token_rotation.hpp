// Makes a held lock end sooner than its servers were told, by exchanging its token for a fresh one.
//
// A command that only lowered the expiry could be late on its way, and cut a lock short that was
// extended again meanwhile. What exchanges tokens finds none to exchange when it comes late, and
// every later extend names the fresh one. So the lock goes on under the fresh token alone: where a
// majority has not confirmed that, it is over, and neither token is to stand anywhere; unless it
// was passed on meanwhile, for whoever has it now believes in whichever of the two still stands.
//
// States: asking → won, waiting a little for the others → done. The others need not be waited for,
// but each that has not confirmed is told to forget the old token, which costs a command more.
// Pure. One thread; lives for one call.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "redlock/algorithm/lock_kind.hpp"
#include "redlock/algorithm/operation.hpp"
#include "redlock/algorithm/renewal.hpp"
#include "redlock/algorithm/round.hpp"

namespace redlock {

// Behind a majority the others have this part of the longest answer time, or of the validity where
// that is shorter, counted from the start: one in so many.
inline constexpr std::int64_t kStragglersOneIn = 4;

class TokenRotation final : public Operation {
 public:
  // Is called before anything is removed: nobody may believe in the lock any more. False: somebody
  // else does, so nothing is removed. Must not throw.
  using NoteLoss = std::function<bool(Loss)>;

  // Requires a kind whose locks can be shortened. `held` is what the keys hold now.
  TokenRotation(AnswerTimes answer_times, std::shared_ptr<const LockKind> kind, const Token& held,
                Token fresh, NoteLoss note_loss);

  [[nodiscard]] QuorumRule quorum() const override { return kind_->quorum(answer_times_->size()); }
  void start(Instant now) override;
  void on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) override;
  void on_time(Instant now) override;
  void on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) override;
  void abort(Instant now) override;
  [[nodiscard]] std::optional<Request> next_request() override;
  [[nodiscard]] std::optional<Instant> next_deadline() const override;
  // Granted: the keys of a majority hold the fresh token, which is the outcome's.
  [[nodiscard]] const Outcome* outcome() const override;
  [[nodiscard]] Outcome collect() noexcept override { return std::move(*outcome_); }

 private:
  [[nodiscard]] Instant stragglers_until() const;
  void decide(Instant now);
  void finish(Decision decision, Instant now);
  // A removal, for each node that has not confirmed or for all of them.
  enum class Where { unconfirmed, everywhere };
  void queue(const Command& removal, Where where, Instant now);

  AnswerTimes answer_times_;
  std::shared_ptr<const LockKind> kind_;
  std::shared_ptr<const Command> swap_;
  Command forget_held_;
  Command forget_fresh_;
  Token fresh_;
  NoteLoss note_loss_;
  std::optional<Round> round_;
  std::optional<Instant> won_at_;
  std::vector<Request> removals_;  // to be handed out, the next one last
  std::optional<Outcome> outcome_;
};

}  // namespace redlock
