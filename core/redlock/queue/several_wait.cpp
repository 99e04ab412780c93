// The machine that waits for several resources at once.
#include "redlock/queue/several_wait.hpp"

#include <algorithm>
#include <utility>

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/invariant.hpp"
#include "redlock/queue/left_requests.hpp"

namespace redlock {

namespace {

// The place that most servers found busy, and of those the first; the very first where none has
// said so.
std::size_t busiest(const std::vector<NodeReport>& nodes, std::size_t count) {
  std::vector<std::size_t> said(count);
  for (const NodeReport& node : nodes) {
    const BusyResource* const busy = node.reply.said<BusyResource>();
    if (busy != nullptr && busy->place < count) ++said[busy->place];
  }
  return static_cast<std::size_t>(std::ranges::max_element(said) - said.begin());
}

}  // namespace

SeveralWait::SeveralWait(AnswerTimes answer_times, std::shared_ptr<const QuorumKind> kind,
                         WaitRequest request, std::shared_ptr<LineMemory> memory, Entropy& entropy)
    : answer_times_(std::move(answer_times)),
      kind_(std::move(kind)),
      request_(std::move(request)),
      memory_(std::move(memory)),
      entropy_(entropy) {}

void SeveralWait::start(Instant now) {
  REDLOCK_INVARIANT(phase_ == Phase::fresh);
  started_ = now;
  try_all(std::nullopt, now);
}

// What may throw comes first: then the step before is still there, and abort() undoes it.
void SeveralWait::begin(std::unique_ptr<Operation> step, Phase phase, Instant now) {
  if (step_) take_over(requests_, [this] { return next_of_step(); });
  step->start(now);
  step_ = std::move(step);
  base_ = latest_;
  phase_ = phase;
}

void SeveralWait::try_all(std::optional<Token> handed, Instant now) {
  auto kind = handed ? std::make_shared<const QuorumKind>(kind_->with_token(*handed)) : kind_;
  begin(std::make_unique<Acquire>(answer_times_, std::move(kind), RetryPolicy::jittered(1, 0),
                                  entropy_),
        Phase::trying, now);
  handed_ = std::move(handed);
  tried_at_ = now;
}

void SeveralWait::stand(std::size_t place, Instant now) {
  const auto kind = std::make_shared<const QuorumKind>(kind_->of_one(place));
  const Duration waited = now - started_;
  const bool for_ever = request_.wait == Duration::max();
  WaitRequest request{request_.resources.all()[place],
                      for_ever ? request_.wait : request_.wait - waited, request_.retry_delay_ms,
                      request_.wall_ms + waited.count_ms(), waited};
  begin(std::make_unique<QueuedAcquire>(answer_times_, kind, std::move(request), memory_, entropy_),
        Phase::standing, now);
  place_ = place;
}

void SeveralWait::follow(Instant now) {
  const Outcome* const outcome = step_->outcome();
  const bool waits = phase_ == Phase::trying || phase_ == Phase::standing;
  if (!waits || outcome == nullptr) return;
  const bool granted = outcome->decision == Decision::granted;
  if (phase_ == Phase::standing) {
    if (!granted) return finish(step_->collect());
    handed_over_ = outcome->handed_over;
    return try_all(outcome->token, now);
  }
  if (granted) return finish(step_->collect());
  const bool was_handed = handed_.has_value();
  pass_on_what_was_handed(now);
  const bool in_vain =
      outcome->decision == Decision::foreign || trouble_.bars(quorum(), outcome->nodes, now);
  if (in_vain || is_over(now)) return finish(step_->collect());
  const std::size_t place = busiest(outcome->nodes, request_.resources.all().size());
  was_handed ? pause(place, now) : stand(place, now);
}

void SeveralWait::pause(std::size_t place, Instant now) {
  const Duration usual = (now - tried_at_) * (std::int64_t{2} << pauses_);
  const Duration longest = std::max(Duration::ms(request_.retry_delay_ms), kSeveralPauseMin);
  RetryPolicy policy;
  policy.pause_high = std::clamp(usual, kSeveralPauseMin, longest);
  const Instant end =
      request_.wait == Duration::max() ? Instant::never() : started_ + request_.wait;
  resume_at_ = std::min(now + policy.draw_pause(entropy_), end);
  pauses_ = std::min(pauses_ + 1, kSeveralDoublingsMax);
  place_ = place;
  phase_ = Phase::pausing;
}

// Also where the lines of a minority hand it over only now.
void SeveralWait::pass_on_what_was_handed(Instant now) {
  if (!handed_) return;
  const auto release = std::make_shared<const Command>(kind_->of_one(place_).release(*handed_));
  std::deque<Request> requests = requests_;
  ++latest_;
  for (std::size_t i = 0; i < answer_times_->size(); ++i) {
    requests.push_back({NodeIndex(i), latest_, release, now + (*answer_times_)[i], false});
  }
  requests_ = std::move(requests);
  handed_.reset();
}

void SeveralWait::finish(Outcome outcome) {
  outcome_ = std::move(outcome);
  outcome_->quorum = quorum();
  if (outcome_->decision == Decision::granted) outcome_->handed_over = handed_over_;
  phase_ = Phase::done;
}

void SeveralWait::abort(Instant now) {
  if (phase_ == Phase::done || !step_) return;
  const Outcome* const won = step_->outcome();
  // Where the next step could not begin.
  const bool handed = phase_ == Phase::standing && won != nullptr;
  if (handed && won->decision == Decision::granted) handed_ = won->token;
  step_->abort(now);
  pass_on_what_was_handed(now);
  Outcome outcome;
  outcome.decision = Decision::aborted;
  outcome.decided_at = now;
  finish(std::move(outcome));
}

Operation* SeveralWait::step_of(AttemptNumber attempt) {
  return phase_ != Phase::done && step_ && attempt > base_ ? step_.get() : nullptr;
}

void SeveralWait::on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) {
  Operation* const step = step_of(attempt);
  if (step == nullptr) return;
  step->on_reply(node, attempt - base_, std::move(reply), now);
  follow(now);
}

void SeveralWait::on_time(Instant now) {
  if (phase_ == Phase::done) return;
  if (phase_ == Phase::pausing) {
    if (now < resume_at_) return;
    return is_over(now) ? finish(step_->collect()) : stand(place_, now);
  }
  step_->on_time(now);
  follow(now);
}

void SeveralWait::on_suspicion(NodeIndex node, AttemptNumber attempt) {
  if (Operation* const step = step_of(attempt)) step->on_suspicion(node, attempt - base_);
}

void SeveralWait::on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) {
  if (Operation* const step = step_of(attempt)) step->on_delay(node, attempt - base_, connected_by);
}

bool SeveralWait::listens() const { return phase_ == Phase::standing && step_->listens(); }

void SeveralWait::on_subscription(NodeIndex node, const SubscriptionState& subscription_state,
                                  Instant now) {
  if (phase_ != Phase::standing) return;
  step_->on_subscription(node, subscription_state, now);
  follow(now);
}

bool SeveralWait::on_push(NodeIndex node, const Push& push, Instant now) {
  if (phase_ == Phase::standing) {
    const bool ours = step_->on_push(node, push, now);
    follow(now);
    return ours;
  }
  // What comes late of the line in which it stood: it is removed with the others.
  const bool goes_on = phase_ != Phase::done || outcome_->decision == Decision::granted;
  return goes_on && handed_ && push.token == *handed_;
}

std::vector<NodeReport> SeveralWait::outage() const {
  return phase_ == Phase::standing ? step_->outage() : std::vector<NodeReport>();
}

std::optional<Request> SeveralWait::next_of_step() {
  std::optional<Request> request = step_->next_request();
  if (!request) return request;
  request->attempt += base_;
  latest_ = std::max(latest_, request->attempt);
  return request;
}

std::optional<Request> SeveralWait::next_request() {
  if (!requests_.empty()) return take_first(requests_);
  return step_ ? next_of_step() : std::nullopt;
}

std::optional<Instant> SeveralWait::next_deadline() const {
  if (phase_ == Phase::fresh || phase_ == Phase::done) return std::nullopt;
  return phase_ == Phase::pausing ? resume_at_ : step_->next_deadline();
}

}  // namespace redlock
