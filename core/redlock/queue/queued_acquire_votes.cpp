// While standing in line: what the votes are worth, and when to join again.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "redlock/queue/queued_acquire.hpp"

namespace redlock {

namespace {

Duration size_of(Duration offset) { return std::max(offset, Duration() - offset); }

// Of two in the middle the smaller one: one server's clock is not to move anybody's ticket far.
Duration middle_of(std::vector<Duration> offsets) {
  std::ranges::sort(offsets);
  const Duration upper = offsets[offsets.size() / 2];
  const Duration lower = offsets[(offsets.size() - 1) / 2];
  return size_of(lower) < size_of(upper) ? lower : upper;
}

}  // namespace

void QueuedAcquire::review(Instant now) {
  ended_ = now >= wait_end();
  judge_votes(now);
  if (phase_ == Phase::done) return;
  if (barred(now) || seems_in_vain(now)) return ended_ ? leave(now) : poll(now);
  if (ended_) {
    const bool all_told = count(&NodeQueueState::pending) == 0 || now >= last_answers_by();
    if (answered() >= quorum().grants() || all_told) leave(now);
    return;
  }
  offer_votes(now);
  claim_what_was_hedged(now);
  correct_ticket();
  join_where_due(now);
}

bool QueuedAcquire::barred(Instant now) {
  const std::size_t refused = count(&NodeQueueState::refused);
  if (quorum().fails_without(refused)) return true;
  if (refused == 0 || answered() >= quorum().grants()) {
    too_few_at_ = Instant::never();
  } else if (too_few_at_ == Instant::never()) {
    const Duration half = Duration::ns((wait_end() - now).count_ns() / 2);
    const Duration answer = longest_answer_time();
    too_few_at_ = now + std::clamp(half, answer, std::max(kTooFewFor, answer * 2));
  }
  // At the end of the wait those that are asked are waited for.
  return now >= too_few_at_ && !ended_;
}

bool QueuedAcquire::seems_in_vain(Instant now) {
  if (ended_) return false;
  if (cut_off()) return trouble_.bars(quorum(), reports(), now);
  trouble_ = {};
  return false;
}

// Votes that were handed over long after they were joined for are asked for once more, for a full
// ttl. Where one of them cannot be, others that are asked already may replace it. Those that
// came in the answers to joins would be no better the next time.
void QueuedAcquire::judge_votes(Instant now) {
  if (!ended_) forget_what_cannot_be_renewed(now);
  if (count(&NodeQueueState::voted) < quorum().grants()) return;
  const Duration left = validity(now);
  const bool may_gain = !ended_ && may_be_better(now);
  const bool enough = left * 2 >= kind_->validity(Duration()) || !may_gain;
  if (left > Duration() && enough) return finish(Decision::granted, now);
  if (ended_) return;
  for (NodeQueueState& node : nodes_) {
    if (node.voted() && is_old(node, now)) node.hurry();
  }
}

bool QueuedAcquire::may_be_better(Instant now) const {
  bool renewed = false;
  bool replaced = false;
  for (const NodeQueueState& node : nodes_) {
    if (!node.voted() || !is_old(node, now)) continue;
    renewed = renewed || (node.handed_over() && node.can_be_asked());
    replaced = replaced || !node.can_be_asked();
  }
  return renewed || (replaced && count(&NodeQueueState::joining) > 0);
}

Duration QueuedAcquire::left_of(const NodeQueueState& node, Instant now) const {
  return kind_->validity(now - node.joined_at());
}

bool QueuedAcquire::is_old(const NodeQueueState& node, Instant now) const {
  return left_of(node, now) * 2 < kind_->validity(Duration());
}

// They would be counted for ever, and the others joined again and again.
void QueuedAcquire::forget_what_cannot_be_renewed(Instant now) {
  for (NodeQueueState& node : nodes_) {
    if (!node.voted() || node.can_be_asked()) continue;
    if (left_of(node, now) <= Duration()) node.forget_vote();
  }
}

void QueuedAcquire::hurry_votes() {
  for (NodeQueueState& node : nodes_) {
    if (node.voted()) node.hurry();
  }
}

// Where no more can be had they are offered at once.
void QueuedAcquire::offer_votes(Instant now) {
  const std::size_t votes = count(&NodeQueueState::voted);
  if (cut_off()) hurry_votes();
  if (votes == 0 && count(&NodeQueueState::joining) == 0) {
    offers_.note_none();
  } else if (offers_.are_due(votes, round_trip_, now)) {
    hurry_votes();
  }
}

bool QueuedAcquire::out_of_reach(Instant now) const {
  const auto held = std::ranges::count_if(
      nodes_, [now](const NodeQueueState& node) { return node.held_by_another(now); });
  return static_cast<std::size_t>(held) >= quorum().grants();
}

bool QueuedAcquire::cut_off() const {
  return quorum().fails_without(count(&NodeQueueState::troubled));
}

void QueuedAcquire::claim_what_was_hedged(Instant now) {
  if (out_of_reach(now) || cut_off()) return;
  for (NodeQueueState& node : nodes_) {
    if (node.hedged()) node.hurry();
  }
}

void QueuedAcquire::correct_ticket() {
  if (ticket_checked_) return;
  std::vector<Duration> offsets;
  for (const NodeQueueState& node : nodes_) {
    if (!node.position()) continue;
    const Duration ours = Duration::ms(ticket_) + request_.waited + (node.joined_at() - started_);
    offsets.push_back(Duration::ms(node.position()->server_ms) - ours);
  }
  if (offsets.size() < quorum().grants()) return;
  ticket_checked_ = true;
  const Duration offset = middle_of(std::move(offsets));
  if (size_of(offset) <= kTicketOffMax + round_trip_) return;
  memory_->set_clock_offset(memory_->clock_offset() + offset);
  ticket_ += offset.count_ms();
  for (NodeQueueState& node : nodes_) {
    if (node.position() || node.joining()) node.say_anew();
  }
}

void QueuedAcquire::join_where_due(Instant now) {
  bool any = false;
  const bool out_of_reach = this->out_of_reach(now);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    NodeQueueState& node = nodes_[i];
    if (!node.can_join(now)) continue;
    if (!any) ++attempt_;
    any = true;
    const ClaimPolicy policy = policy_for(node, out_of_reach);
    auto join = std::make_shared<const Command>(
        kind_->enqueue(token_, {ticket_, node.channel(), attempt_, policy}).value());
    const Instant answer_by = now + (*answer_times_)[i];
    requests_.push_back({NodeIndex(i), attempt_, std::move(join), answer_by});
    node.note_joined(attempt_, now, answer_by, policy == ClaimPolicy::claim);
  }
}

ClaimPolicy QueuedAcquire::policy_for(const NodeQueueState& node, bool out_of_reach) const {
  if (cut_off()) return ClaimPolicy::yield;
  if (!out_of_reach) return ClaimPolicy::claim;
  // What it does not know of may be on its way to it; or an answer was lost, and may be again.
  if (!node.voted()) return node.troubled() ? ClaimPolicy::observe : ClaimPolicy::retain;
  return offers_.in_vain() ? ClaimPolicy::observe : ClaimPolicy::claim;
}

Duration QueuedAcquire::validity(Instant now) const {
  std::vector<Instant> since;
  for (const NodeQueueState& node : nodes_) {
    if (node.voted()) since.push_back(node.joined_at());
  }
  std::ranges::sort(since, std::greater());
  return kind_->validity(now - since[quorum().grants() - 1]);
}

}  // namespace redlock
