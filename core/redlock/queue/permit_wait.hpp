// Acquires one of a resource's slots by waiting in the line common to all of them.
//
//   asking ──granted──────────────────────────────────────────────▶ done
//     │ └─none is free, time left─▶ standing ──told of a slot, or sees one──▶ standing and trying
//     it └──no time left──▶ done         │  ▲                     granted──▶ done │
//                                     │  └────────────────────────────refused──┘
//                                     ├──the wait is over──▶ done
//                                     └──no majority lets us stand in line──▶ polling ──▶ done
//
// `asking` is one search without the line, left out where this pool has waited for the resource
// lately. Whoever gives a slot back has each server tell it to the first waiter of its line, who is
// taken out of that line: so the next slot finds the next waiter, and a hand-over wakes one. He
// tries it with a token of its own, and stands again at his old place where another was faster. He
// looks by himself when the next slot ends, as node_queue_state.hpp says, and then tries a slot
// where more are free, by a quorum's word, than stand in front of him. What he was told of and does
// not use he passes on. Invariants: whoever leaves does so in every line that may have been joined;
// validity is that of the try that won. Pure. One thread; lives for one call.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "redlock/queue/line_memory.hpp"
#include "redlock/queue/node_queue_state.hpp"
#include "redlock/queue/permit_search.hpp"
#include "redlock/queue/queued_acquire.hpp"
#include "redlock/queue/search_numbers.hpp"
#include "redlock/queue/slot_news.hpp"

namespace redlock {

class PermitWait final : public Operation {
 public:
  enum class Phase { fresh, asking, standing, polling, done };

  // `entropy` must outlive the operation; `memory` is shared by all waits of a pool. The request's
  // resource is that of the permits.
  PermitWait(AnswerTimes answer_times, PermitKind permit, WaitRequest request,
             std::shared_ptr<LineMemory> memory, Entropy& entropy);

  [[nodiscard]] QuorumRule quorum() const override {
    return permit_.kind->quorum(answer_times_->size());
  }
  void start(Instant now) override;
  void on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) override;
  void on_time(Instant now) override;
  void on_suspicion(NodeIndex node, AttemptNumber attempt) override;
  void on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) override;
  [[nodiscard]] bool listens() const override { return phase_ == Phase::standing; }
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
  void search(RetryPolicy retry, std::optional<std::size_t> first, Instant now);
  void follow(Instant now);
  void begin_standing(Instant now);
  void stand_again(Instant now);
  // What follows from any news while standing.
  void review(Instant now);
  void join_where_due(Instant now);
  void leave(Instant now);
  [[nodiscard]] bool searches() const { return search_ && search_->outcome() == nullptr; }
  // The slot that is to be tried now, if one is.
  [[nodiscard]] std::optional<std::size_t> wanted_slot(Instant now);
  [[nodiscard]] std::size_t place() const;
  [[nodiscard]] std::size_t count(bool (NodeQueueState::*has)() const) const;
  [[nodiscard]] bool waits_in_vain(Instant now);
  [[nodiscard]] bool cut_off() const;
  [[nodiscard]] std::vector<NodeReport> reports() const;
  [[nodiscard]] Instant wait_end() const { return started_ + request_.wait; }
  void poll(Instant now);
  void leave_lines(Instant now);
  void finish(Decision decision, Instant now);
  void finish(Outcome outcome);

  AnswerTimes answer_times_;
  PermitKind permit_;
  WaitRequest request_;
  std::shared_ptr<LineMemory> memory_;
  Entropy& entropy_;
  Phase phase_ = Phase::fresh;
  Instant started_;
  std::unique_ptr<PermitSearch> search_;  // the latest; while standing, where one is under way
  SearchNumbers numbers_;
  Token token_;  // in line
  std::int64_t ticket_ = 0;
  std::vector<NodeQueueState> nodes_;  // one a node, while standing and afterwards
  SlotViews views_;
  SlotNews news_;       // while standing
  bool ended_ = false;  // the wait is over; the search under way is waited for
  Instant look_at_;     // where no quorum has said anything of slots for so long, one is tried
  PermanentTrouble trouble_;
  std::deque<Request> requests_;
  std::vector<NodeReport> refusals_;  // why it polls
  std::optional<Outcome> outcome_;
};

}  // namespace redlock
