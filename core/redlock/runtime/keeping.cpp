// Extends by the clock of each lease.
#include "redlock/runtime/keeping.hpp"

namespace redlock {

namespace {

// How often the longest answer time must fit into what is left, for all answers to be waited for.
constexpr std::int64_t kHealingOdds = 4;

}  // namespace

Keeping::Keeping(Pool& pool) : pool_(pool) {
  asking_.reserve(kExtendsUnderWayMax);
  planting_.reserve(kPlantingsMax);
}

Keeping::~Keeping() {
  while (!leases_.empty()) drop(leases_.begin());
}

std::shared_ptr<LockManager> Keeping::bind(const std::shared_ptr<const LockPlan>& plan) {
  std::erase_if(bound_, [](const auto& bound) { return bound.second.expired(); });
  std::weak_ptr<LockManager>& known = bound_[plan.get()];
  std::shared_ptr<LockManager> locks = known.lock();
  if (!locks) {
    locks = std::make_shared<LockManager>(pool_, plan);
    known = locks;
  }
  return locks;
}

void Keeping::keep(const KeptLease& lease) {
  const Trust* const name = lease.trust.get();
  Lease added{lease,
              bind(lease.plan),
              Renewal(lease.terms, lease.taken_at, lease.trusted_until, pool_.entropy()),
              lease.taken_at,
              0,
              {},
              0};
  const auto place = line_.emplace(added.due, name).first;
  try {
    leases_.emplace(name, std::move(added));
  } catch (...) {
    line_.erase(place);
    throw;
  }
}

void Keeping::stop(const Trust& trust) noexcept {
  const auto found = leases_.find(&trust);
  if (found != leases_.end()) drop(found);
}

void Keeping::drop(Leases::iterator found) noexcept {
  Lease& lease = found->second;
  if (lease.asking != 0) {
    std::erase(asking_, found->first);
    try {
      (void)pool_.take(lease.asking);
    } catch (...) {
      // What it failed by is of no interest any more.
    }
  }
  if (lease.planting != 0) {
    std::erase(planting_, found->first);
    end_planting(lease);
  }
  line_.erase({lease.due, found->first});
  leases_.erase(found);
}

void Keeping::drive(Instant now) {
  take_plantings();
  take_answers(now);
  while (!line_.empty() && line_.begin()->first <= now && asking_.size() < kExtendsUnderWayMax) {
    attend(leases_.find(line_.begin()->second), now);
  }
}

std::optional<Instant> Keeping::next_event() const {
  if (line_.empty() || asking_.size() >= kExtendsUnderWayMax) return std::nullopt;
  return line_.begin()->first;
}

void Keeping::take_answers(Instant now) {
  for (std::size_t i = asking_.size(); i-- > 0;) {
    const auto found = leases_.find(asking_[i]);
    if (!pool_.done(found->second.asking)) continue;
    asking_[i] = asking_.back();
    asking_.pop_back();
    take_answer(found->second, now);
    attend(found, now);
  }
}

void Keeping::take_answer(Lease& lease, Instant now) noexcept {
  Outcome outcome;
  try {
    outcome = lease.locks->take_extension(lease.asking);
  } catch (...) {
    // Out of memory: as if nobody had answered.
  }
  lease.asking = 0;
  if (outcome.decision == Decision::granted) {
    lease.renewal.extended(outcome.decided_at + outcome.validity, now);
    if (lease.kept.trust->prolong(lease.renewal.trusted_until(), now)) heal(lease, outcome);
  } else if (majority_denied(outcome)) {
    lease.renewal.denied();
  } else {
    lease.renewal.failed(now);
  }
}

void Keeping::attend(Leases::iterator found, Instant now) noexcept {
  Lease& lease = found->second;
  Trust& trust = *lease.kept.trust;
  lease.renewal.trusted(trust.until());
  Loss loss = lease.renewal.loss(now);
  // Its owner looked when an extend was under way, and has been told that it is over.
  if (loss == Loss::none && trust.left(now) == Duration()) loss = Loss::silence;
  if (loss != Loss::none) {
    trust.lose(loss);
    if (lease.kept.listener) lease.kept.listener->lost();
    return drop(found);
  }
  if (const std::optional<Duration> by = lease.renewal.extend_by(now)) {
    begin_extend(lease, *by, now);
  }
  auto place = line_.extract({lease.due, found->first});
  lease.due = lease.renewal.next_event(now).value_or(now);
  place.value().first = lease.due;
  line_.insert(std::move(place));
}

void Keeping::heal(Lease& lease, const Outcome& extended) noexcept {
  if (lease.planting != 0 || planting_.size() >= kPlantingsMax) return;
  try {
    const KeptLease& kept = lease.kept;
    lease.planting =
        lease.locks->begin_plant(kept.resources, kept.token, lease.by, extended).value_or(0);
    if (lease.planting != 0) planting_.push_back(kept.trust.get());
  } catch (...) {
    // No memory: the next extend tells again which vote is missing.
  }
}

void Keeping::take_plantings() noexcept {
  std::erase_if(planting_, [this](const Trust* name) {
    Lease& lease = leases_.at(name);
    if (!pool_.done(lease.planting)) return false;
    end_planting(lease);
    return true;
  });
}

// What is under way is undone. So is what was planted for a lease that is over by now, for its
// release may have been there before it, on another connection.
void Keeping::end_planting(Lease& lease) noexcept {
  const KeptLease& kept = lease.kept;
  try {
    const Outcome planted = pool_.take(std::exchange(lease.planting, 0));
    if (planted.decision != Decision::granted || kept.trust->until() != Instant()) return;
    (void)pool_.take(lease.locks->begin_unlock(kept.resources, kept.token));
  } catch (...) {
    // What it failed by is of no interest.
  }
}

void Keeping::begin_extend(Lease& lease, Duration by, Instant now) noexcept {
  try {
    // Where there is time, every node's answer is waited for: it may have lost its vote.
    const bool time =
        lease.renewal.trusted_until() - now > lease.locks->answer_time() * kHealingOdds;
    lease.by = by;
    lease.asking = lease.locks->begin_extend(lease.kept.resources, lease.kept.token, by,
                                             time ? LossDetail::each : LossDetail::reason);
    asking_.push_back(lease.kept.trust.get());
  } catch (...) {
    // No memory, or too little time is left for an extend to gain any.
    lease.renewal.failed(now);
  }
}

}  // namespace redlock
