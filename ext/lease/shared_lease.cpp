// What PHP is told of a lock that is held.
#include "lease/shared_lease.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "border/globals.hpp"
#include "border/text.hpp"
#include "lease/object.hpp"
#include "lease/stats.hpp"
#include "quorum/resources.hpp"

namespace redlock::php {

namespace {

thread_local SharedLease* first_held = nullptr;

bool of_same_servers(const Locks& one, const Locks& other) {
  return &one == &other || std::ranges::is_permutation(one.servers, other.servers);
}

// Both in ascending order.
bool share_one(const Resources& some, const Resources& others) {
  std::vector<Resource> common;
  std::ranges::set_intersection(some.all(), others.all(), std::back_inserter(common));
  return !common.empty();
}

}  // namespace

SharedLease::SharedLease(std::shared_ptr<Locks> locks, Resources resources, const LeaseTerms& terms)
    : locks_(std::move(locks)),
      lock_({locks_->manager, locks_->owed, thread_state().renewal_thread}, std::move(resources),
            terms.ttl, terms.mode),
      owner_(terms.owner),
      kept_at_end_(terms.kept_at_end),
      told_(!locks_->events.telling()),
      behind_(first_held) {
  if (behind_ != nullptr) behind_->before_ = this;
  first_held = this;
}

SharedLease::~SharedLease() {
  end(HeldLock::End::transferred);
  (before_ != nullptr ? before_->behind_ : first_held) = behind_;
  if (behind_ != nullptr) behind_->before_ = before_;
}

SharedLease* SharedLease::held_here(const Locks& locks, const Resources& resources, LockMode mode,
                                    const SharedLease* but) {
  SharedLease* held = first_held;
  while (held != nullptr) {
    const bool read = mode == LockMode::shared && held->lock_.mode() == LockMode::shared;
    const bool same = share_one(held->resources(), resources) && !held->lock_.is_shared() &&
                      of_same_servers(*held->locks_, locks);
    if (held != but && !read && same && held->live()) break;
    held = held->behind_;
  }
  return held;
}

void SharedLease::make_reentrant() { locks_->reentrant[resources().only()] = weak_from_this(); }

std::shared_ptr<SharedLease> SharedLease::reentrant(const Locks& locks, const Resources& resources,
                                                    std::string_view owner, LockMode mode) {
  const auto known = locks.reentrant.find(resources.only());
  if (known == locks.reentrant.end()) return nullptr;
  std::shared_ptr<SharedLease> held = known->second.lock();
  const bool same = held && held->owner_ == owner && held->lock_.mode() == mode;
  return same && held->live() ? held : nullptr;
}

void SharedLease::keep(const LeaseTerms& wanted) {
  const bool extends = wanted.keep_alive || lock_.extends();
  const bool interrupts = wanted.interrupt || interrupts_;
  const bool as_it_is = extends == lock_.extends() && interrupts == interrupts_ &&
                        lock_.is_renewed() == (extends || interrupts);
  if (as_it_is || !live()) return;
  if (lock_.is_being_rotated()) {
    lock_.want_extends(extends);
    interrupts_ = interrupts;
    return;
  }
  const bool noticed = interrupts || (told_ && locks_->events.manager() != nullptr);
  const auto alarm = noticed ? std::make_shared<LossAlarm>(*this) : nullptr;
  std::optional<Instant> renew_until;
  if (extends) renew_until = lock_.taken_at() + locks_->renew_max;
  try {
    lock_.begin_renewal(renew_until, alarm);
  } catch (...) {
    if (alarm) alarm->silence();
    throw;
  }
  if (alarm_) alarm_->silence();
  alarm_ = alarm;
  interrupts_ = interrupts;
}

Duration SharedLease::left() noexcept {
  const Duration left = lock_.left();
  const bool over = left <= Duration() && lock_.begun() && !lock_.ended() && !lock_.forked();
  if (over) note_loss();
  return left;
}

void SharedLease::note_denial(const Outcome& outcome) noexcept {
  if (lock_.note_denial(outcome) && !lock_.ended()) note_loss();
}

OperationId SharedLease::begin_change() {
  if (alarm_) alarm_->silence();
  alarm_.reset();
  lock_.take_next_token();
  rename_leases(*this, next_shown_);
  return lock_.begin_rotation();
}

void SharedLease::show_promotion() {
  if (alarm_) alarm_->silence();
  alarm_.reset();
  const std::string_view token = lock_.token().view();
  zend_string* const shown = zend_string_init(token.data(), token.size(), false);
  rename_leases(*this, shown);
  zend_string_release(shown);
  renumber_leases(*this);
}

void SharedLease::note_loss() noexcept {
  if (loss_noted_) return;
  loss_noted_ = true;
  count(Counted::lost);
  count_hold(held_for());
  note("lost");
}

void SharedLease::note(const char* event, std::optional<Duration> waited,
                       const std::vector<ServerTrouble>& troubles,
                       std::string_view reason) noexcept {
  if (!told_) return;
  locks_->events.note([&] {
    Event told{event, resources(), owner_, waited, {}, {}, troubles, std::string(reason)};
    if (!lock_.begun()) return told;
    told.held = held_for();
    told.remaining = left_at_release_ ? *left_at_release_ : lock_.left();
    if (loss_noted_) {
      told.reason = describe_end(*this, false);
      add_faults(told.troubles);
    }
    return told;
  });
}

void SharedLease::add_faults(std::vector<ServerTrouble>& troubles) const {
  for (std::size_t i = 0; i < locks_->servers.size(); ++i) {
    const Fault fault = lock_.deadline().fault_of(i);
    if (fault != Fault::none) troubles.push_back({locks_->servers[i], fault, {}});
  }
}

void SharedLease::note_transferred() noexcept {
  (void)left();
  lock_.share();
}

void SharedLease::note_release(const std::vector<ServerTrouble>& troubles) noexcept {
  if (left_at_release_) note("released", {}, troubles);
  left_at_release_.reset();
}

void SharedLease::end(HeldLock::End how) noexcept {
  if (!lock_.begun() || lock_.ended()) return;
  const Duration left_until_now = left();
  if (alarm_) alarm_->silence();
  lock_.end(how);
  if (lock_.forked()) return;
  const auto known = locks_->reentrant.find(resources().all().front());
  if (known != locks_->reentrant.end()) {
    const std::shared_ptr<SharedLease> there = known->second.lock();
    if (!there || there.get() == this) locks_->reentrant.erase(known);
  }
  if (left_until_now <= Duration()) return;
  count_hold(held_for());
  if (how != HeldLock::End::released) return;
  count(Counted::released);
  left_at_release_ = left_until_now;
}

void SharedLease::give_back() noexcept {
  if (!lock_.begun() || lock_.ended()) return;
  end(HeldLock::End::released);
  note_release();
  lock_.send_release();
}

std::string describe_end(const SharedLease& lease, bool given_back) {
  const std::string name = "the lease on " + in_quotes(lease.resources());
  if (lease.lock().forked()) return name + " belongs to the parent of this process";
  if (given_back) return name + " was given back";
  switch (lease.lock().deadline().loss()) {
    case Loss::denied:
      return name + " is lost: no majority of the servers has it";
    case Loss::silence:
      return name + " is lost: no majority of the servers has confirmed it in time";
    case Loss::renew_max:
      if (lease.lock().extends()) return name + " is over: it was kept alive for keepAliveMax";
      [[fallthrough]];
    default:
      return name + " is lost: its time is over";
  }
}

}  // namespace redlock::php
