// When a hedged server is needed after all.
#include "redlock/net/hedged_requests.hpp"

#include <algorithm>

namespace redlock {

void HedgedRequests::enter(AttemptNumber attempt) {
  if (attempt == attempt_) return;
  attempt_ = attempt;
  asked_ = granted_ = denied_ = failed_ = 0;
  deferred_.clear();
  ask_at_ = Instant::never();
}

void HedgedRequests::note_asked(AttemptNumber attempt) {
  enter(attempt);
  ++asked_;
}

void HedgedRequests::defer(const Request& request, Instant now) {
  enter(request.attempt);
  deferred_.push_back(request);
  const std::int64_t left_ns = (request.answer_by - now).count_ns();
  ask_at_ = std::min(ask_at_, now + Duration::ns(left_ns / kHedgedOneIn));
}

void HedgedRequests::note_reply(AttemptNumber attempt, const Reply& reply) noexcept {
  if (attempt != attempt_) return;
  switch (reply.answer) {
    case Answer::granted:
      ++granted_;
      break;
    case Answer::denied:
      ++denied_;
      break;
    case Answer::unknown:
      ++failed_;
      break;
  }
}

bool HedgedRequests::may_decide(std::size_t majority) const {
  const std::size_t nodes = asked_ + deferred_.size();
  const bool open = granted_ < majority && denied_ + majority <= nodes;
  return open && !traits_of(*deferred_.front().command).is_retried();
}

HedgedRequests::Advice HedgedRequests::advise(std::size_t majority, Instant now) const {
  // Of those that were asked; denials count only then, or every lock that is held would bring the
  // hedged a question.
  std::size_t lost = failed_;
  if (granted_ + denied_ >= majority) {
    if (!may_decide(majority)) return Advice::leave;
    lost += denied_;
  }
  const bool too_few = asked_ < majority + lost;
  return too_few || now >= ask_at_ ? Advice::ask : Advice::wait;
}

std::optional<Instant> HedgedRequests::next_deadline() const {
  if (deferred_.empty()) return std::nullopt;
  return ask_at_;
}

bool HedgedRequests::drop(const Request& undo) {
  if (undo.attempt != attempt_) return false;
  const auto undone = [&](const Request& deferred) {
    return deferred.node == undo.node && lock_name(*deferred.command) == lock_name(*undo.command);
  };
  return std::erase_if(deferred_, undone) > 0;
}

}  // namespace redlock
