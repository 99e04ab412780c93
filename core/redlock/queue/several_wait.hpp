// Acquires several resources at once by waiting in line for one of them at a time.
//
//   trying ──granted──────────────────────────────────────────▶ done
//     │  └──time left──▶ standing in the line of one that was busy ──the wait is over──▶ done
//     │                     └──its turn──▶ trying ──time left──▶ pausing ──▶ standing
//     └──no time left, or waiting does not help──▶ done
//
// It never waits while it holds one of them: when its turn comes it tries all of them with the
// token that it was handed, and where another is busy it passes on what it was handed and stands in
// that one's line. So there is no deadlock, whatever the order in which others name them. It pauses
// before that, or two who were handed one each would go on taking turns. Its tickets count from the
// beginning of the wait. Invariant: whoever leaves without the locks leaves none of them behind.
// Pure. One thread; lives for one call.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "redlock/algorithm/operation.hpp"
#include "redlock/algorithm/permanent_trouble.hpp"
#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/queue/line_memory.hpp"
#include "redlock/queue/queued_acquire.hpp"

namespace redlock {

// A pause lasts for up to two round trips, then twice as long each time, and no longer than the
// pause between two attempts of a wait that polls.
inline constexpr Duration kSeveralPauseMin = Duration::ms(2);
inline constexpr int kSeveralDoublingsMax = 8;

class SeveralWait final : public Operation {
 public:
  enum class Phase { fresh, trying, pausing, standing, done };

  // `entropy` must outlive the operation; `memory` is shared by all waits of a pool.
  SeveralWait(AnswerTimes answer_times, std::shared_ptr<const QuorumKind> kind, WaitRequest request,
              std::shared_ptr<LineMemory> memory, Entropy& entropy);

  [[nodiscard]] QuorumRule quorum() const override { return kind_->quorum(answer_times_->size()); }
  void start(Instant now) override;
  void on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) override;
  void on_time(Instant now) override;
  void on_suspicion(NodeIndex node, AttemptNumber attempt) override;
  void on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) override;
  [[nodiscard]] bool listens() const override;
  void on_subscription(NodeIndex node, const SubscriptionState& subscription_state,
                       Instant now) override;
  bool on_push(NodeIndex node, const Push& push, Instant now) override;
  [[nodiscard]] std::vector<NodeReport> outage() const override;
  void abort(Instant now) override;
  [[nodiscard]] std::optional<Request> next_request() override;
  [[nodiscard]] std::optional<Instant> next_deadline() const override;
  [[nodiscard]] const Outcome* outcome() const override { return outcome_ ? &*outcome_ : nullptr; }
  [[nodiscard]] Outcome collect() noexcept override { return std::move(*outcome_); }

 private:
  // Null where the attempt is an earlier step's.
  [[nodiscard]] Operation* step_of(AttemptNumber attempt);
  void begin(std::unique_ptr<Operation> step, Phase phase, Instant now);
  void follow(Instant now);
  void try_all(std::optional<Token> handed, Instant now);
  void stand(std::size_t place, Instant now);
  // Of the step's requests those that are left, with their attempts' numbers here.
  [[nodiscard]] std::optional<Request> next_of_step();
  void pass_on_what_was_handed(Instant now);
  void pause(std::size_t place, Instant now);
  [[nodiscard]] bool is_over(Instant now) const { return now - started_ >= request_.wait; }
  void finish(Outcome outcome);

  AnswerTimes answer_times_;
  std::shared_ptr<const QuorumKind> kind_;
  WaitRequest request_;
  std::shared_ptr<LineMemory> memory_;
  Entropy& entropy_;
  Phase phase_ = Phase::fresh;
  Instant started_;
  std::unique_ptr<Operation> step_;  // its attempts count from base_
  AttemptNumber base_ = 0;
  AttemptNumber latest_ = 0;
  std::size_t place_ = 0;  // in whose line it stands, stood last or, while it pauses, will
  Instant tried_at_;
  Instant resume_at_;  // while it pauses
  int pauses_ = 0;
  PermanentTrouble trouble_;
  std::optional<Token> handed_;  // there, while it tries all with it
  bool handed_over_ = false;
  std::deque<Request> requests_;
  std::optional<Outcome> outcome_;
};

}  // namespace redlock
