// The shortening machine.
#include "redlock/algorithm/token_rotation.hpp"

#include <algorithm>
#include <utility>

#include "redlock/algorithm/invariant.hpp"

namespace redlock {

TokenRotation::TokenRotation(AnswerTimes answer_times, std::shared_ptr<const LockKind> kind,
                             const Token& held, Token fresh, NoteLoss note_loss)
    : answer_times_(std::move(answer_times)),
      kind_(std::move(kind)),
      swap_(std::make_shared<const Command>(kind_->rotate(held, fresh).value())),
      forget_held_(kind_->release(held)),
      forget_fresh_(kind_->release(fresh)),
      fresh_(std::move(fresh)),
      note_loss_(std::move(note_loss)) {}

void TokenRotation::start(Instant now) {
  REDLOCK_INVARIANT(!round_);
  // So that what undoes it needs less memory.
  removals_.reserve(2 * answer_times_->size());
  round_.emplace(answer_times_, quorum(), swap_, kOnlyAttempt, now);
}

void TokenRotation::on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) {
  if (outcome_ || !round_->on_reply(node, attempt, std::move(reply))) return;
  decide(now);
}

void TokenRotation::on_time(Instant now) {
  if (outcome_) return;
  round_->on_time(now);
  decide(now);
}

void TokenRotation::on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) {
  round_->on_delay(node, attempt, connected_by);
}

void TokenRotation::abort(Instant now) {
  if (!outcome_) finish(Decision::aborted, now);
}

Instant TokenRotation::stragglers_until() const {
  const Duration longest = std::min(std::ranges::max(*answer_times_), kind_->validity(Duration()));
  return round_->start() + Duration::ns(longest.count_ns() / kStragglersOneIn);
}

void TokenRotation::decide(Instant now) {
  if (round_->grants() == Verdict::won) {
    // The caller may have stood still since then, and extended it meanwhile.
    if (!won_at_) won_at_ = now;
    const bool in_time = kind_->validity(*won_at_ - round_->start()) > Duration();
    if (in_time && !round_->complete() && now < stragglers_until()) return;
    return finish(in_time ? Decision::granted : Decision::expired_in_flight, now);
  }
  if (round_->grants() == Verdict::pending) return;
  if (round_->reach() == Verdict::lost) return finish(Decision::unreachable, now);
  if (round_->reach() == Verdict::won) finish(Decision::denied, now);
}

void TokenRotation::queue(const Command& removal, Where where, Instant now) {
  const auto shared = std::make_shared<const Command>(removal);
  for (std::size_t i = 0; i < answer_times_->size(); ++i) {
    const NodeReport* const report = round_ ? &round_->reports()[i] : nullptr;
    const bool confirmed =
        report != nullptr && report->answered && report->reply.answer == Answer::granted;
    if (where == Where::unconfirmed && confirmed) continue;
    // Like a release that is not waited for: it opens a connection where there is none.
    removals_.push_back(Request{NodeIndex(i), kOnlyAttempt, shared, now + (*answer_times_)[i]});
  }
}

// Of both the old token goes first, which is queued last: a swap that comes late, in between, finds
// none.
void TokenRotation::finish(Decision decision, Instant now) {
  const bool granted = decision == Decision::granted;
  const bool denied = round_ && round_->denials() == Verdict::won;
  const bool lost = !granted && note_loss_(denied ? Loss::denied : Loss::silence);
  removals_.clear();
  if (lost) queue(forget_fresh_, Where::everywhere, now);
  if (lost || granted) queue(forget_held_, lost ? Where::everywhere : Where::unconfirmed, now);
  Outcome outcome;
  outcome.decision = decision;
  outcome.decided_at = now;
  outcome.quorum = quorum();
  if (round_) outcome.nodes = round_->reports();
  if (granted) {
    outcome.token = fresh_;
    outcome.validity = kind_->validity(now - round_->start());
  }
  outcome_ = std::move(outcome);
}

std::optional<Request> TokenRotation::next_request() {
  if (outcome_) {
    if (removals_.empty()) return std::nullopt;
    Request request = std::move(removals_.back());
    removals_.pop_back();
    return request;
  }
  if (!round_) return std::nullopt;
  return round_->next_request();
}

std::optional<Instant> TokenRotation::next_deadline() const {
  if (outcome_ || !round_) return std::nullopt;
  const std::optional<Instant> deadline = round_->next_deadline();
  if (!deadline || round_->grants() != Verdict::won) return deadline;
  return std::min(*deadline, stragglers_until());
}

const Outcome* TokenRotation::outcome() const { return outcome_ ? &*outcome_ : nullptr; }

}  // namespace redlock
