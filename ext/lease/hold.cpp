// The life of a lock that is held.
#include "lease/hold.hpp"

#include "border/globals.hpp"
#include "border/text.hpp"
#include "lease/stats.hpp"

namespace redlock::php {

void Hold::begin(Token token, Instant taken_at, Instant trusted_until) {
  token_ = std::move(token);
  taken_at_ = taken_at;
  try {
    trust_ = std::make_shared<Trust>(trusted_until);
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
  const bool as_it_is = extends == extends_ && interrupts == interrupts_;
  if (as_it_is || !live()) return;
  std::unique_ptr<Keeper>& keeper = thread_state().keeper;
  if (!keeper) keeper = std::make_unique<Keeper>();
  const Instant until = trust_->until();
  const bool noticed = interrupts || (told_ && locks_->events.manager() != nullptr);
  const auto alarm = noticed ? std::make_shared<LossAlarm>(*this) : nullptr;
  // Where it is not kept alive, only its end is to be noticed: an extend would gain nothing.
  const Duration keep_max = extends ? locks_->keep_max : until - taken_at_;
  try {
    keeper->keep({locks_->plan,
                  resources_,
                  token_,
                  {terms_.ttl, keep_max},
                  taken_at_,
                  until,
                  trust_,
                  alarm});
  } catch (...) {
    if (alarm) alarm->silence();
    throw;
  }
  if (alarm_) alarm_->silence();
  alarm_ = alarm;
  extends_ = extends;
  interrupts_ = interrupts;
}

Duration Hold::left() {
  if (!trust_ || ended_ || forked()) return {};
  const Duration left = trust_->left(clock_.now());
  if (left <= Duration()) note_loss();
  return left;
}

bool Hold::prolong(Instant until) { return live() && trust_->prolong(until, clock_.now()); }

void Hold::lose() {
  if (!trust_ || ended_ || forked()) return;
  trust_->lose(Loss::denied);
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
    told.remaining = left_at_release_ ? *left_at_release_ : trust_->left(clock_.now());
    if (loss_noted_) told.reason = describe_end(*this, false);
    return told;
  });
}

void Hold::note_release() noexcept {
  if (left_at_release_) note("released");
  left_at_release_.reset();
}

void Hold::end(End how) {
  if (!trust_ || ended_) return;
  const Duration left_until_now = left();
  ended_ = true;
  if (alarm_) alarm_->silence();
  // A child has no part in it.
  if (forked()) return;
  how == End::released ? trust_->end() : trust_->pass_on();
  if (known_to_keeper()) thread_state().keeper->stop(*trust_);
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
    ended_ = true;
    if (forked()) return;
    thread_state().releases.send(locks_->manager, resources_, token_);
    note_release();
  } catch (...) {
    // No memory for it: it ends with its ttl, as where a process is killed.
  }
}

std::string describe_end(const Hold& hold, bool given_back) {
  const std::string lease = "the lease on " + quoted(hold.resources().only().view());
  if (hold.forked()) return lease + " belongs to the process that this one was forked from";
  if (given_back) return lease + " was given back";
  switch (hold.loss()) {
    case Loss::denied:
      return lease + " is lost: a majority of the servers says that it is not ours";
    case Loss::silence:
      return lease + " is lost: no majority of the servers has confirmed it in time";
    case Loss::kept:
      if (hold.kept_alive()) return lease + " was kept alive for as long as keepAliveMax says";
      [[fallthrough]];
    default:
      return lease + " is lost: its time is over";
  }
}

}  // namespace redlock::php
