// Bookkeeping of one round of requests.
#include "redlock/algorithm/round.hpp"

namespace redlock {

Round::Round(AnswerTimes answer_times, QuorumRule quorum, std::shared_ptr<const Command> command,
             AttemptNumber attempt, Instant start)
    : answer_times_(std::move(answer_times)),
      command_(std::move(command)),
      attempt_(attempt),
      start_(start),
      grants_(quorum.node_count(), quorum.grants()),
      reach_(quorum.node_count(), quorum.grants()),
      denials_(quorum.node_count(), quorum.denials()),
      undenied_(quorum.node_count(), quorum.grants()),
      reports_(answer_times_->size()) {
  for (std::size_t i = 0; i < answer_times_->size(); ++i) {
    answer_by_[i] = start + (*answer_times_)[i];
  }
}

std::optional<Request> Round::next_request() {
  if (asked_count_ == answer_times_->size()) return std::nullopt;
  const NodeIndex node(asked_count_);
  ++asked_count_;
  return Request{node, attempt_, command_, answer_by_[node.value()]};
}

bool Round::on_reply(NodeIndex node, AttemptNumber attempt, Reply reply) {
  if (attempt != attempt_ || node.value() >= asked_count_ || grants_.has_voted(node)) return false;
  record(node, std::move(reply));
  return true;
}

void Round::on_suspicion(NodeIndex node, AttemptNumber attempt) {
  if (attempt == attempt_ && node.value() < asked_count_) suspected_.set(node.value());
}

void Round::on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) {
  if (attempt != attempt_ || node.value() >= asked_count_) return;
  Instant& answer_by = answer_by_[node.value()];
  answer_by = std::max(answer_by, connected_by + (*answer_times_)[node.value()]);
}

Verdict Round::grants() const {
  const Verdict verdict = grants_.verdict();
  if (verdict != Verdict::pending || reach_.verdict() != Verdict::won) return verdict;
  return grants_.verdict_without(suspected_);
}

void Round::on_time(Instant now) {
  for (std::size_t i = 0; i < answer_times_->size(); ++i) {
    if (grants_.has_voted(NodeIndex(i)) || now < answer_by_[i]) continue;
    const Fault fault = i < asked_count_ ? Fault::timeout : Fault::bound;
    record(NodeIndex(i), Reply::unknown(fault, "no answer in time"));
  }
}

void Round::record(NodeIndex node, Reply reply) {
  if (reply.answer == Answer::granted) latest_grant_ = node;
  grants_.record(node, reply.answer == Answer::granted ? Vote::yes : Vote::no);
  reach_.record(node, reply.answer == Answer::unknown ? Vote::no : Vote::yes);
  denials_.record(node, reply.answer == Answer::denied ? Vote::yes : Vote::no);
  undenied_.record(node, reply.answer == Answer::denied ? Vote::no : Vote::yes);
  foreign_ = foreign_ || reply.fault == Fault::foreign;
  reports_[node.value()] = NodeReport{true, std::move(reply)};
}

const ReplyPayload& Round::granted_payload() const {
  static const ReplyPayload kNone;
  return latest_grant_ ? reports_[latest_grant_->value()].reply.payload : kNone;
}

std::optional<Instant> Round::next_deadline() const {
  std::optional<Instant> earliest;
  for (std::size_t i = 0; i < answer_times_->size(); ++i) {
    if (grants_.has_voted(NodeIndex(i))) continue;
    if (!earliest || answer_by_[i] < *earliest) earliest = answer_by_[i];
  }
  return earliest;
}

bool Round::may_hold(NodeIndex node) const {
  if (node.value() >= asked_count_) return false;
  const NodeReport& report = reports_[node.value()];
  return !report.answered || may_have_been_done(report.reply);
}

Round::Snapshot Round::snapshot() const {
  std::vector<std::optional<Instant>> answer_by(reports_.size());
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    if (!grants_.has_voted(NodeIndex(i))) answer_by[i] = answer_by_[i];
  }
  return {*command_, attempt_, start_,     asked_count_, std::move(answer_by), grants_,
          reach_,    denials_, suspected_, reports_,     granted_payload(),    foreign_};
}

}  // namespace redlock
