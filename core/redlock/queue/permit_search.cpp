// The machine that looks for a free slot.
#include "redlock/queue/permit_search.hpp"

#include <algorithm>
#include <utility>

#include "redlock/algorithm/invariant.hpp"
#include "redlock/queue/left_requests.hpp"

namespace redlock {

PermitSearch::PermitSearch(AnswerTimes answer_times, PermitKind permit, RetryPolicy retry,
                           Entropy& entropy, std::optional<std::size_t> first)
    : answer_times_(std::move(answer_times)),
      permit_(std::move(permit)),
      retry_(retry),
      entropy_(entropy),
      next_slot_(first),
      views_(answer_times_->size()) {}

std::size_t PermitSearch::any_slot() { return random_between(entropy_, 0, permit_.permits - 1); }

void PermitSearch::start(Instant now) {
  REDLOCK_INVARIANT(phase_ == Phase::fresh);
  started_ = now;
  try_slot(next_slot_ ? *next_slot_ : any_slot(), now);
}

// What may throw comes first: then the try before is still there, and has undone itself.
void PermitSearch::try_slot(std::size_t slot, Instant now) {
  auto kind = std::make_shared<const QuorumKind>(permit_.kind->of_slot(slot, permit_.permits));
  auto step = std::make_unique<Acquire>(answer_times_, std::move(kind), RetryPolicy::jittered(1, 0),
                                        entropy_);
  if (step_) take_over(requests_, [this] { return next_of_step(); });
  step->start(now);
  step_ = std::move(step);
  ++latest_;
  ++tries_;
  slot_ = slot;
  tried_at_ = now;
  phase_ = Phase::trying;
}

void PermitSearch::follow(Instant now) {
  const Outcome* const outcome = step_->outcome();
  if (phase_ != Phase::trying || outcome == nullptr) return;
  if (outcome->decision == Decision::granted) {
    Outcome granted = step_->collect();
    granted.slot = slot_of(permit_.kind->only(), slot_);
    return finish(std::move(granted));
  }
  views_.note(outcome->nodes, slot_);
  if (!goes_on(*outcome, now)) end_attempt(now);
}

bool PermitSearch::goes_on(const Outcome& refused, Instant now) {
  if (tries_ >= kSlotTriesMax || !is_refusal(refused.decision)) return false;
  SlotSet free = views_.free(quorum());
  const bool contested = free[slot_];
  free.reset(slot_);
  if (free.any()) {
    splits_ = 0;
    try_slot(nth_free(free, random_between(entropy_, 0, free.count() - 1)), now);
    return true;
  }
  if (!contested || refused.decision == Decision::expired_in_flight) return false;
  const Duration usual = (now - tried_at_) * (std::int64_t{2} << std::min(splits_, 8));
  RetryPolicy policy;
  policy.pause_high = std::clamp(usual, kSlotPauseMin, kSlotPauseMax);
  ++splits_;
  next_slot_ = slot_;
  pause(policy.draw_pause(entropy_), now);
  return true;
}

void PermitSearch::end_attempt(Instant now) {
  const Outcome& outcome = *step_->outcome();
  if (retry_.gives_up) {
    const bool unreachable = outcome.decision == Decision::unreachable;
    outage_ = unreachable ? outcome.nodes : std::vector<NodeReport>();
    if (trouble_.bars(quorum(), outcome.nodes, now)) return finish(step_->collect());
  }
  if (last_attempt(now)) return finish(step_->collect());
  ++attempts_;
  tries_ = splits_ = 0;
  next_slot_.reset();
  pause(retry_.draw_pause(entropy_), now);
}

void PermitSearch::pause(Duration pause, Instant now) {
  const bool ends = retry_.wait_max != Duration::max();
  const Instant end = ends ? started_ + retry_.wait_max : Instant::never();
  resume_at_ = std::max(now, std::min(now + pause, end));
  phase_ = Phase::pausing;
}

void PermitSearch::on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) {
  if (!is_current(attempt)) return;
  step_->on_reply(node, kOnlyAttempt, std::move(reply), now);
  follow(now);
}

void PermitSearch::on_time(Instant now) {
  if (phase_ == Phase::pausing) {
    if (now >= resume_at_) try_slot(next_slot_ ? *next_slot_ : any_slot(), now);
    return;
  }
  if (phase_ != Phase::trying) return;
  step_->on_time(now);
  follow(now);
}

void PermitSearch::on_suspicion(NodeIndex node, AttemptNumber attempt) {
  if (is_current(attempt)) step_->on_suspicion(node, kOnlyAttempt);
}

void PermitSearch::on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) {
  if (is_current(attempt)) step_->on_delay(node, kOnlyAttempt, connected_by);
}

void PermitSearch::abort(Instant now) {
  if (phase_ == Phase::done) return;
  if (step_) step_->abort(now);
  Outcome outcome;
  outcome.decision = Decision::aborted;
  outcome.decided_at = now;
  outcome.quorum = quorum();
  finish(std::move(outcome));
}

void PermitSearch::finish(Outcome outcome) {
  outcome_ = std::move(outcome);
  phase_ = Phase::done;
}

std::optional<Request> PermitSearch::next_of_step() {
  std::optional<Request> request = step_->next_request();
  if (request) request->attempt = latest_;
  return request;
}

std::optional<Request> PermitSearch::next_request() {
  if (!requests_.empty()) return take_first(requests_);
  return step_ ? next_of_step() : std::nullopt;
}

std::optional<Instant> PermitSearch::next_deadline() const {
  if (phase_ == Phase::fresh || phase_ == Phase::done) return std::nullopt;
  return phase_ == Phase::pausing ? resume_at_ : step_->next_deadline();
}

}  // namespace redlock
