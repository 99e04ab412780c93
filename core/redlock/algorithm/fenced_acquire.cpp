// The machine that acquires a lock with a fence.
#include "redlock/algorithm/fenced_acquire.hpp"

#include <algorithm>

#include "redlock/algorithm/invariant.hpp"

namespace redlock {

namespace {

// Behind the numbers of all attempts to acquire.
constexpr AttemptNumber kRaises = AttemptNumber{1} << 48;

// So many say that the lock is not ours.
std::size_t strangers(const std::vector<NodeReport>& nodes) {
  return static_cast<std::size_t>(std::ranges::count_if(nodes, [](const NodeReport& node) {
    return node.reply.answer == Answer::denied && node.reply.said<FenceVote>() == nullptr;
  }));
}

// A server has recorded a larger one for another client.
bool contested(const std::vector<NodeReport>& nodes) {
  return std::ranges::any_of(nodes, [](const NodeReport& node) {
    return node.reply.answer == Answer::denied && node.reply.said<FenceVote>() != nullptr;
  });
}

}  // namespace

FencedAcquire::FencedAcquire(AnswerTimes answer_times, std::shared_ptr<const LockKind> kind,
                             const FenceProposals& proposals, std::unique_ptr<Operation> acquire)
    : answer_times_(std::move(answer_times)),
      kind_(std::move(kind)),
      proposals_(proposals),
      acquire_(std::move(acquire)) {}

void FencedAcquire::start(Instant now) {
  acquire_->start(now);
  follow_acquire(now);
}

void FencedAcquire::on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) {
  if (outcome_) return;
  if (attempt < kRaises) {
    acquire_->on_reply(node, attempt, std::move(reply), now);
    return follow_acquire(now);
  }
  if (round_ && round_->on_reply(node, attempt, std::move(reply))) follow_raise(now);
}

void FencedAcquire::on_time(Instant now) {
  if (outcome_) return;
  if (!round_) {
    acquire_->on_time(now);
    return follow_acquire(now);
  }
  round_->on_time(now);
  follow_raise(now);
}

void FencedAcquire::on_suspicion(NodeIndex node, AttemptNumber attempt) {
  if (attempt < kRaises) return acquire_->on_suspicion(node, attempt);
  if (round_) round_->on_suspicion(node, attempt);
}

void FencedAcquire::on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) {
  if (attempt < kRaises) return acquire_->on_delay(node, attempt, connected_by);
  if (round_) round_->on_delay(node, attempt, connected_by);
}

void FencedAcquire::on_subscription(NodeIndex node, const SubscriptionState& subscription_state,
                                    Instant now) {
  if (outcome_ || round_) return;
  acquire_->on_subscription(node, subscription_state, now);
  follow_acquire(now);
}

bool FencedAcquire::on_push(NodeIndex node, const Push& push, Instant now) {
  // What was given up is for others to remove.
  if (outcome_ && outcome_->decision != Decision::granted) return false;
  const bool ours = acquire_->on_push(node, push, now);
  if (!outcome_ && !round_) follow_acquire(now);
  return ours;
}

void FencedAcquire::abort(Instant now) {
  if (outcome_) return;
  if (acquire_->outcome() != nullptr) return give_up(Decision::aborted, now);
  acquire_->abort(now);
  follow_acquire(now);
}

void FencedAcquire::follow_acquire(Instant now) {
  if (outcome_ || round_ || acquire_->outcome() == nullptr) return;
  const Outcome& acquired = *acquire_->outcome();
  if (acquired.decision != Decision::granted) {
    outcome_ = acquire_->collect();
    return;
  }
  note_votes(acquired.nodes);
  const auto recorded = std::ranges::count_if(acquired.nodes, [](const NodeReport& node) {
    const FenceVote* const vote = node.reply.said<FenceVote>();
    return vote != nullptr && vote->recorded;
  });
  // Behind a wait the proposal is an old time. Where servers forgot, it may be below one that was
  // given out meanwhile.
  const bool fresh = now - proposals_.read_at <= std::ranges::max(*answer_times_);
  if (fresh && static_cast<std::size_t>(recorded) >= quorum().grants()) {
    return finish(proposals_.first(), now);
  }
  raise(now);
}

void FencedAcquire::note_votes(const std::vector<NodeReport>& nodes) {
  for (const NodeReport& node : nodes) {
    const FenceVote* const vote = node.reply.said<FenceVote>();
    if (vote != nullptr) last_ = std::max(last_, vote->last);
  }
}

// What may throw comes first: then there is the round before, or none.
void FencedAcquire::raise(Instant now) {
  // What was proposed before may stand somewhere, and is not recorded there a second time.
  const std::int64_t proposal = proposals_.above(std::max(last_, proposal_), now);
  const Token& proof = acquire_->outcome()->token;
  auto command = std::make_shared<const Command>(kind_->raise_fence(proof, proposal).value());
  Round round(answer_times_, quorum(), std::move(command), kRaises + raises_, now);
  ++raises_;
  proposal_ = proposal;
  round_ = std::move(round);
  again_at_ = now + std::ranges::max(*answer_times_);
}

void FencedAcquire::follow_raise(Instant now) {
  const Verdict verdict = round_->grants();
  if (verdict == Verdict::pending) return;
  if (verdict == Verdict::won) return finish(proposal_, now);
  if (round_->foreign()) return give_up(Decision::foreign, now);
  note_votes(round_->reports());
  const bool is_held =
      !quorum().fails_without(strangers(round_->reports())) && validity(now) > Duration();
  const bool is_silent = !contested(round_->reports());
  if (is_held && raises_ < kFenceRaisesMax) {
    // Whoever is silent gets all of his time: a connection that is gone fails at once.
    if (!is_silent || now >= again_at_) raise(now);
    return;
  }
  const bool asked = round_->reach() == Verdict::won && !(is_held && is_silent);
  give_up(asked ? Decision::expired_in_flight : Decision::unreachable, now);
}

Duration FencedAcquire::validity(Instant now) const {
  const Outcome& acquired = *acquire_->outcome();
  return acquired.validity - (now - acquired.decided_at);
}

void FencedAcquire::finish(std::int64_t fence, Instant now) {
  const Duration left = validity(now);
  if (left <= Duration()) return give_up(Decision::expired_in_flight, now);
  outcome_ = acquire_->collect();
  outcome_->validity = left;
  outcome_->decided_at = now;
  outcome_->fence = fence;
}

// What may throw comes first, so that it can be called again.
void FencedAcquire::give_up(Decision decision, Instant now) {
  const auto release = std::make_shared<const Command>(kind_->release(acquire_->outcome()->token));
  std::vector<Request> undo;
  for (std::size_t i = answer_times_->size(); i-- > 0;) {
    undo.push_back({NodeIndex(i), kRaises + raises_, release, now + (*answer_times_)[i], false});
  }
  Outcome outcome;
  outcome.decision = decision;
  outcome.decided_at = now;
  outcome.quorum = quorum();
  outcome.nodes = round_ ? round_->reports() : acquire_->outcome()->nodes;
  undo_ = std::move(undo);
  outcome_ = std::move(outcome);
}

std::optional<Request> FencedAcquire::next_request() {
  if (!undo_.empty()) {
    Request request = std::move(undo_.back());
    undo_.pop_back();
    return request;
  }
  const bool won =
      acquire_->outcome() != nullptr && acquire_->outcome()->decision == Decision::granted;
  // What was given up acquires nothing more; what failed by itself undoes what it left.
  if (won && outcome_ && outcome_->decision != Decision::granted) return std::nullopt;
  std::optional<Request> request = acquire_->next_request();
  if (!request && round_) request = round_->next_request();
  return request;
}

std::optional<Instant> FencedAcquire::next_deadline() const {
  if (outcome_) return std::nullopt;
  if (!round_) return acquire_->next_deadline();
  return round_->grants() == Verdict::pending ? round_->next_deadline() : again_at_;
}

FencedAcquire::Snapshot FencedAcquire::snapshot() const {
  Snapshot now{std::nullopt, raises_, proposal_, last_, again_at_, undo_.size(), outcome_};
  if (round_) now.round = round_->snapshot();
  return now;
}

}  // namespace redlock
