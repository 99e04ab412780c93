// The machine that waits in line.
#include "redlock/queue/queued_acquire.hpp"

#include <algorithm>

#include "redlock/algorithm/invariant.hpp"
#include "redlock/queue/left_requests.hpp"

namespace redlock {

QueuedAcquire::QueuedAcquire(AnswerTimes answer_times, std::shared_ptr<const LockKind> kind,
                             WaitRequest request, std::shared_ptr<LineMemory> memory,
                             Entropy& entropy)
    : answer_times_(std::move(answer_times)),
      kind_(std::move(kind)),
      request_(std::move(request)),
      memory_(std::move(memory)),
      entropy_(entropy) {}

void QueuedAcquire::start(Instant now) {
  REDLOCK_INVARIANT(phase_ == Phase::fresh);
  started_ = now;
  // In less than an answer's time there may be nobody yet who could be heard.
  const bool waits = request_.wait > longest_answer_time();
  if (waits && memory_->waited_lately(request_.resources, now)) return begin_standing(now);
  first_.emplace(answer_times_, kind_, RetryPolicy::jittered(1, 0), entropy_);
  first_->start(now);
  phase_ = Phase::asking;
}

Acquire* QueuedAcquire::plain() {
  if (phase_ == Phase::asking) return &*first_;
  return phase_ == Phase::polling ? &*polling_ : nullptr;
}

std::vector<NodeReport> QueuedAcquire::outage() const {
  if (phase_ == Phase::polling) return polling_->outage();
  return phase_ == Phase::standing && cut_off() ? reports() : std::vector<NodeReport>();
}

void QueuedAcquire::follow_plain(Instant now) {
  const Outcome* const outcome = plain()->outcome();
  if (outcome == nullptr) return;
  const bool final = outcome->decision == Decision::granted ||
                     outcome->decision == Decision::foreign || phase_ == Phase::polling ||
                     trouble_.bars(quorum(), outcome->nodes, now);
  if (!final && now < wait_end()) return begin_standing(now);
  Outcome collected = plain()->collect();
  collected.line = std::move(refusals_);
  finish(std::move(collected));
}

// What may throw comes first: then there is no wait in line, and nothing to undo.
void QueuedAcquire::begin_standing(Instant now) {
  Token token = kind_->fresh_token(entropy_);
  const Duration stale_after = Duration::ns(kind_->validity(Duration()).count_ns() / 4);
  std::vector<NodeQueueState> nodes;
  for (std::size_t i = 0; i < answer_times_->size(); ++i) {
    nodes.emplace_back(stale_after, first_ ? first_->outcome()->nodes[i] : NodeReport(),
                       request_.confirms);
  }
  memory_->note_waited(request_.resources, now);
  if (first_) attempt_ = 1;
  token_ = std::move(token);
  nodes_ = std::move(nodes);
  ticket_ = request_.wall_ms + (memory_->clock_offset() - request_.waited).count_ms();
  phase_ = Phase::standing;
}

void QueuedAcquire::on_subscription(NodeIndex node, const SubscriptionState& subscription_state,
                                    Instant now) {
  if (phase_ != Phase::standing) return;
  nodes_[node.value()].on_subscription(subscription_state, now);
  review(now);
}

bool QueuedAcquire::on_push(NodeIndex node, const Push& push, Instant now) {
  if (push.token != token_) return false;
  // The lock that was won this way may still be given up, but not by us.
  if (phase_ == Phase::done) return outcome_->decision == Decision::granted;
  if (phase_ != Phase::standing) return false;
  nodes_[node.value()].on_push(push, now);
  review(now);
  return true;
}

void QueuedAcquire::on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) {
  if (phase_ == Phase::standing) {
    NodeQueueState& asked = nodes_[node.value()];
    if (asked.awaits(attempt)) round_trip_ = now - asked.joined_at();
    asked.on_reply(attempt, reply, now);
    return review(now);
  }
  if (phase_ == Phase::done || attempt <= polling_base_) return;
  plain()->on_reply(node, attempt - polling_base_, std::move(reply), now);
  follow_plain(now);
}

void QueuedAcquire::on_suspicion(NodeIndex node, AttemptNumber attempt) {
  Acquire* const asked = plain();
  if (asked != nullptr && attempt > polling_base_)
    asked->on_suspicion(node, attempt - polling_base_);
}

void QueuedAcquire::on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) {
  if (phase_ == Phase::standing) {
    const Duration answer_time = (*answer_times_)[node.value()];
    return nodes_[node.value()].on_delay(attempt, connected_by + answer_time);
  }
  Acquire* const asked = plain();
  if (asked == nullptr || attempt <= polling_base_) return;
  asked->on_delay(node, attempt - polling_base_, connected_by);
}

void QueuedAcquire::on_time(Instant now) {
  if (phase_ == Phase::done) return;
  if (Acquire* const asked = plain()) {
    asked->on_time(now);
    return follow_plain(now);
  }
  for (NodeQueueState& node : nodes_) node.on_time(now);
  review(now);
}

void QueuedAcquire::poll(Instant now) {
  refusals_ = reports();
  queue_passes(now);
  // Behind the joins' numbers, also that of the passes.
  polling_base_ = ++attempt_;
  const Duration left = std::max(wait_end() - now, Duration());
  polling_.emplace(answer_times_, kind_, RetryPolicy::waiting(left, request_.retry_delay_ms),
                   entropy_, trouble_);
  polling_->start(now);
  phase_ = Phase::polling;
}

void QueuedAcquire::leave(Instant now) {
  for (NodeQueueState& node : nodes_) node.tell_shortage();
  if (answered() < quorum().grants()) return finish(Decision::unreachable, now);
  // A majority of votes that was not enough is one that came too late.
  const bool late = count(&NodeQueueState::voted) >= quorum().grants();
  finish(late ? Decision::expired_in_flight : Decision::denied, now);
}

void QueuedAcquire::abort(Instant now) {
  if (phase_ == Phase::done) return;
  if (Acquire* const asked = plain()) asked->abort(now);
  finish(Decision::aborted, now);
}

Duration QueuedAcquire::longest_answer_time() const { return std::ranges::max(*answer_times_); }

Instant QueuedAcquire::last_answers_by() const { return wait_end() + longest_answer_time(); }

std::size_t QueuedAcquire::count(bool (NodeQueueState::*has)() const) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(nodes_, [has](const NodeQueueState& node) { return (node.*has)(); }));
}

std::size_t QueuedAcquire::answered() const {
  return static_cast<std::size_t>(std::ranges::count_if(nodes_, [](const NodeQueueState& node) {
    return node.report().answered && node.report().reply.answer != Answer::unknown;
  }));
}

std::vector<NodeReport> QueuedAcquire::reports() const {
  std::vector<NodeReport> reports;
  for (const NodeQueueState& node : nodes_) reports.push_back(node.report());
  return reports;
}

void QueuedAcquire::queue_passes(Instant now) {
  const auto pass = std::make_shared<const Command>(kind_->release(token_));
  // A join that was not handed out yet is of no use any more.
  std::erase_if(requests_, [](const Request& request) { return request.wants_answer; });
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].may_hold()) continue;
    requests_.push_back({NodeIndex(i), attempt_ + 1, pass, now + (*answer_times_)[i], false});
  }
}

void QueuedAcquire::finish(Decision decision, Instant now) {
  Outcome outcome;
  outcome.decision = decision;
  outcome.decided_at = now;
  outcome.quorum = quorum();
  outcome.nodes = reports();
  if (decision == Decision::granted) {
    outcome.token = kind_->proof(token_, {});
    outcome.validity = validity(now);
    outcome.gone_by = now + kind_->life_max();
    outcome.handed_over = count(&NodeQueueState::was_told) > 0;
  } else if (phase_ == Phase::standing) {
    queue_passes(now);
  }
  finish(std::move(outcome));
}

void QueuedAcquire::finish(Outcome outcome) {
  outcome_ = std::move(outcome);
  phase_ = Phase::done;
}

std::optional<Request> QueuedAcquire::next_request() {
  // What undoes the first attempt goes before the joins.
  std::optional<Request> request = first_ ? first_->next_request() : std::nullopt;
  if (request) return request;
  if (!requests_.empty()) return take_first(requests_);
  if (polling_) request = polling_->next_request();
  if (request) request->attempt += polling_base_;
  return request;
}

std::optional<Instant> QueuedAcquire::next_deadline() const {
  if (phase_ == Phase::fresh || phase_ == Phase::done) return std::nullopt;
  if (phase_ == Phase::asking) return first_->next_deadline();
  if (phase_ == Phase::polling) return polling_->next_deadline();
  Instant earliest =
      ended_ ? last_answers_by() : std::min({offers_.next_at(), too_few_at_, wait_end()});
  for (const NodeQueueState& node : nodes_) {
    earliest = std::min(earliest, ended_ ? node.answer_by() : node.next_deadline());
  }
  return earliest;
}

const Outcome* QueuedAcquire::outcome() const { return outcome_ ? &*outcome_ : nullptr; }

}  // namespace redlock
