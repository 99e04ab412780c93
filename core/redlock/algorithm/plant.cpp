// The planting machine.
#include "redlock/algorithm/plant.hpp"

#include <algorithm>

#include "redlock/algorithm/invariant.hpp"

namespace redlock {

namespace {
constexpr AttemptNumber kOnlyAttempt = 1;
}

Plant::Plant(AnswerTimes answer_times, Command take, std::vector<NodeIndex> nodes)
    : answer_times_(std::move(answer_times)),
      take_(std::make_shared<const Command>(std::move(take))),
      nodes_(std::move(nodes)),
      reports_(answer_times_->size()) {
  REDLOCK_INVARIANT(!nodes_.empty());
}

void Plant::start(Instant now) {
  end_ = now;
  for (const NodeIndex node : nodes_) {
    end_ = std::max(end_, now + (*answer_times_)[node.value()]);
  }
  ask_all(take_, now, true);
}

void Plant::ask_all(const std::shared_ptr<const Command>& command, Instant now, bool wants_answer) {
  std::vector<Request> requests;
  for (const NodeIndex node : nodes_) {
    requests.push_back(
        Request{node, kOnlyAttempt, command, now + (*answer_times_)[node.value()], wants_answer});
  }
  requests_ = std::move(requests);
}

void Plant::take_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) {
  if (outcome_ || attempt != kOnlyAttempt || std::ranges::find(nodes_, node) == nodes_.end())
    return;
  NodeReport& report = reports_[node.value()];
  if (report.answered) return;
  report = {true, std::move(reply)};
  ++answered_;
  if (answered_ == nodes_.size()) take_time(end_ = now);
}

void Plant::take_time(Instant now) {
  if (outcome_ || now < end_) return;
  const bool any = std::ranges::any_of(reports_, [](const NodeReport& report) {
    return report.answered && report.reply.answer == Answer::granted;
  });
  finish(any ? Decision::granted : Decision::denied, now);
}

void Plant::abort(Instant now) {
  if (outcome_) return;
  ask_all(std::make_shared<const Command>(undo_of(*take_).value()), now, false);
  finish(Decision::aborted, now);
}

void Plant::finish(Decision decision, Instant now) {
  Outcome outcome;
  outcome.decision = decision;
  outcome.decided_at = now;
  outcome.nodes = reports_;
  outcome_ = std::move(outcome);
}

std::optional<Request> Plant::next_request() {
  if (requests_.empty()) return std::nullopt;
  Request request = std::move(requests_.back());
  requests_.pop_back();
  return request;
}

std::optional<Instant> Plant::next_deadline() const {
  if (outcome_) return std::nullopt;
  return end_;
}

const Outcome* Plant::outcome() const { return outcome_ ? &*outcome_ : nullptr; }

}  // namespace redlock
