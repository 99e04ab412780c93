// Acquires one of a resource's slots without waiting in line.
//
//   trying a slot ──granted──▶ done
//     │ ▲  └──refused, others are free──▶ trying one of them
//     │ └──time── pausing ◀──nobody got the only one that is free; or none is, attempts left
//     └──none is free, or too many tries, the last attempt──▶ done
//
// It starts with a slot by chance, or the one that it was told of, and goes on to those that a
// quorum calls free. Each try is an attempt of its own, with a token of its own, and undone before
// the next. Pure. One thread; lives for one call.
#pragma once
#include <deque>
#include <memory>
#include <optional>

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/permanent_trouble.hpp"
#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/queue/slot_views.hpp"

namespace redlock {

// So many slots are tried in one attempt at most.
inline constexpr int kSlotTriesMax = 16;
// Between two tries of one slot, in which nobody won, for up to two round trips, then twice as
// long each time.
inline constexpr Duration kSlotPauseMin = Duration::ms(1);
inline constexpr Duration kSlotPauseMax = Duration::ms(50);

// One of so many slots of one resource.
struct PermitKind {
  std::shared_ptr<const QuorumKind> kind;  // of the resource
  std::size_t permits = 1;                 // 1 to kPermitsMax
};

class PermitSearch final : public Operation {
 public:
  enum class Phase { fresh, trying, pausing, done };

  // `entropy` must outlive the operation.
  PermitSearch(AnswerTimes answer_times, PermitKind permit, RetryPolicy retry, Entropy& entropy,
               std::optional<std::size_t> first = {});

  [[nodiscard]] QuorumRule quorum() const override {
    return permit_.kind->quorum(answer_times_->size());
  }
  void start(Instant now) override;
  void on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) override;
  void on_time(Instant now) override;
  void on_suspicion(NodeIndex node, AttemptNumber attempt) override;
  void on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) override;
  [[nodiscard]] std::vector<NodeReport> outage() const override { return outage_; }
  void abort(Instant now) override;
  [[nodiscard]] std::optional<Request> next_request() override;
  [[nodiscard]] std::optional<Instant> next_deadline() const override;
  [[nodiscard]] const Outcome* outcome() const override { return outcome_ ? &*outcome_ : nullptr; }
  [[nodiscard]] Outcome collect() noexcept override { return std::move(*outcome_); }

  // The slot that is tried, or was last.
  [[nodiscard]] std::size_t slot() const { return slot_; }

 private:
  [[nodiscard]] std::size_t any_slot();
  void try_slot(std::size_t slot, Instant now);
  void follow(Instant now);
  // True: it tries another slot, or will.
  [[nodiscard]] bool goes_on(const Outcome& refused, Instant now);
  void end_attempt(Instant now);
  void pause(Duration pause, Instant now);
  // Its attempts are numbered from 1 here.
  [[nodiscard]] bool is_current(AttemptNumber attempt) const {
    return step_ && attempt == latest_ && phase_ == Phase::trying;
  }
  [[nodiscard]] std::optional<Request> next_of_step();
  [[nodiscard]] bool last_attempt(Instant now) const {
    return attempts_ >= retry_.attempts_max || now - started_ >= retry_.wait_max;
  }
  void finish(Outcome outcome);

  AnswerTimes answer_times_;
  PermitKind permit_;
  RetryPolicy retry_;
  Entropy& entropy_;
  Phase phase_ = Phase::fresh;
  Instant started_;
  std::size_t slot_ = 0;
  std::optional<std::size_t> next_slot_;  // while it pauses; nothing: by chance
  std::unique_ptr<Acquire> step_;
  AttemptNumber latest_ = 0;  // of the tries
  std::uint64_t attempts_ = 1;
  int tries_ = 0;   // of this attempt
  int splits_ = 0;  // one behind the other
  Instant tried_at_;
  Instant resume_at_;
  SlotViews views_;
  PermanentTrouble trouble_;
  std::vector<NodeReport> outage_;
  std::deque<Request> requests_;  // of earlier tries
  std::optional<Outcome> outcome_;
};

}  // namespace redlock
