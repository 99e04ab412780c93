// The life of a lock that is held.
#include "redlock/lease/held_lock.hpp"

#include <algorithm>
#include <utility>

#include "redlock/algorithm/quorum_query.hpp"
#include "redlock/algorithm/validity.hpp"

namespace redlock {

HeldLock::HeldLock(const LeaseContext& context, Resources resources, Duration ttl, LockMode mode)
    : context_(context),
      resources_(std::move(resources)),
      mode_(mode),
      ttl_(ttl),
      deadline_(std::make_shared<LeaseDeadline>(Instant(), Instant())),
      way_back_(1, UnsentRelease{resources_, {}}) {}

Instant HeldLock::taken_before(Instant until) const {
  return until - validity_of(ttl_, Duration(), context_.locks.plan()->options.drift_factor);
}

void HeldLock::begin(Token token, Instant until, std::optional<std::int64_t> fence,
                     std::optional<Resources> slot) noexcept {
  if (slot) way_back_.front().resources = resources_ = *std::move(slot);
  fence_ = fence;
  token_ = std::move(token);
  taken_at_ = ttl_from_ = taken_before(until);
  // The last of the servers heard of it a moment ago at the latest.
  deadline_->begin(until, now() + ttl_);
}

void HeldLock::attach(Token token, Instant until, std::optional<std::int64_t> fence) noexcept {
  fence_ = fence;
  token_ = std::move(token);
  taken_at_ = ttl_from_ = now();
  deadline_->begin(until, Instant::never());
}

Duration HeldLock::left() noexcept {
  if (forked()) return {};
  return deadline_->left(now());
}

bool HeldLock::prolong(Instant until) noexcept {
  return left() > Duration() && deadline_->prolong(until, now());
}

void HeldLock::set_ttl(Duration ttl) noexcept {
  ttl_ = ttl;
  ttl_from_ = taken_before(deadline_->until());
}

bool HeldLock::note_denial(const Outcome& outcome) noexcept {
  if (forked() || !proven_denied(outcome)) return false;
  deadline_->lose(Loss::denied);
  return true;
}

void HeldLock::share() noexcept {
  shared_ = true;
  if (left() > Duration()) deadline_->share();
}

void HeldLock::begin_renewal(std::optional<Instant> renew_until,
                             std::shared_ptr<LossListener> listener) {
  const Instant until = deadline_->until();
  // Where it is not extended, only its end is to be noticed: an extend would gain nothing.
  const Duration renew_max = renew_until.value_or(until) - ttl_from_;
  context_.renewal.keep({context_.locks.plan(),
                         resources_,
                         token_,
                         {ttl_, renew_max},
                         ttl_from_,
                         until,
                         deadline_,
                         listener,
                         mode_});
  renewed_ = true;
  extends_ = renew_until.has_value();
  renew_until_ = renew_until;
  listener_ = std::move(listener);
}

void HeldLock::end_renewal() noexcept {
  if (forked()) return;
  extends_ = false;
  stop_renewal();
}

void HeldLock::stop_renewal() noexcept {
  if (renewed_) context_.renewal.stop(*deadline_);
  renewed_ = false;
}

bool HeldLock::is_shorter(Duration ttl) const noexcept {
  if (shared_) return false;
  return (extends_ && ttl < ttl_) || deadline_->may_outlast(ttl, now());
}

void HeldLock::prepare_rotation(Duration ttl) {
  LeaseRotation rotation(context_.locks, resources_, token_, ttl, deadline_);
  Token fresh = rotation.fresh();
  rotations_.reserve(rotations_.size() + 1);
  next_.emplace(Next{std::move(rotation), std::move(fresh)});
}

void HeldLock::take_next_token() noexcept {
  // Nobody extends the old token from here on, nor repairs it again.
  deadline_->supersede();
  stop_renewal();
  std::swap(token_, next_->token);
  ++token_number_;
  deadline_ = next_->rotation.lease_deadline();
  ttl_ = next_->rotation.ttl();
  ttl_from_ = now();
}

OperationId HeldLock::begin_rotation() {
  Next next = std::move(*next_);
  next_.reset();
  try {
    const OperationId id = next.rotation.begin();
    rotations_.push_back(std::move(next.rotation));
    return id;
  } catch (...) {
    // No key has changed, or both tokens are being removed.
    token_ = std::move(next.token);
    throw;
  }
}

Outcome HeldLock::collect_rotation(OperationId id) {
  const auto under_way = std::ranges::find(rotations_, id, &LeaseRotation::id);
  LeaseRotation rotation = std::move(*under_way);
  rotations_.erase(under_way);
  return rotation.collect();
}

bool HeldLock::is_being_rotated() const {
  return !rotations_.empty() && rotations_.back().lease_deadline() == deadline_;
}

void HeldLock::prepare_promotion(Duration ttl, bool fence) {
  promotion_.emplace(
      Promotion{ttl, fence, token_, std::make_shared<LeaseDeadline>(Instant(), Instant())});
}

OperationId HeldLock::begin_promotion() {
  try {
    return context_.locks.begin_promotion(resources_, promotion_->held, promotion_->ttl,
                                          {.fence = promotion_->fence});
  } catch (...) {
    promotion_.reset();
    throw;
  }
}

Outcome HeldLock::collect_promotion(OperationId id) {
  Promotion promotion = std::move(*promotion_);
  promotion_.reset();
  Outcome outcome = context_.locks.collect_lock(id, resources_, Caller::waits);
  if (is_lost_promotion(outcome) && token_ == promotion.held) deadline_->lose(Loss::denied);
  if (outcome.decision != Decision::granted) return outcome;
  // A handler may have given the lock back, rotated it, or given it to others too, who count on its
  // token; and who was told that it is over counts on that.
  const bool wanted = !ended_ && !shared_ && token_ == promotion.held && left() > Duration();
  if (wanted) {
    take_promoted(std::move(promotion), outcome);
  } else {
    context_.locks.forget(resources_, outcome.token);
    outcome.decision = Decision::expired_unclaimed;
  }
  return outcome;
}

// Never by the reader's deadline: servers that did not promote it may have been told that.
void HeldLock::take_promoted(Promotion&& promotion, Outcome& outcome) noexcept {
  // Nobody extends the old token from here on, and a repair of it that is under way is taken back.
  deadline_->end();
  stop_renewal();
  const Instant until = outcome.decided_at + outcome.validity;
  const bool kept_longer = deadline_->may_outlast(promotion.ttl, now());
  promotion.deadline->begin(until, kept_longer ? Instant::never() : now() + promotion.ttl);
  deadline_ = std::move(promotion.deadline);
  Token held = std::exchange(token_, std::move(outcome.token));
  ++token_number_;
  mode_ = LockMode::exclusive;
  ttl_ = promotion.ttl;
  ttl_from_ = taken_before(until);
  fence_ = outcome.fence;
  // Where it is still a reader, and where it would be one again.
  context_.locks.forget(resources_, held);
}

OperationId HeldLock::begin_demotion() {
  mode_ = LockMode::shared;
  // A lost vote is repaired in that mode from here on.
  if (renewed_) begin_renewal(renew_until_, listener_);
  return context_.locks.begin_demotion(resources_, token_);
}

Outcome HeldLock::collect_demotion(OperationId id) {
  Outcome outcome = context_.locks.pool().collect(id);
  (void)note_denial(outcome);
  return outcome;
}

void HeldLock::end(End how) noexcept {
  if (!begun() || ended_) return;
  ended_ = true;
  // A child has no part in it.
  if (forked()) return;
  // First, so that no extend is begun behind the release. Also where it is over for us: whoever has
  // it may have extended it further.
  how == End::transferred ? deadline_->transfer() : deadline_->end();
  stop_renewal();
}

void HeldLock::send_release() noexcept {
  owe_release();
  if (!forked()) context_.outbox.pay();
}

void HeldLock::owe_release() noexcept {
  if (way_back_.empty() || forked()) return;
  try {
    way_back_.front().token = token_;  // who shows it goes on doing so
  } catch (...) {
    way_back_.front().token = std::move(token_);
  }
  context_.outbox.add(std::move(way_back_));
}

}  // namespace redlock
