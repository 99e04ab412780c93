// The acquiring machine.
#include "redlock/algorithm/acquire.hpp"

#include <algorithm>

#include "redlock/algorithm/invariant.hpp"

namespace redlock {

Acquire::Acquire(AnswerTimes answer_times, std::shared_ptr<const LockKind> kind, RetryPolicy retry,
                 Entropy& entropy, PermanentTrouble trouble)
    : answer_times_(std::move(answer_times)),
      kind_(std::move(kind)),
      retry_(retry),
      entropy_(entropy),
      trouble_(trouble) {}

void Acquire::start(Instant now) {
  REDLOCK_INVARIANT(phase_ == Phase::fresh);
  started_ = now;
  begin_attempt(now);
}

void Acquire::begin_attempt(Instant now) {
  // All that may throw comes first: there is no attempt without its token and round.
  Token token = kind_->fresh_token(entropy_);
  Round round(answer_times_, quorum(), std::make_shared<const Command>(kind_->acquire(token)),
              attempt_ + 1, now);
  ++attempt_;
  token_ = std::move(token);
  round_ = std::move(round);
  phase_ = Phase::voting;
}

void Acquire::on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) {
  const bool listens =
      phase_ == Phase::voting || phase_ == Phase::settling || phase_ == Phase::pausing;
  if (!listens || !round_->on_reply(node, attempt, std::move(reply))) return;
  if (phase_ != Phase::pausing) return decide(now);
  if (is_in_vain(now)) settle(now);
}

void Acquire::on_time(Instant now) {
  if (phase_ == Phase::done) return;
  if (phase_ == Phase::pausing) {
    if (now >= resume_at_) begin_attempt(now);
    return;
  }
  round_->on_time(now);
  decide(now);
}

void Acquire::on_suspicion(NodeIndex node, AttemptNumber attempt) {
  round_->on_suspicion(node, attempt);
}

void Acquire::on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) {
  round_->on_delay(node, attempt, connected_by);
}

void Acquire::abort(Instant now) {
  if (phase_ == Phase::done) return;
  if (phase_ == Phase::voting) queue_undo(now);
  finish(Decision::aborted, now);
}

void Acquire::decide(Instant now) {
  if (phase_ == Phase::settling) return settle(now);
  const Verdict verdict = round_->grants();
  if (verdict == Verdict::pending) return;
  if (verdict == Verdict::won && kind_->validity(now - round_->start()) > Duration()) {
    return finish(Decision::granted, now);
  }
  late_ = verdict == Verdict::won;
  fail_attempt(now);
}

void Acquire::fail_attempt(Instant now) {
  queue_undo(now);
  phase_ = Phase::settling;
  // Asking again would find the same value there.
  if (last_attempt(now) || round_->foreign() || is_in_vain(now)) return settle(now);
  resume_at_ = std::min(now + draw_pause(), wait_end());
  phase_ = Phase::pausing;
}

bool Acquire::is_in_vain(Instant now) {
  if (!retry_.gives_up) return false;
  if (round_->reach() == Verdict::lost) outage_ = round_->reports();
  if (round_->reach() == Verdict::won) outage_.clear();
  return trouble_.bars(quorum(), round_->reports(), now);
}

Duration Acquire::draw_pause() {
  const bool is_last = attempt_ + 1 >= retry_.attempts_max;
  const Duration shift = is_last ? Duration() : retry_.draw_shift(entropy_);
  const Duration pause = retry_.draw_pause(entropy_) + (shift - shift_);
  shift_ = shift;
  return pause;
}

void Acquire::settle(Instant now) {
  if (round_->foreign()) return finish(Decision::foreign, now);
  if (late_) return finish(Decision::expired_in_flight, now);
  if (round_->reach() == Verdict::lost) return finish(Decision::unreachable, now);
  if (round_->reach() == Verdict::pending) return;
  const bool denied = round_->denials() == Verdict::won;
  finish(denied ? Decision::denied : Decision::split, now);
}

void Acquire::queue_undo(Instant now) {
  const auto command = std::make_shared<const Command>(undo_of(kind_->acquire(token_)).value());
  for (std::size_t i = answer_times_->size(); i-- > 0;) {
    const NodeIndex node(i);
    if (round_->may_hold(node)) {
      undo_.push_back(Request{node, attempt_, command, now + (*answer_times_)[i], false});
    }
  }
}

void Acquire::finish(Decision decision, Instant now) {
  Outcome outcome;
  outcome.decision = decision;
  outcome.decided_at = now;
  outcome.quorum = quorum();
  if (round_) outcome.nodes = round_->reports();
  if (decision == Decision::granted) {
    outcome.token = kind_->proof(token_, round_->granted_payload());
    outcome.validity = kind_->validity(now - round_->start());
    outcome.gone_by = now + kind_->life_max();
  }
  outcome_ = std::move(outcome);
  phase_ = Phase::done;
}

std::optional<Request> Acquire::next_request() {
  if (!undo_.empty()) {
    Request request = std::move(undo_.back());
    undo_.pop_back();
    return request;
  }
  const bool granted = outcome_ && outcome_->decision == Decision::granted;
  if (phase_ != Phase::voting && !granted) return std::nullopt;
  return round_->next_request();
}

std::optional<Instant> Acquire::next_deadline() const {
  if (phase_ == Phase::fresh || phase_ == Phase::done) return std::nullopt;
  return phase_ == Phase::pausing ? resume_at_ : round_->next_deadline();
}

const Outcome* Acquire::outcome() const { return outcome_ ? &*outcome_ : nullptr; }

Acquire::Snapshot Acquire::snapshot() const {
  Snapshot now{phase_, attempt_, token_, std::nullopt, late_, std::nullopt, undo_.size(), outcome_};
  if (round_) now.round = round_->snapshot();
  if (phase_ == Phase::pausing) now.resume_at = resume_at_;
  return now;
}

}  // namespace redlock
