// The validity of an extended lock.
#include "redlock/algorithm/extend.hpp"

#include "redlock/algorithm/validity.hpp"

namespace redlock {

Extend::Extend(AnswerTimes answer_times, ExtendIfEqual command, double drift_factor)
    : Inquiry(std::move(answer_times), command, LossDetail::reason),
      token_(command.token),
      ttl_(command.ttl),
      drift_factor_(drift_factor) {}

void Extend::complete_grant(Outcome& outcome, Instant started) {
  outcome.token = token_;
  outcome.validity = validity_of(ttl_, outcome.decided_at - started, drift_factor_);
  // The answers took longer than the lock would live: nothing to hand out.
  if (outcome.validity <= Duration()) outcome.decision = Decision::late;
}

}  // namespace redlock
