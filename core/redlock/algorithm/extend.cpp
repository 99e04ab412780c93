// The validity of an extended lock.
#include "redlock/algorithm/extend.hpp"

namespace redlock {

Extend::Extend(const AnswerTimes& answer_times, std::shared_ptr<const LockKind> kind, Token proof,
               LossDetail detail)
    : QuorumQuery(answer_times, kind->quorum(answer_times->size()), kind->extend(proof).value(),
                  detail),
      kind_(std::move(kind)),
      proof_(std::move(proof)),
      hears_each_(detail == LossDetail::each) {}

void Extend::on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) {
  if (!hears_each_) QuorumQuery::on_delay(node, attempt, connected_by);
}

void Extend::complete_grant(Outcome& outcome, Instant started) {
  outcome.token = proof_;
  outcome.validity = kind_->validity(outcome.decided_at - started);
  // The answers took longer than the lock would live: nothing to hand out.
  if (outcome.validity <= Duration()) outcome.decision = Decision::expired_in_flight;
}

}  // namespace redlock
