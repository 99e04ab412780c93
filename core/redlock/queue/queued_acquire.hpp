// Acquires a lock by waiting in line: nobody polls, the lock is handed over.
//
//   asking ──granted──────────────────────────────────────────────────────────▶ done
//     │ └─not granted, time left─▶ standing ──a majority of votes, fresh─────────▶ done (granted)
//     └────no time left──▶ done       │  └──the wait is over──▶ done (denied, late, unreachable)
//                                     └──no majority lets us stand in line──▶ polling ──▶ done
//
// `asking` is one plain attempt, so that an uncontended lock costs what it costs without a line; it
// is left out where this pool has waited for the resource lately. `standing` joins every node's
// line with one token and one ticket, and gets votes by answer and by push (node_queue_state.hpp).
// While no majority can be asked, what it is given goes to those behind it. `polling` is what is
// left where servers refuse subscriptions or scripts: attempts and pauses. It begins, too, where
// those that refuse are not a majority, but nothing is known of so many others that the rest is
// none: an attempt may find a majority where a line cannot. And where waiting does not help: an
// attempt says whether that is so, and ends the wait.
//
// Invariants: validity counts from the majority-th latest of the joins behind which the votes were
// given, sent before the server could set the key; whoever leaves without the lock leaves every
// line that may have been joined. Pure. One thread; lives for one call.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/operation.hpp"
#include "redlock/queue/line_memory.hpp"
#include "redlock/queue/node_queue_state.hpp"
#include "redlock/queue/vote_offers.hpp"

namespace redlock {

// The servers' clocks say where one stands; when ours is so far off, the ticket is corrected, once.
inline constexpr Duration kTicketOffMax = Duration::ms(100);

// What is asked for, besides the lock.
struct WaitRequest {
  Resources resources;
  // The wait as a whole; at least one attempt is made. Duration::max(): for ever.
  Duration wait;
  // Between two attempts of `polling`.
  std::int64_t retry_delay_ms = 0;
  // What the local clock shows, in ms since 1970.
  std::int64_t wall_ms = 0;
  // For how long the caller has waited before, by which its ticket is earlier.
  Duration waited = {};
  // Votes that are handed over count only once a join has asked for them again: its answer says
  // whether replicas have them, and a push does not.
  bool confirms = false;
};

class QueuedAcquire final : public Operation {
 public:
  enum class Phase { fresh, asking, standing, polling, done };

  // `entropy` must outlive the operation; `memory` is shared by all waits of a pool. Requires a
  // kind that can be waited for in line.
  QueuedAcquire(AnswerTimes answer_times, std::shared_ptr<const LockKind> kind, WaitRequest request,
                std::shared_ptr<LineMemory> memory, Entropy& entropy);

  [[nodiscard]] QuorumRule quorum() const override { return kind_->quorum(answer_times_->size()); }
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
  [[nodiscard]] const Outcome* outcome() const override;
  [[nodiscard]] Outcome collect() noexcept override { return std::move(*outcome_); }

 private:
  // What makes attempts without the line in this phase; null while standing, and at the end.
  [[nodiscard]] Acquire* plain();
  void follow_plain(Instant now);
  void begin_standing(Instant now);
  // What follows from any news while standing.
  void review(Instant now);
  // Can no majority be stood in line at?
  [[nodiscard]] bool barred(Instant now);
  // Does waiting not help, by what is heard? An attempt is to say so too.
  [[nodiscard]] bool seems_in_vain(Instant now);
  void judge_votes(Instant now);
  void hurry_votes();
  // Would it pay to wait for votes that are younger than those of a majority?
  [[nodiscard]] bool may_be_better(Instant now) const;
  // How long its vote alone may be trusted, and whether that is less than half of a fresh one.
  [[nodiscard]] Duration left_of(const NodeQueueState& node, Instant now) const;
  [[nodiscard]] bool is_old(const NodeQueueState& node, Instant now) const;
  void forget_what_cannot_be_renewed(Instant now);
  void offer_votes(Instant now);
  // Others have a majority, as far as we know.
  [[nodiscard]] bool out_of_reach(Instant now) const;
  // No majority can be had from here: too many nodes could not be asked the last time.
  [[nodiscard]] bool cut_off() const;
  [[nodiscard]] ClaimPolicy policy_for(const NodeQueueState& node, bool out_of_reach) const;
  void claim_what_was_hedged(Instant now);
  void correct_ticket();
  void join_where_due(Instant now);
  void poll(Instant now);
  void leave(Instant now);

  [[nodiscard]] Instant wait_end() const { return started_ + request_.wait; }
  [[nodiscard]] Duration longest_answer_time() const;
  // Whoever was asked as the wait ended has answered by then, or does not.
  [[nodiscard]] Instant last_answers_by() const;
  [[nodiscard]] std::size_t count(bool (NodeQueueState::*has)() const) const;
  [[nodiscard]] std::size_t answered() const;
  // How long the votes may be trusted; requires a majority of them.
  [[nodiscard]] Duration validity(Instant now) const;
  [[nodiscard]] std::vector<NodeReport> reports() const;
  void queue_passes(Instant now);
  void finish(Decision decision, Instant now);
  void finish(Outcome outcome);

  AnswerTimes answer_times_;
  std::shared_ptr<const LockKind> kind_;
  WaitRequest request_;
  std::shared_ptr<LineMemory> memory_;
  Entropy& entropy_;
  Phase phase_ = Phase::fresh;
  Instant started_;
  std::optional<Acquire> first_;    // the attempt of `asking`; what undoes it outlasts that
  std::optional<Acquire> polling_;  // its attempts count from polling_base_
  AttemptNumber polling_base_ = 0;
  AttemptNumber attempt_ = 0;  // the latest
  Token token_;
  std::int64_t ticket_ = 0;
  bool ticket_checked_ = false;
  std::vector<NodeQueueState> nodes_;  // one a node, while standing and afterwards
  Duration round_trip_;                // the latest answer's
  VoteOffers offers_;
  Instant too_few_at_ = Instant::never();  // so long that it polls
  PermanentTrouble trouble_;
  bool ended_ = false;                // the wait is over; what is pending is waited for
  std::deque<Request> requests_;      // of standing, and the passes behind it
  std::vector<NodeReport> refusals_;  // why it polls
  std::optional<Outcome> outcome_;
};

}  // namespace redlock
