// When a spared server is needed after all.
#include "redlock/runtime/spared.hpp"

#include <algorithm>
#include <utility>

namespace redlock {

void Spared::enter(AttemptNumber attempt) {
  if (attempt == attempt_) return;
  attempt_ = attempt;
  asked_ = answered_ = failed_ = 0;
  kept_.clear();
  ask_at_ = Instant::never();
}

void Spared::note_asked(AttemptNumber attempt) {
  enter(attempt);
  ++asked_;
}

void Spared::keep(Request request, Instant now) {
  enter(request.attempt);
  const std::int64_t left_ns = (request.answer_by - now).count_ns();
  ask_at_ = std::min(ask_at_, now + Duration::ns(left_ns / kSparedOneIn));
  kept_.push_back(std::move(request));
}

void Spared::note_reply(AttemptNumber attempt, const Reply& reply) {
  if (attempt != attempt_) return;
  ++(reply.answer == Answer::unknown ? failed_ : answered_);
}

Spared::Advice Spared::advise(std::size_t majority, Instant now) const {
  if (kept_.empty()) return Advice::wait;
  if (answered_ >= majority) return Advice::leave;
  const bool too_few = asked_ < majority + failed_;
  return too_few || now >= ask_at_ ? Advice::ask : Advice::wait;
}

std::optional<Instant> Spared::next_deadline() const {
  if (kept_.empty()) return std::nullopt;
  return ask_at_;
}

std::vector<Request> Spared::release() {
  ask_at_ = Instant::never();
  return std::exchange(kept_, {});
}

}  // namespace redlock
