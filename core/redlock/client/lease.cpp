// Leases and what keeps them alive: asks about a held lock, waits, and tells it what was said.
#include <algorithm>
#include <stdexcept>

#include "redlock/algorithm/permit.hpp"
#include "redlock/client/blocking_lease.hpp"
#include "redlock/redlock.hpp"

namespace redlock {
inline namespace v0 {

namespace inner {

namespace {

// Hears of a loss from the renewal thread.
class LossWatch final : public LossListener {
 public:
  explicit LossWatch(std::stop_source loss) noexcept : loss_(std::move(loss)) {}
  void lost() noexcept override { (void)loss_.request_stop(); }

 private:
  std::stop_source loss_;
};

}  // namespace

bool BlockingLease::extend(Duration ttl) {
  if (left() == Duration()) return false;
  lock_.note_told(ttl);
  const Outcome outcome = shared_->ask([&](LockManager& locks) {
    return locks.begin_extend(lock_.resources(), lock_.token(), ttl);
  });
  if (outcome.decision != Decision::granted) {
    note_denial(outcome);
    return false;
  }
  const Instant until = outcome.decided_at + outcome.validity;
  if (until <= shared_->now() || !lock_.prolong(until)) return false;
  lock_.set_ttl(ttl);
  if (lock_.extends()) {
    try {
      keep(renew_until_);
    } catch (...) {
      // No memory: it is kept as before.
    }
  }
  return true;
}

bool BlockingLease::shorten(Duration ttl) {
  if (left() == Duration()) return false;
  if (!lock_.is_shorter(ttl)) return extend(ttl);
  lock_.prepare_rotation(ttl);
  lock_.take_next_token();
  try {
    const bool granted = shared_->rotate(lock_).decision == Decision::granted;
    if (granted && lock_.extends()) keep(renew_until_);
    if (granted) return left() > Duration();
  } catch (...) {
    lose();
    throw;
  }
  lose();
  return false;
}

bool BlockingLease::promote(Duration wait, const std::stop_token& stop) {
  if (lock_.mode() != LockMode::shared) throw std::logic_error("the lease is exclusive already");
  const Instant until = wait == Duration::max() ? Instant::never() : shared_->now() + wait;
  do {
    if (left() == Duration()) return false;
    lock_.prepare_promotion(lock_.ttl(), lock_.fence().has_value());
    const Outcome outcome = shared_->promote(lock_);
    if (outcome.decision == Decision::granted) {
      if (lock_.extends()) keep_promoted();
      return left() > Duration();
    }
    if (!is_refusal(outcome.decision)) return false;
    if (is_lost_promotion(outcome)) (void)loss_.request_stop();
  } while (shared_->pause(until, stop));
  return false;
}

// Where it cannot be kept any more, who has the KeepAlive is told so.
void BlockingLease::keep_promoted() {
  try {
    keep(renew_until_);
  } catch (...) {
    lose();
    throw;
  }
}

bool BlockingLease::demote() {
  if (lock_.mode() == LockMode::shared) throw std::logic_error("the lease is shared already");
  if (!lock_.resources().single()) {
    throw std::logic_error("a lease of several resources cannot be shared");
  }
  if (slot_number(lock_.resources().only())) throw std::logic_error("a permit cannot be shared");
  if (left() == Duration()) return false;
  const Outcome outcome = shared_->demote(lock_);
  note_denial(outcome);
  return outcome.decision == Decision::granted && left() > Duration();
}

bool BlockingLease::confirm() {
  if (left() == Duration()) return false;
  const Outcome outcome = shared_->ask(
      [&](LockManager& locks) { return locks.begin_check(lock_.resources(), lock_.token()); });
  note_denial(outcome);
  return outcome.decision == Decision::granted && left() > Duration();
}

void BlockingLease::note_denial(const Outcome& outcome) noexcept {
  if (lock_.note_denial(outcome)) (void)loss_.request_stop();
}

// Nothing keeps it alive any more, whatever is left of it.
void BlockingLease::lose() noexcept {
  lock_.end_renewal();
  (void)loss_.request_stop();
}

bool BlockingLease::end(HeldLock::End how) noexcept {
  if (lock_.ended() || lock_.forked()) return false;
  lock_.end(how);
  return true;
}

bool BlockingLease::release(std::vector<Trouble>* troubles) {
  if (!end(HeldLock::End::released)) return false;
  try {
    const Outcome outcome = shared_->ask(
        [&](LockManager& locks) { return locks.begin_unlock(lock_.resources(), lock_.token()); });
    const bool told = outcome.decision == Decision::granted || outcome.decision == Decision::denied;
    if (!told && troubles != nullptr) *troubles = shared_->troubles_of(outcome);
    return outcome.decision == Decision::granted;
  } catch (...) {
    lock_.send_release();
    throw;
  }
}

void BlockingLease::drop() noexcept {
  if (left_to_others_) return detach();
  if (end(HeldLock::End::released)) lock_.send_release();
}

void BlockingLease::detach() noexcept { (void)end(HeldLock::End::transferred); }

std::stop_token BlockingLease::begin_renewal(Duration max) {
  if (left() == Duration()) {
    std::stop_source over;
    (void)over.request_stop();
    return over.get_token();
  }
  if (max < lock_.ttl()) throw std::invalid_argument("max must be at least the ttl of the lease");
  if (lock_.extends()) throw std::logic_error("the lease is kept alive already");
  // One that could not be kept any more may be good all the same, and is kept anew.
  if (!loss_.stop_possible() || loss_.stop_requested()) loss_ = std::stop_source();
  // Never for less than it may be trusted already.
  keep(std::max(shared_->now() + max, lock_.deadline().until()));
  return loss_.get_token();
}

void BlockingLease::keep(Instant renew_until) {
  // The next extend is due when a third of the ttl is over since the latest.
  lock_.set_ttl(lock_.ttl());
  lock_.begin_renewal(renew_until, std::make_shared<LossWatch>(loss_));
  renew_until_ = renew_until;
}

void BlockingLease::end_renewal(const std::stop_token& lost) noexcept {
  if (lost == loss_.get_token()) lock_.end_renewal();
}

}  // namespace inner

Lease::Lease(std::shared_ptr<inner::BlockingLease> lease) noexcept : lease_(std::move(lease)) {}

Lease::Lease(Lease&& other) noexcept = default;

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this == &other) return *this;
  if (lease_) lease_->drop();
  lease_ = std::move(other.lease_);
  return *this;
}

Lease::~Lease() {
  if (lease_) lease_->drop();
}

std::string_view Lease::resource() const noexcept {
  return lease_ ? lease_->resources().all().front().view() : std::string_view();
}

std::vector<std::string_view> Lease::resources() const {
  std::vector<std::string_view> names;
  if (!lease_) return names;
  for (const Resource& one : lease_->resources().all()) names.push_back(one.view());
  return names;
}

std::string_view Lease::token() const noexcept {
  return lease_ ? lease_->token() : std::string_view();
}

std::optional<std::int64_t> Lease::fence() const noexcept {
  return lease_ ? lease_->lock().fence() : std::nullopt;
}

bool Lease::shared() const noexcept { return lease_ && lease_->lock().mode() == LockMode::shared; }

std::chrono::milliseconds Lease::remaining() const noexcept {
  return std::chrono::milliseconds(lease_ ? lease_->left().count_ms() : 0);
}

bool Lease::live() const noexcept { return lease_ && lease_->left() > Duration(); }

bool Lease::extend(Milliseconds ttl) { return lease_ && lease_->extend(inner::duration_of(ttl)); }

bool Lease::shorten(Milliseconds ttl) { return lease_ && lease_->shorten(inner::duration_of(ttl)); }

bool Lease::promote(Milliseconds wait, const std::stop_token& stop) {
  return lease_ && lease_->promote(inner::duration_of(wait), stop);
}

bool Lease::demote() { return lease_ && lease_->demote(); }

bool Lease::confirm() { return lease_ && lease_->confirm(); }

bool Lease::release(std::vector<Trouble>* troubles) { return lease_ && lease_->release(troubles); }

Handle Lease::handle() const {
  const std::vector<std::string_view> names = resources();
  return {{names.begin(), names.end()}, std::string(token()), remaining(), fence(), shared()};
}

Handle Lease::detach() {
  Handle handed_on = handle();
  if (lease_) lease_->detach();
  return handed_on;
}

KeepAlive Lease::keep_alive(Milliseconds max) {
  if (lease_) return {lease_, lease_->begin_renewal(inner::duration_of(max))};
  std::stop_source loss;
  (void)loss.request_stop();
  return {nullptr, loss.get_token()};
}

KeepAlive::KeepAlive(std::shared_ptr<inner::BlockingLease> lease, std::stop_token lost) noexcept
    : lease_(std::move(lease)), lost_(std::move(lost)) {}

KeepAlive::KeepAlive(KeepAlive&& other) noexcept = default;

KeepAlive& KeepAlive::operator=(KeepAlive&& other) noexcept {
  if (this == &other) return *this;
  if (lease_) lease_->end_renewal(lost_);
  lease_ = std::move(other.lease_);
  lost_ = std::move(other.lost_);
  return *this;
}

KeepAlive::~KeepAlive() {
  if (lease_) lease_->end_renewal(lost_);
}

}  // namespace v0
}  // namespace redlock
