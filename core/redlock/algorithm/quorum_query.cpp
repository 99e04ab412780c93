// The one-round machine.
#include "redlock/algorithm/quorum_query.hpp"

#include <algorithm>

#include "redlock/algorithm/invariant.hpp"

namespace redlock {

namespace {

std::size_t count(const Outcome& outcome, Answer answer) {
  return static_cast<std::size_t>(
      std::ranges::count_if(outcome.nodes, [answer](const NodeReport& report) {
        return report.answered && report.reply.answer == answer;
      }));
}
}  // namespace

bool proven_denied(const Outcome& outcome) {
  return outcome.quorum.fails_without(count(outcome, Answer::denied));
}

Decision taken_away(const Outcome& released) {
  if (proven_denied(released)) return Decision::denied;
  const std::size_t rid = count(released, Answer::denied) + count(released, Answer::granted);
  if (released.quorum.fails_without(rid)) return Decision::granted;
  return released.decision == Decision::aborted ? Decision::aborted : Decision::unreachable;
}

QuorumQuery::QuorumQuery(AnswerTimes answer_times, QuorumRule quorum, Command command,
                         LossDetail detail)
    : answer_times_(std::move(answer_times)),
      command_(std::make_shared<const Command>(std::move(command))),
      quorum_(quorum),
      detail_(detail) {}

void QuorumQuery::start(Instant now) {
  REDLOCK_INVARIANT(!round_);
  round_.emplace(answer_times_, quorum_, command_, kOnlyAttempt, now);
}

void QuorumQuery::on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) {
  if (outcome_ || !round_->on_reply(node, attempt, std::move(reply))) return;
  decide(now);
}

void QuorumQuery::on_time(Instant now) {
  if (outcome_) return;
  round_->on_time(now);
  decide(now);
}

void QuorumQuery::on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) {
  round_->on_delay(node, attempt, connected_by);
}

void QuorumQuery::abort(Instant now) {
  if (!outcome_) finish(Decision::aborted, now);
}

void QuorumQuery::decide(Instant now) {
  if (detail_ == LossDetail::each && !round_->complete()) return;
  if (round_->grants() == Verdict::won) return finish(Decision::granted, now);
  if (round_->grants() == Verdict::pending) return;
  if (round_->possession() == Verdict::lost) return finish(Decision::denied, now);
  // Those who are silent yet may prove it.
  if (detail_ == LossDetail::reason && round_->possession() == Verdict::pending) return;
  if (round_->reach() == Verdict::lost) return finish(Decision::unreachable, now);
  if (round_->reach() == Verdict::won || detail_ == LossDetail::none) {
    finish(Decision::denied, now);
  }
}

void QuorumQuery::finish(Decision decision, Instant now) {
  Outcome outcome;
  outcome.decision = decision;
  outcome.decided_at = now;
  outcome.quorum = quorum_;
  if (round_) outcome.nodes = round_->reports();
  if (decision == Decision::granted) complete_grant(outcome, round_->start());
  outcome_ = std::move(outcome);
}

// A question that is already decided need not reach the nodes that have not been asked, but a
// release must: its command is handed out to all of them either way.
std::optional<Request> QuorumQuery::next_request() {
  if (!round_) return std::nullopt;
  return round_->next_request();
}

std::optional<Instant> QuorumQuery::next_deadline() const {
  if (outcome_ || !round_) return std::nullopt;
  return round_->next_deadline();
}

const Outcome* QuorumQuery::outcome() const { return outcome_ ? &*outcome_ : nullptr; }

QuorumQuery::Snapshot QuorumQuery::snapshot() const {
  if (!round_) return {std::nullopt, outcome_};
  return {round_->snapshot(), outcome_};
}

}  // namespace redlock
