// Acquires a lock: attempts, verdict, undo, pause.
//
//   voting ──won, validity > 0──────────────────────────────▶ done (granted)
//     │  └──lost or too late, attempts left──▶ pausing ──time──▶ voting, fresh token
//     │                                          └──permanent trouble──▶ done (unreachable)
//     └──lost or too late, last attempt──▶ settling ──it is known whether a majority could be
//        asked───────────────────────────────▶ done (denied, split, late, unreachable)
//
// Leaving `voting` without a lock queues the undo of this attempt for every node that may
// hold its token. Invariants: each attempt has a token of its own; an attempt's clock starts
// before its first request is handed out; undo requests are handed out before anything else.
// Pure. One thread; lives for one call.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "redlock/algorithm/lock_kind.hpp"
#include "redlock/algorithm/operation.hpp"
#include "redlock/algorithm/permanent_trouble.hpp"
#include "redlock/algorithm/retry.hpp"
#include "redlock/algorithm/round.hpp"

namespace redlock {

class Acquire final : public Operation {
 public:
  enum class Phase {
    fresh,
    voting,    // the attempt may still win; leaving without a lock undoes it
    settling,  // lost and undone; the reason is not certain yet
    pausing,   // lost and undone; the next attempt begins at resume_at_
    done,
  };

  // `entropy` must outlive the operation.
  // `trouble` is what is known of it already.
  Acquire(AnswerTimes answer_times, std::shared_ptr<const LockKind> kind, RetryPolicy retry,
          Entropy& entropy, PermanentTrouble trouble = {});

  [[nodiscard]] QuorumRule quorum() const override { return kind_->quorum(answer_times_->size()); }
  void start(Instant now) override;
  void on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) override;
  void on_time(Instant now) override;
  void on_suspicion(NodeIndex node, AttemptNumber attempt) override;
  void on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) override;
  [[nodiscard]] std::vector<NodeReport> outage() const override { return outage_; }
  void abort(Instant now) override;
  [[nodiscard]] std::optional<Request> next_request() override;
  [[nodiscard]] std::optional<Instant> next_deadline() const override;
  [[nodiscard]] const Outcome* outcome() const override;
  [[nodiscard]] Outcome collect() noexcept override { return std::move(*outcome_); }

  // What tells two machines of one recipe apart.
  struct Snapshot {
    Phase phase;
    AttemptNumber attempt;
    Token token;
    std::optional<Round::Snapshot> round;
    bool late;
    std::optional<Instant> resume_at;  // while pausing
    std::size_t undo_count;            // requests that are still to be handed out
    std::optional<Outcome> outcome;

    bool operator==(const Snapshot&) const = default;
  };
  [[nodiscard]] Snapshot snapshot() const;

 private:
  void begin_attempt(Instant now);
  void decide(Instant now);
  void fail_attempt(Instant now);
  // What an attempt that failed says of the servers, also by answers that come in the pause behind
  // it. True: waiting does not help.
  [[nodiscard]] bool is_in_vain(Instant now);
  [[nodiscard]] Duration draw_pause();
  void settle(Instant now);
  void queue_undo(Instant now);
  void finish(Decision decision, Instant now);
  [[nodiscard]] Instant wait_end() const { return started_ + retry_.wait_max; }
  [[nodiscard]] bool last_attempt(Instant now) const {
    return attempt_ >= retry_.attempts_max || now >= wait_end();
  }

  AnswerTimes answer_times_;
  std::shared_ptr<const LockKind> kind_;
  RetryPolicy retry_;
  Entropy& entropy_;
  Phase phase_ = Phase::fresh;
  Instant started_;
  AttemptNumber attempt_ = 0;
  Token token_;
  std::optional<Round> round_;
  // This attempt's failure was that its majority came too late.
  bool late_ = false;
  Instant resume_at_;          // while pausing
  Duration shift_;             // by which the latest attempt was late
  std::vector<Request> undo_;  // to be handed out, the next one last
  PermanentTrouble trouble_;
  std::vector<NodeReport> outage_;
  std::optional<Outcome> outcome_;
};

}  // namespace redlock
