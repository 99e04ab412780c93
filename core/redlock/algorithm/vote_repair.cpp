// The repairing machine.
#include "redlock/algorithm/vote_repair.hpp"

#include <algorithm>

#include "redlock/algorithm/invariant.hpp"

namespace redlock {

VoteRepair::VoteRepair(AnswerTimes answer_times, const LockKind& kind, const Token& proof,
                       std::vector<NodeIndex> nodes)
    : answer_times_(std::move(answer_times)),
      quorum_(kind.quorum(answer_times_->size())),
      acquire_(std::make_shared<const Command>(kind.acquire(proof))),
      nodes_(std::move(nodes)),
      reports_(answer_times_->size()) {
  REDLOCK_INVARIANT(!nodes_.empty());
}

void VoteRepair::start(Instant now) {
  end_ = now;
  for (const NodeIndex node : nodes_) {
    const Instant answer_by = now + (*answer_times_)[node.value()];
    end_ = std::max(end_, answer_by);
    requests_.push_back(Request{node, kOnlyAttempt, acquire_, answer_by});
  }
}

bool VoteRepair::may_stand(NodeIndex node) const {
  const NodeReport& report = reports_[node.value()];
  return !report.answered || may_have_been_done(report.reply);
}

void VoteRepair::on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) {
  if (outcome_ || attempt != kOnlyAttempt || std::ranges::find(nodes_, node) == nodes_.end())
    return;
  NodeReport& report = reports_[node.value()];
  if (report.answered) return;
  report = {true, std::move(reply)};
  ++answered_;
  if (answered_ == nodes_.size()) on_time(end_ = now);
}

void VoteRepair::on_time(Instant now) {
  if (outcome_ || now < end_) return;
  const bool any = std::ranges::any_of(nodes_, [this](NodeIndex node) { return may_stand(node); });
  finish(any ? Decision::granted : Decision::denied, now);
}

void VoteRepair::abort(Instant now) {
  if (outcome_) return;
  requests_.clear();
  finish(Decision::aborted, now);
}

void VoteRepair::finish(Decision decision, Instant now) {
  Outcome outcome;
  outcome.decision = decision;
  outcome.decided_at = now;
  outcome.quorum = quorum_;
  outcome.nodes = reports_;
  outcome_ = std::move(outcome);
}

std::optional<Request> VoteRepair::next_request() {
  if (requests_.empty()) return std::nullopt;
  Request request = std::move(requests_.back());
  requests_.pop_back();
  return request;
}

std::optional<Instant> VoteRepair::next_deadline() const {
  if (outcome_) return std::nullopt;
  return end_;
}

const Outcome* VoteRepair::outcome() const { return outcome_ ? &*outcome_ : nullptr; }

}  // namespace redlock
