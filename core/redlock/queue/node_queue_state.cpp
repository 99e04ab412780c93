// One node's line, as one wait sees it.
#include "redlock/queue/node_queue_state.hpp"

#include <algorithm>

namespace redlock {

namespace {

// No later try will be answered otherwise.
bool is_refusal_for_good(Fault fault) {
  return fault == Fault::acl || fault == Fault::scripts || fault == Fault::rejected;
}

// Of connections there are as many as there may be, for us or on the server: to wait until one is
// free would take for ever where others wait for it too. It may be for a moment, though: whoever is
// heard again before he polls stands in line.
bool keeps_us_unsubscribed(Fault fault) {
  return is_refusal_for_good(fault) || fault == Fault::bound || fault == Fault::maxclients;
}

Instant end_of(std::optional<Duration> left, Instant now) {
  return left ? now + *left : Instant::never();
}

Instant first_asks_at(std::optional<Duration> left, Instant now) {
  if (!left) return now + kFirstAsksEvery;
  return now + std::min(*left + kAfterTheEnd, kFirstAsksEvery);
}

// The lock may go to a lease that ends earlier than the one that it was told of, and only the first
// is told so. So it asks again by when those in front could have been served.
Instant other_asks_at(const QueuePosition& position, Instant now) {
  const Duration by_index = kEachPositionAsksLater * position.index;
  const Duration latest = std::clamp(by_index, kFirstAsksEvery, kHeartbeat);
  if (!position.left) return now + latest;
  return now + std::min(*position.left + std::min(by_index, kOthersAskWithin), latest);
}

}  // namespace

NodeQueueState::NodeQueueState(Duration stale_after, NodeReport known, bool confirms)
    : stale_after_(stale_after), confirms_(confirms), report_(std::move(known)) {
  note_shortage(report_.reply);
}

void NodeQueueState::on_subscription(const SubscriptionState& subscription_state, Instant now) {
  if (!channel_.empty()) {
    brief_subscriptions_ = now - heard_at_ < kBriefSubscription ? brief_subscriptions_ + 1 : 0;
  }
  channel_ = subscription_state.channel;
  heard_at_ = now;
  unsubscribed_ = channel_.empty() && (unsubscribed_ || subscription_state.turns_away ||
                                       keeps_us_unsubscribed(subscription_state.fault));
  refused_ = refused_ || brief_subscriptions_ >= kBriefSubscriptionsMax;
  if (!channel_.empty()) return say_anew();
  silence_ = Reply::unknown(subscription_state.fault, subscription_state.reason);
  // A vote that was counted is on its server for a while, whether that can be heard or not.
  if (!voted_) report(silence_);
}

void NodeQueueState::note_joined(AttemptNumber attempt, Instant now, Instant answer_by,
                                 bool claims) {
  claims_ = claims;
  joined_before_ = joined_before_ || may_be_joined_;
  may_be_joined_ = true;
  voted_ = false;
  outdated_ = false;
  unanswered_ = true;
  attempt_ = attempt;
  joined_at_ = now;
  answer_by_ = answer_by;
  join_at_ = next_at_ = Instant::never();
}

void NodeQueueState::on_delay(AttemptNumber attempt, Instant answer_by) {
  if (awaits(attempt)) answer_by_ = std::max(answer_by_, answer_by);
}

void NodeQueueState::vote(bool handed_over) {
  voted_ = true;
  handed_over_ = handed_over;
  shortage_.reset();
  pause_ = kTroublePauseFirst;
  join_at_ = Instant::never();
  position_.reset();
  report(Reply::granted());
}

void NodeQueueState::forget_vote() {
  voted_ = false;
  report(silence_);
}

void NodeQueueState::stand(const QueuePosition& position, Instant now) {
  position_ = position;
  pause_ = kTroublePauseFirst;
  report(Reply::denied());
  const bool idle = position.left && *position.left <= Duration();
  if (!idle || position.index > 0) shortage_.reset();
  held_until_ = idle ? Instant() : end_of(position.left, now);
  // Whoever is first though nothing stands there could not be served: no use to hurry.
  const Instant first_at = idle ? now + kTroublePauseFirst : first_asks_at(position.left, now);
  join_at_ = position.index == 0 ? first_at : other_asks_at(position, now);
  if (hedged()) join_at_ = now + (position.index == 0 ? kFirstAsksEvery : kHeartbeat);
  join_at_ = std::min(join_at_, next_at_);
  if (outdated_) join_at_ = now;
}

void NodeQueueState::on_trouble(Reply reply, Instant now) {
  refused_ = refused_ || is_refusal_for_good(reply.fault);
  note_shortage(reply);
  report(std::move(reply));
  join_at_ = now + pause_;
  pause_ = std::min(pause_ * 2, kTroublePauseMax);
}

void NodeQueueState::on_reply(AttemptNumber attempt, const Reply& reply, Instant now) {
  if (attempt != attempt_ || !unanswered_) return;
  unanswered_ = false;
  if (!reply.sent) may_be_joined_ = false;
  if (reply.answer == Answer::granted) return vote(false);
  // What was pushed behind this very join came later than its answer was made.
  if (voted_) return;
  const auto* const position = reply.said<QueuePosition>();
  if (reply.answer == Answer::denied && position != nullptr) return stand(*position, now);
  on_trouble(reply, now);
}

void NodeQueueState::on_push(const Push& push, Instant now) {
  if (push.kind == Push::Kind::granted) {
    if (push.echo != attempt_) return;
    if (!confirms_) return vote(true);
    if (voted_) return;
    told_ = true;
    held_until_ = Instant();
    return say_anew();
  }
  if (voted_) return;
  const bool stale = now - joined_at_ > stale_after_;
  const bool idle = push.left && *push.left <= Duration();
  if (idle) held_until_ = Instant();
  next_at_ = stale || idle ? now : first_asks_at(push.left, now);
  join_at_ = std::min(join_at_, next_at_);
}

void NodeQueueState::on_time(Instant now) {
  if (!unanswered_ || now < answer_by_) return;
  unanswered_ = false;
  if (!voted_) on_trouble(Reply::unknown(Fault::timeout, "no answer in time"), now);
}

Instant NodeQueueState::next_deadline() const {
  if (unanswered_) return answer_by_;
  return can_be_asked() ? join_at_ : Instant::never();
}

}  // namespace redlock
