// LeaseDeadline, and who keeps it.
#include "redlock/client/held.hpp"

#include <algorithm>
#include <stdexcept>

#include "redlock/algorithm/quorum_query.hpp"
#include "redlock/algorithm/validity.hpp"

namespace redlock {
inline namespace v0 {
namespace inner {

namespace {

Instant end_of(const Outcome& granted) { return granted.decided_at + granted.validity; }

}  // namespace

Held::Held(std::shared_ptr<Shared> shared, Resource resource, Duration ttl)
    : shared_(std::move(shared)),
      resource_(std::move(resource)),
      ttl_(ttl),
      lease_deadline_(std::make_shared<LeaseDeadline>(Instant::never(), Instant())),
      way_back_(1, UnsentRelease{resource_, {}}) {}

void Held::begin(Outcome granted, Instant told_until) noexcept {
  token_ = std::move(granted.token);
  lease_deadline_->begin(end_of(granted), told_until);
}

Duration Held::left() noexcept {
  if (watch_.forked()) return {};
  return lease_deadline_->left(shared_->now());
}

bool Held::extend(Duration ttl) {
  if (left() == Duration()) return false;
  lease_deadline_->note_told(ttl, shared_->now());
  const Outcome outcome = shared_->extend(resource_, token_, ttl);
  if (outcome.decision != Decision::granted) {
    note_denial(outcome);
    return false;
  }
  const Instant now = shared_->now();
  if (end_of(outcome) <= now || !lease_deadline_->prolong(end_of(outcome), now)) return false;
  ttl_ = ttl;
  if (kept_) {
    try {
      keep(keep_until_);
    } catch (...) {
      // No memory: it is kept as before.
    }
  }
  return true;
}

bool Held::is_shorter(Duration ttl) noexcept {
  return (kept_ && ttl < ttl_) || lease_deadline_->may_outlast(ttl, shared_->now());
}

bool Held::shorten(Duration ttl) {
  if (left() == Duration()) return false;
  if (!is_shorter(ttl)) return extend(ttl);
  LeaseRotation rotation = shared_->prepare_rotation(resource_, token_, ttl, lease_deadline_);
  Token fresh = rotation.fresh();
  const bool kept = kept_;
  // Nobody extends the old token from here on, nor repairs it again.
  lease_deadline_->supersede();
  end_renewal();
  token_ = std::move(fresh);
  lease_deadline_ = rotation.lease_deadline();
  ttl_ = ttl;
  try {
    const bool granted = shared_->rotate(rotation).decision == Decision::granted;
    if (granted && kept) keep(keep_until_);
    if (!granted) (void)loss_.request_stop();
    return granted && left() > Duration();
  } catch (...) {
    // Nothing keeps it alive any more, whatever is left of it.
    (void)loss_.request_stop();
    // No key has changed, or both tokens are being removed.
    if (lease_deadline_->left(shared_->now()) == Duration()) token_ = std::move(rotation).held();
    throw;
  }
}

bool Held::confirm() {
  if (left() == Duration()) return false;
  const Outcome outcome = shared_->check(resource_, token_);
  note_denial(outcome);
  return outcome.decision == Decision::granted && left() > Duration();
}

void Held::note_denial(const Outcome& outcome) noexcept {
  if (!proven_denied(outcome)) return;
  lease_deadline_->lose(Loss::denied);
  (void)loss_.request_stop();
}

bool Held::release(std::vector<Trouble>* troubles) {
  if (released_ || watch_.forked()) return false;
  end_lease_deadline();
  released_ = true;
  try {
    const Outcome outcome = shared_->release(resource_, token_);
    const bool told = outcome.decision == Decision::granted || outcome.decision == Decision::denied;
    if (!told && troubles != nullptr) *troubles = shared_->troubles_of(outcome);
    return outcome.decision == Decision::granted;
  } catch (...) {
    send_release();
    throw;
  }
}

void Held::drop() noexcept {
  if (released_ || watch_.forked()) return;
  end_lease_deadline();
  released_ = true;
  send_release();
}

void Held::send_release() noexcept {
  way_back_.front().token = std::move(token_);
  shared_->send_release(std::move(way_back_));
}

void Held::end_lease_deadline() noexcept {
  // First, so that no extend is begun behind the release.
  lease_deadline_->end();
  end_renewal();
}

std::stop_token Held::begin_renewal(Duration max) {
  if (left() == Duration()) {
    std::stop_source over;
    (void)over.request_stop();
    return over.get_token();
  }
  if (max < ttl_) throw std::invalid_argument("max must be at least the ttl of the lease");
  if (kept_) throw std::logic_error("the lease is kept alive already");
  // One that could not be kept any more may be good all the same, and is kept anew.
  if (!loss_.stop_possible() || loss_.stop_requested()) loss_ = std::stop_source();
  // Never for less than it may be trusted already.
  keep(std::max(shared_->now() + max, lease_deadline_->until()));
  return loss_.get_token();
}

void Held::keep(Instant keep_until) {
  const Instant until = lease_deadline_->until();
  // As if the latest extend had been the take: the next one is due when a third of its ttl is over.
  const Instant taken_at =
      until - validity_of(ttl_, Duration(), shared_->plan()->options.drift_factor);
  shared_->renewal_thread().keep({shared_->plan(),
                                  resource_,
                                  token_,
                                  {ttl_, keep_until - taken_at},
                                  taken_at,
                                  until,
                                  lease_deadline_,
                                  std::make_shared<LossWatch>(loss_)});
  kept_ = true;
  keep_until_ = keep_until;
}

void Held::end_renewal(const std::stop_token& lost) noexcept {
  if (lost == loss_.get_token()) end_renewal();
}

void Held::end_renewal() noexcept {
  if (!kept_ || watch_.forked()) return;
  kept_ = false;
  shared_->renewal_thread().stop(*lease_deadline_);
}

}  // namespace inner
}  // namespace v0
}  // namespace redlock
