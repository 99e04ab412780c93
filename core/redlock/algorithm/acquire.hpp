// Takes a lock: attempts, verdict, undo, pause.
//
//   asking ──won, validity > 0──────────────────────────────▶ done (granted)
//     │  └──lost or too late, attempts left──▶ pausing ──time──▶ asking, fresh token
//     └──lost or too late, last attempt: once it is known whether a majority could be
//        asked───────────────────────────────▶ done (denied, split, late, unreachable)
//
// Leaving `asking` without a lock queues the undo of this attempt for every node that may
// hold its token. Invariants: each attempt has a token of its own; an attempt's clock starts
// before its first request is handed out; undo requests are handed out before anything else.
// Pure. One thread; lives for one call.
#pragma once
#include <deque>
#include <memory>
#include <optional>

#include "redlock/algorithm/entropy.hpp"
#include "redlock/algorithm/operation.hpp"
#include "redlock/algorithm/retry.hpp"
#include "redlock/algorithm/round.hpp"

namespace redlock {

// What distinguishes one kind of lock from another.
class LockRecipe {
 public:
  virtual ~LockRecipe() = default;
  [[nodiscard]] virtual Token fresh_token(Entropy& entropy) const = 0;
  [[nodiscard]] virtual Command take(const Token& token) const = 0;
  [[nodiscard]] virtual Command undo(const Token& token) const = 0;
  // What is left of a lock asked for `elapsed` ago; not positive: too late.
  [[nodiscard]] virtual Duration validity(Duration elapsed) const = 0;
  // How long after it was taken a server may still keep it, by our clock.
  [[nodiscard]] virtual Duration life_max() const = 0;
};

class Acquire final : public Operation {
 public:
  // `entropy` must outlive the operation.
  Acquire(AnswerTimes answer_times, std::unique_ptr<const LockRecipe> recipe, RetryPolicy retry,
          Entropy& entropy);

  void start(Instant now) override;
  void take_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) override;
  void take_time(Instant now) override;
  void take_doubt(NodeIndex node, AttemptNumber attempt) override;
  void abort(Instant now) override;
  [[nodiscard]] std::optional<Request> next_request() override;
  [[nodiscard]] std::optional<Instant> next_deadline() const override;
  [[nodiscard]] const Outcome* outcome() const override;
  [[nodiscard]] Outcome take_outcome() noexcept override { return std::move(*outcome_); }

 private:
  void begin_attempt(Instant now);
  void decide(Instant now);
  void fail_attempt(Instant now);
  void end_failed(Instant now);
  void queue_undo(Instant now);
  void finish(Decision decision, Instant now);
  [[nodiscard]] bool last_attempt() const { return attempt_ >= retry_.attempts_max; }

  AnswerTimes answer_times_;
  std::unique_ptr<const LockRecipe> recipe_;
  RetryPolicy retry_;
  Entropy& entropy_;
  AttemptNumber attempt_ = 0;
  Token token_;
  std::optional<Round> round_;
  // The attempt has failed and is undone, but the reason is not certain yet.
  bool undone_ = false;
  // This attempt's failure was that its majority came too late.
  bool late_ = false;
  std::optional<Instant> resume_at_;
  std::deque<Request> undo_;
  std::optional<Outcome> outcome_;
};

}  // namespace redlock
