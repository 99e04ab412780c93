// Extends by the clock of each lease.
#include "redlock/lease/renewal_scheduler.hpp"

#include <algorithm>
#include <utility>

namespace redlock {

namespace {

// How often the longest answer time must fit into what is left, for all answers to be waited for.
constexpr std::int64_t kHealingOdds = 4;

}  // namespace

RenewalScheduler::RenewalScheduler(Pool& pool) : pool_(pool) { repairing_.reserve(kRepairsMax); }

RenewalScheduler::~RenewalScheduler() { clear(); }

void RenewalScheduler::clear() noexcept {
  while (!repairing_.empty()) drop(leases_.find(repairing_.front()));
  while (!leases_.empty()) drop(leases_.begin());
}

std::shared_ptr<RenewalScheduler::Bound> RenewalScheduler::bind(
    const std::shared_ptr<const LockPlan>& plan) {
  std::erase_if(bound_, [](const auto& known) { return known.second.expired(); });
  std::weak_ptr<Bound>& known = bound_[plan.get()];
  std::shared_ptr<Bound> bound = known.lock();
  if (!bound) {
    bound = std::make_shared<Bound>(pool_, plan);
    known = bound;
  }
  return bound;
}

void RenewalScheduler::keep(const KeptLease& lease) {
  const LeaseDeadline* const name = lease.lease_deadline.get();
  Lease added{lease, bind(lease.plan),
              Renewal(lease.terms, lease.taken_at, lease.valid_until, pool_.entropy()),
              latest_number_ + 1, lease.taken_at};
  if (const auto known = leases_.find(name); known != leases_.end()) {
    end_asking(known->second);
    added.number = known->second.number;
    added.due = known->second.due;
    added.repairing = known->second.repairing;
    added.repaired = known->second.repaired;
    line_.try_emplace(place_of(added), known);
    known->second = std::move(added);
    // While an extend was under way it stood there for the end of its deadline.
    put_in_line(known, lease.taken_at);
    return;
  }
  const auto place = leases_.emplace(name, std::move(added)).first;
  try {
    line_.emplace(place_of(place->second), place);
  } catch (...) {
    leases_.erase(place);
    throw;
  }
  ++latest_number_;
}

void RenewalScheduler::stop(const LeaseDeadline& lease_deadline) noexcept {
  const auto found = leases_.find(&lease_deadline);
  if (found == leases_.end()) return;
  lease_deadline.released() ? drop(found) : leave(found);
}

void RenewalScheduler::leave(Leases::iterator found) noexcept {
  Lease& lease = found->second;
  if (lease.repairing == 0) return drop(found);
  end_asking(lease);
  line_.erase(place_of(lease));
  lease.left = true;
}

void RenewalScheduler::drop(Leases::iterator found) noexcept {
  Lease& lease = found->second;
  end_asking(lease);
  if (lease.repairing != 0) {
    std::erase(repairing_, found->first);
    end_repairing(lease);
  }
  remove_repaired(lease);
  line_.erase(place_of(lease));
  leases_.erase(found);
}

void RenewalScheduler::end_asking(Lease& lease) noexcept {
  if (lease.asking == 0) return;
  asking_.erase(lease.asking);
  --lease.bound->asking;
  try {
    (void)pool_.collect(std::exchange(lease.asking, 0));
  } catch (...) {
    // What it failed by is of no interest any more.
  }
}

void RenewalScheduler::drive(Instant now) {
  take_repairs();
  take_answers(now);
  const auto any_due = [&] { return !line_.empty() && line_.begin()->first.first <= now; };
  while (any_due()) {
    const Pool::Batch together(pool_);
    for (std::size_t i = 0; i < kBatchMax && any_due(); ++i) {
      attend(line_.begin()->second, now);
    }
  }
}

std::optional<Instant> RenewalScheduler::next_event() const {
  if (line_.empty()) return std::nullopt;
  return line_.begin()->first.first;
}

void RenewalScheduler::take_answers(Instant now) {
  // What is asked meanwhile and answered at once waits for the next turn.
  for (std::size_t i = answered_.size(); i-- > 0;) {
    const auto asking = asking_.find(*answered_.next());
    // Its lease was let go of behind its end.
    if (asking == asking_.end()) continue;
    const Leases::iterator found = asking->second;
    asking_.erase(asking);
    take_answer(found->second, now);
    attend(found, now);
  }
}

void RenewalScheduler::take_answer(Lease& lease, Instant now) noexcept {
  Outcome outcome;
  try {
    outcome = lease.bound->locks.collect_extension(lease.asking);
  } catch (...) {
    // Out of memory: as if nobody had answered.
  }
  lease.asking = 0;
  --lease.bound->asking;
  lease.kept.lease_deadline->note_faults(outcome.nodes);
  if (outcome.decision == Decision::granted) {
    lease.renewal.extended(outcome.decided_at + outcome.validity, now);
    if (lease.kept.lease_deadline->prolong(lease.renewal.valid_until(), now)) heal(lease, outcome);
  } else if (proven_denied(outcome)) {
    lease.renewal.denied();
  } else {
    lease.renewal.failed(now);
  }
}

void RenewalScheduler::attend(Leases::iterator found, Instant now) noexcept {
  Lease& lease = found->second;
  LeaseDeadline& lease_deadline = *lease.kept.lease_deadline;
  lease.renewal.trusted(lease_deadline.until());
  Loss loss = lease.renewal.loss(now);
  // Its owner looked when an extend was under way, and has been told that it is over.
  if (loss == Loss::none && lease_deadline.left(now) == Duration()) loss = Loss::silence;
  if (loss != Loss::none) lease_deadline.lose(loss);
  // Its owner is about to say so. Asked last: what was found to be over may be so by him.
  if (lease_deadline.released()) return drop(found);
  if (lease_deadline.transferred() || lease_deadline.superseded()) return leave(found);
  if (loss != Loss::none) {
    if (lease.kept.listener) lease.kept.listener->lost();
    return drop(found);
  }
  const bool crowded = lease.bound->asking >= kExtendsUnderWayMax;
  if (!crowded) {
    if (const auto by = lease.renewal.extend_by(now)) begin_extend(found, *by, now);
  }
  Instant due = lease.renewal.next_event(now).value_or(now);
  if (crowded) due = std::max(due, now + kCrowdedPause);
  put_in_line(found, std::min(due, lease.renewal.valid_until()));
}

void RenewalScheduler::put_in_line(Leases::iterator found, Instant due) noexcept {
  auto place = line_.extract(place_of(found->second));
  found->second.due = due;
  place.key().first = due;
  line_.insert(std::move(place));
}

void RenewalScheduler::heal(Lease& lease, const Outcome& extended) noexcept {
  if (lease.repairing != 0 || repairing_.size() >= kRepairsMax) return;
  try {
    const KeptLease& kept = lease.kept;
    lease.repairing =
        lease.bound->locks.begin_repair(kept.resources, kept.token, lease.by, extended, kept.mode)
            .value_or(0);
    if (lease.repairing != 0) repairing_.push_back(kept.lease_deadline.get());
  } catch (...) {
    // No memory: the next extend tells again which vote is missing.
  }
}

void RenewalScheduler::take_repairs() noexcept {
  std::erase_if(repairing_, [this](const LeaseDeadline* name) {
    const auto found = leases_.find(name);
    Lease& lease = found->second;
    if (!pool_.done(lease.repairing) && !lease.kept.lease_deadline->released()) return false;
    end_repairing(lease);
    if (lease.left) leases_.erase(found);
    return true;
  });
}

void RenewalScheduler::end_repairing(Lease& lease) noexcept {
  try {
    const Outcome repaired = pool_.collect(std::exchange(lease.repairing, 0));
    if (repaired.decision != Decision::denied) lease.repaired = true;
  } catch (...) {
    // What it failed by is of no interest.
    lease.repaired = true;
  }
  remove_repaired(lease);
}

// Not before: while the lock lives its owner may count the vote, by an extend on a connection of
// his own that comes before the removal.
void RenewalScheduler::remove_repaired(Lease& lease) noexcept {
  const KeptLease& kept = lease.kept;
  // A child remembers what its parent repaired, whose lock may live yet.
  if (!kept.lease_deadline->released() || watch_.forked()) return;
  if (!std::exchange(lease.repaired, false)) return;
  try {
    (void)pool_.collect(lease.bound->locks.begin_unlock(kept.resources, kept.token));
  } catch (...) {
    // What it failed by is of no interest.
  }
}

void RenewalScheduler::begin_extend(Leases::iterator found, Duration by, Instant now) noexcept {
  Lease& lease = found->second;
  try {
    // The memory for what is noted when it has begun.
    std::map<OperationId, Leases::iterator> noted;
    noted.emplace(0, found);
    auto note = noted.extract(noted.begin());
    answered_.make_room();
    // Where there is time, every node's answer is waited for: it may have lost its vote.
    const bool time =
        lease.renewal.valid_until() - now > lease.bound->locks.answer_time() * kHealingOdds;
    lease.by = by;
    lease.kept.lease_deadline->note_told(by, now);
    lease.asking = lease.bound->locks.begin_extend(lease.kept.resources, lease.kept.token, by,
                                                   time ? LossDetail::each : LossDetail::reason);
    note.key() = lease.asking;
    asking_.insert(std::move(note));
    pool_.tell(lease.asking, answered_);
    ++lease.bound->asking;
  } catch (...) {
    // No memory, or too little time is left for an extend to gain any.
    lease.renewal.failed(now);
  }
}

}  // namespace redlock
