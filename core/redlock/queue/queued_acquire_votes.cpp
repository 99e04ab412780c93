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
// ttl. Where one of them cannot be, others that are asked already may come in its place. Those that
// came in the answers to joins would be no better the next time.
void QueuedAcquire::judge_votes(Instant now) {
  if (!ended_) forget_what_cannot_be_renewed(now);
  if (count(&NodeQueueState::voted) < quorum().grants()) return;
  const Duration left = validity(now);
  const bool may_gain = !ended_ && may_be_better(now);
  const bool enough = left * 2 >= kind_->validity(Duration()) || !may_gain;
  if (left > Duration() && enough) return finish(Decision::granted, now);
  if (ended_) return;
  for (NodeQueueState& place : places_) {
    if (place.voted() && is_old(place, now)) place.hurry();
  }
}

bool QueuedAcquire::may_be_better(Instant now) const {
  bool renewed = false;
  bool replaced = false;
  for (const NodeQueueState& place : places_) {
    if (!place.voted() || !is_old(place, now)) continue;
    renewed = renewed || (place.handed_over() && place.can_be_asked());
    replaced = replaced || !place.can_be_asked();
  }
  return renewed || (replaced && count(&NodeQueueState::joining) > 0);
}

Duration QueuedAcquire::left_of(const NodeQueueState& place, Instant now) const {
  return kind_->validity(now - place.joined_at());
}

bool QueuedAcquire::is_old(const NodeQueueState& place, Instant now) const {
  return left_of(place, now) * 2 < kind_->validity(Duration());
}

// They would be counted for ever, and the others joined again and again.
void QueuedAcquire::forget_what_cannot_be_renewed(Instant now) {
  for (NodeQueueState& place : places_) {
    if (!place.voted() || place.can_be_asked()) continue;
    if (left_of(place, now) <= Duration()) place.forget_vote();
  }
}

void QueuedAcquire::hurry_votes() {
  for (NodeQueueState& place : places_) {
    if (place.voted()) place.hurry();
  }
}

// Who has a few votes and gets no more may be in the way of an earlier ticket, which has the
// others: a join gives such a vote away. Where no more can be had that is done at once.
void QueuedAcquire::offer_votes(Instant now) {
  const std::size_t votes = count(&NodeQueueState::voted);
  if (cut_off()) hurry_votes();
  if (votes == 0 && count(&NodeQueueState::joining) == 0) {
    most_votes_ = 0;
    offer_at_ = Instant::never();
  } else if (votes > most_votes_) {
    most_votes_ = votes;
    offers_ = 0;
    offer_pause_ = std::clamp(round_trip_ * kOfferAfterRoundTrips, kOfferPauseMin, kOfferPauseMax);
    offer_at_ = now + offer_pause_;
  } else if (now >= offer_at_) {
    offer_pause_ = std::min(offer_pause_ * 2, kOfferPauseMax);
    offer_at_ = now + offer_pause_;
    ++offers_;
    hurry_votes();
  }
}

bool QueuedAcquire::out_of_reach(Instant now) const {
  const auto held = std::ranges::count_if(
      places_, [now](const NodeQueueState& place) { return place.held_by_another(now); });
  return static_cast<std::size_t>(held) >= quorum().grants();
}

bool QueuedAcquire::cut_off() const {
  return quorum().fails_without(count(&NodeQueueState::troubled));
}

void QueuedAcquire::claim_what_was_hedged(Instant now) {
  if (out_of_reach(now) || cut_off()) return;
  for (NodeQueueState& place : places_) {
    if (place.hedged()) place.hurry();
  }
}

void QueuedAcquire::correct_ticket() {
  if (ticket_checked_) return;
  std::vector<Duration> offsets;
  for (const NodeQueueState& place : places_) {
    if (!place.standing()) continue;
    const Duration ours = Duration::ms(ticket_) + (place.joined_at() - started_);
    offsets.push_back(Duration::ms(place.standing()->server_ms) - ours);
  }
  if (offsets.size() < quorum().grants()) return;
  ticket_checked_ = true;
  const Duration offset = middle_of(std::move(offsets));
  if (size_of(offset) <= kTicketOffMax + round_trip_) return;
  memory_->set_clock_offset(memory_->clock_offset() + offset);
  ticket_ += offset.count_ms();
  for (NodeQueueState& place : places_) {
    if (place.standing() || place.joining()) place.say_anew();
  }
}

void QueuedAcquire::join_where_due(Instant now) {
  bool any = false;
  const bool out_of_reach = this->out_of_reach(now);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    NodeQueueState& place = places_[i];
    if (!place.can_join(now)) continue;
    if (!any) ++attempt_;
    any = true;
    const ClaimPolicy policy = policy_for(place, out_of_reach);
    auto join = std::make_shared<const Command>(
        kind_->enqueue(token_, {ticket_, place.channel(), attempt_, policy}).value());
    const Instant answer_by = now + (*answer_times_)[i];
    requests_.push_back({NodeIndex(i), attempt_, std::move(join), answer_by});
    place.note_joined(attempt_, now, answer_by, policy == ClaimPolicy::claim);
  }
}

ClaimPolicy QueuedAcquire::policy_for(const NodeQueueState& place, bool out_of_reach) const {
  if (cut_off()) return ClaimPolicy::yield;
  if (!out_of_reach) return ClaimPolicy::claim;
  // What it does not know of may be on its way to it; or an answer was lost, and may be again.
  if (!place.voted()) return place.troubled() ? ClaimPolicy::observe : ClaimPolicy::retain;
  return offers_ < kOffersMax ? ClaimPolicy::claim : ClaimPolicy::observe;
}

Duration QueuedAcquire::validity(Instant now) const {
  std::vector<Instant> since;
  for (const NodeQueueState& place : places_) {
    if (place.voted()) since.push_back(place.joined_at());
  }
  std::ranges::sort(since, std::greater());
  return kind_->validity(now - since[quorum().grants() - 1]);
}

}  // namespace redlock
