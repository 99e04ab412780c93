// The life of a lock that is held.
#include "lease/hold.hpp"

#include <algorithm>

#include "border/globals.hpp"
#include "border/text.hpp"
#include "lease/stats.hpp"

namespace redlock::php {

namespace {

thread_local Hold* first_held = nullptr;

bool of_same_servers(const Locks& one, const Locks& other) {
  return &one == &other || std::ranges::is_permutation(one.servers, other.servers);
}

}  // namespace

void Hold::join_list() {
  listed_ = true;
  behind_ = first_held;
  if (behind_ != nullptr) behind_->before_ = this;
  first_held = this;
}

void Hold::leave_list() {
  if (!listed_) return;
  listed_ = false;
  (before_ != nullptr ? before_->behind_ : first_held) = behind_;
  if (behind_ != nullptr) behind_->before_ = before_;
}

Hold* Hold::held_here(const Locks& locks, const Resources& resources) {
  Hold* hold = first_held;
  while (hold != nullptr) {
    const bool same = hold->resources_.only() == resources.only() && !hold->transferred_ &&
                      of_same_servers(*hold->locks_, locks);
    if (same && hold->live()) break;
    hold = hold->behind_;
  }
  return hold;
}

void Hold::begin(Token token, Instant taken_at, Instant valid_until, Instant told_until) {
  token_ = std::move(token);
  taken_at_ = ttl_from_ = taken_at;
  join_list();
  try {
    lease_deadline_ = std::make_shared<LeaseDeadline>(valid_until, told_until);
  } catch (...) {
    give_back();
    throw;
  }
}

void Hold::make_reentrant(const std::shared_ptr<Hold>& self) {
  locks_->reentrant[resources_.only()] = self;
}

std::shared_ptr<Hold> Hold::reentrant(const Locks& locks, const Resources& resources,
                                      std::string_view owner) {
  const auto known = locks.reentrant.find(resources.only());
  if (known == locks.reentrant.end()) return nullptr;
  std::shared_ptr<Hold> hold = known->second.lock();
  return hold && hold->owner_ == owner && hold->live() ? hold : nullptr;
}

void Hold::keep(const LeaseTerms& wanted) {
  const bool extends = wanted.keep_alive || extends_;
  const bool interrupts = wanted.interrupt || interrupts_;
  const bool as_it_is = extends == extends_ && interrupts == interrupts_ &&
                        known_to_renewal_ == (extends || interrupts);
  if (as_it_is || !live()) return;
  if (is_being_shortened()) {
    // An extend of the fresh token could be there before it.
    extends_ = extends;
    interrupts_ = interrupts;
    return;
  }
  std::unique_ptr<RenewalThread>& renewal_thread = thread_state().renewal_thread;
  if (!renewal_thread) renewal_thread = std::make_unique<RenewalThread>();
  const Instant until = lease_deadline_->until();
  const bool noticed = interrupts || (told_ && locks_->events.manager() != nullptr);
  const auto alarm = noticed ? std::make_shared<LossAlarm>(*this) : nullptr;
  // Where it is not kept alive, only its end is to be noticed: an extend would gain nothing.
  const Instant keep_until = extends ? taken_at_ + locks_->keep_max : until;
  try {
    renewal_thread->keep({locks_->plan,
                          resources_,
                          token_,
                          {terms_.ttl, keep_until - ttl_from_},
                          ttl_from_,
                          until,
                          lease_deadline_,
                          alarm});
  } catch (...) {
    if (alarm) alarm->silence();
    throw;
  }
  if (alarm_) alarm_->silence();
  alarm_ = alarm;
  known_to_renewal_ = true;
  extends_ = extends;
  interrupts_ = interrupts;
}

Duration Hold::left() {
  if (!lease_deadline_ || ended_ || forked()) return {};
  const Duration left = lease_deadline_->left(clock_.now());
  if (left <= Duration()) note_loss();
  return left;
}

bool Hold::prolong(Instant until) {
  return live() && lease_deadline_->prolong(until, clock_.now());
}

bool Hold::is_shorter(Duration ttl) {
  if (transferred_) return false;
  return (extends_ && ttl < terms_.ttl) || lease_deadline_->may_outlast(ttl, clock_.now());
}

void Hold::prepare_shortening(Duration ttl) {
  LeaseRotation rotation(locks_->manager, resources_, token_, ttl, lease_deadline_);
  Token fresh = rotation.fresh();
  rotations_.reserve(rotations_.size() + 1);
  next_.emplace(Next{std::move(rotation), std::move(fresh)});
}

void Hold::take_next_token() noexcept {
  // Nobody extends the old token from here on, nor repairs it again.
  if (alarm_) alarm_->silence();
  lease_deadline_->supersede();
  if (known_to_renewal_) thread_state().renewal_thread->stop(*lease_deadline_);
  alarm_.reset();
  known_to_renewal_ = false;
  token_ = std::move(next_->token);
  ++token_number_;
  lease_deadline_ = next_->rotation.lease_deadline();
  terms_.ttl = next_->rotation.ttl();
  ttl_from_ = clock_.now();
}

OperationId Hold::begin_shortening() {
  LeaseRotation rotation = std::move(next_->rotation);
  next_.reset();
  try {
    const OperationId id = rotation.begin();
    rotations_.push_back(std::move(rotation));
    return id;
  } catch (...) {
    // No key has changed, or both tokens are being removed.
    token_ = std::move(rotation).held();
    throw;
  }
}

Outcome Hold::collect_shortening(OperationId id) {
  const auto under_way = std::ranges::find(rotations_, id, &LeaseRotation::id);
  LeaseRotation rotation = std::move(*under_way);
  rotations_.erase(under_way);
  return rotation.collect();
}

bool Hold::is_being_shortened() const {
  return !rotations_.empty() && rotations_.back().lease_deadline() == lease_deadline_;
}

void Hold::lose() {
  if (!lease_deadline_ || ended_ || forked()) return;
  lease_deadline_->lose(Loss::denied);
  note_loss();
}

void Hold::note_loss() {
  if (loss_noted_) return;
  loss_noted_ = true;
  count(Counted::lost);
  count_hold(clock_.now() - taken_at_);
  note("lost");
}

void Hold::note(const char* event, std::optional<Duration> waited,
                const std::vector<ServerTrouble>& troubles, std::string_view reason) noexcept {
  if (!told_) return;
  locks_->events.note([&] {
    const bool was_held = !token_.empty();
    Event told{event,    std::string(resources_.only().view()),
               owner_,   waited,
               {},       {},
               troubles, std::string(reason)};
    if (!was_held) return told;
    told.held = clock_.now() - taken_at_;
    told.remaining = left_at_release_ ? *left_at_release_ : lease_deadline_->left(clock_.now());
    if (loss_noted_) {
      told.reason = describe_end(*this, false);
      add_faults(told.troubles);
    }
    return told;
  });
}

void Hold::add_faults(std::vector<ServerTrouble>& troubles) const {
  for (std::size_t i = 0; i < locks_->servers.size(); ++i) {
    const Fault fault = lease_deadline_->fault_of(i);
    if (fault != Fault::none) troubles.push_back({locks_->servers[i], fault, {}});
  }
}

void Hold::note_transferred() noexcept {
  transferred_ = true;
  if (left() > Duration()) lease_deadline_->share();
}

void Hold::note_release(const std::vector<ServerTrouble>& troubles) noexcept {
  if (left_at_release_) note("released", {}, troubles);
  left_at_release_.reset();
}

void Hold::end(End how) {
  if (!lease_deadline_ || ended_) return;
  const Duration left_until_now = left();
  ended_ = true;
  if (alarm_) alarm_->silence();
  // A child has no part in it.
  if (forked()) return;
  // Also where it is over for us: whoever has it may have extended it further.
  how == End::transferred ? lease_deadline_->transfer() : lease_deadline_->end();
  if (known_to_renewal_) thread_state().renewal_thread->stop(*lease_deadline_);
  const auto known = locks_->reentrant.find(resources_.only());
  if (known != locks_->reentrant.end()) {
    const std::shared_ptr<Hold> there = known->second.lock();
    if (!there || there.get() == this) locks_->reentrant.erase(known);
  }
  if (left_until_now <= Duration()) return;
  count_hold(clock_.now() - taken_at_);
  if (how != End::released) return;
  count(Counted::released);
  left_at_release_ = left_until_now;
}

void Hold::give_back() noexcept {
  if (token_.empty() || ended_) return;
  try {
    end(End::released);
    note_release();
    if (!forked()) thread_state().releases.send(locks_->manager, resources_, token_);
  } catch (...) {
    owe_release();
  }
  ended_ = true;
}

void Hold::owe_release() noexcept {
  if (way_back_.empty() || forked()) return;
  try {
    way_back_.front().token = token_;  // its objects go on showing it
  } catch (...) {
    way_back_.front().token = std::move(token_);
  }
  locks_->owed.add(std::move(way_back_));
}

std::string describe_end(const Hold& hold, bool given_back) {
  const std::string lease = "the lease on " + quoted(hold.resources().only().view());
  if (hold.forked()) return lease + " belongs to the parent of this process";
  if (given_back) return lease + " was given back";
  switch (hold.loss()) {
    case Loss::denied:
      return lease + " is lost: no majority of the servers has it";
    case Loss::silence:
      return lease + " is lost: no majority of the servers has confirmed it in time";
    case Loss::kept:
      if (hold.kept_alive()) return lease + " is over: it was kept alive for keepAliveMax";
      [[fallthrough]];
    default:
      return lease + " is lost: its time is over";
  }
}

}  // namespace redlock::php
