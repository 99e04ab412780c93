// One call after the other on the client's own connections.
#include "redlock/client/shared.hpp"

#include <algorithm>
#include <stdexcept>

#include "redlock/algorithm/retry.hpp"
#include "redlock/net/outage_watch.hpp"

namespace redlock {
inline namespace v0 {
namespace inner {

Resources resources_of(const std::vector<std::string>& names) {
  if (names.empty()) throw std::invalid_argument("resources must not be empty");
  if (names.size() > kResourcesTogetherMax) {
    throw std::invalid_argument("resources must be at most 16");
  }
  std::vector<Resource> several;
  several.reserve(names.size());
  for (const std::string& name : names) several.emplace_back(name);
  Resources resources(std::move(several));
  if (resources.all().size() == names.size()) return resources;
  throw std::invalid_argument("resources must not name one of them twice");
}

Shared& alive(const std::shared_ptr<Shared>& shared) {
  if (!shared) throw std::logic_error("the client was moved from");
  return *shared;
}

Shared::Shared(std::shared_ptr<const LockPlan> plan, const Options& options)
    : plan_(std::move(plan)),
      in_line_(options.line),
      retry_delay_ms_(options.retry_delay.count()),
      extras_{options.owner, options.fence},
      locks_(runtime_.pool(), plan_) {}

void Shared::step_until_done(OperationId id, const std::stop_token& stop,
                             const OnOutage& on_outage) {
  Pool& pool = runtime_.pool();
  OutageWatch watch;
  while (!pool.done(id) && !stop.stop_requested()) {
    if (on_outage) {
      if (const auto outage = watch.look(pool, id)) on_outage(refusal_of(*outage));
    }
    pool.step(stop.stop_possible() || on_outage ? now() + kWaitSlice : Instant::never());
  }
}

void Shared::give_back(OperationId id, const Resources& resources) noexcept {
  try {
    (void)locks_.collect_lock(id, resources, Caller::left);
  } catch (...) {
    // What it failed by is what the caller is being told already.
  }
}

OperationId Shared::begin_acquire(const Resources& resources, const LockShape& shape, Duration ttl,
                                  Duration wait) {
  LockExtras extras = extras_;
  extras.mode = shape.mode;
  extras.permits = shape.permits;
  if (in_line_ && wait > Duration()) {
    return locks_.begin_wait(resources, ttl, wait, retry_delay_ms_, extras);
  }
  return locks_.begin_lock(resources, ttl, RetryPolicy::waiting(wait, retry_delay_ms_), extras);
}

Outcome Shared::acquire(const Resources& resources, const LockShape& shape, Duration ttl,
                        Duration wait, const std::stop_token& stop, const OnOutage& on_outage) {
  owed_.pay();
  const OperationId id = begin_acquire(resources, shape, ttl, wait);
  try {
    step_until_done(id, stop, on_outage);
  } catch (...) {
    give_back(id, resources);
    throw;
  }
  // Where it is undecided this aborts it, and sends what undoes it.
  return locks_.collect_lock(id, resources, Caller::waits);
}

bool Shared::pause(Instant until, const std::stop_token& stop) {
  if (now() >= until) return false;
  Pool& pool = runtime_.pool();
  const RetryPolicy pauses = RetryPolicy::jittered(1, retry_delay_ms_);
  const Instant again = std::min(now() + pauses.draw_pause(pool.entropy()), until);
  while (now() < again && !stop.stop_requested()) {
    pool.step(stop.stop_possible() ? std::min(now() + kWaitSlice, again) : again);
  }
  return !stop.stop_requested();
}

template <class Begin, class Collect>
Outcome Shared::change(Begin begin, Collect collect) {
  owed_.pay();
  const OperationId id = begin();
  try {
    step_until_done(id, {}, {});
  } catch (...) {
    try {
      (void)collect(id);
    } catch (...) {
      // What it failed by is what the caller is being told already.
    }
    throw;
  }
  return collect(id);
}

Outcome Shared::rotate(HeldLock& lock) {
  return change([&] { return lock.begin_rotation(); },
                [&](OperationId id) { return lock.collect_rotation(id); });
}

Outcome Shared::promote(HeldLock& lock) {
  return change([&] { return lock.begin_promotion(); },
                [&](OperationId id) { return lock.collect_promotion(id); });
}

Outcome Shared::demote(HeldLock& lock) {
  return change([&] { return lock.begin_demotion(); },
                [&](OperationId id) { return lock.collect_demotion(id); });
}

std::vector<Trouble> Shared::troubles_of(const Outcome& outcome) const {
  std::vector<Trouble> troubles;
  for (ServerTrouble& trouble : locks_.troubles(outcome)) {
    troubles.push_back({std::move(trouble.server), trouble.fault, std::move(trouble.reason)});
  }
  return troubles;
}

Refusal Shared::refusal_of(const Outcome& outcome) const {
  Refusal refusal{outcome.decision, troubles_of(outcome), false};
  std::size_t bounds = 0;
  std::size_t outages = 0;
  for (const Trouble& trouble : refusal.troubles) {
    bounds += trouble.fault == Fault::bound ? 1 : 0;
    outages += trouble.fault != Fault::bound && trouble.fault != Fault::unanswered ? 1 : 0;
  }
  refusal.own_bound = outcome.decision == Decision::unreachable && bounds > 0 &&
                      !outcome.quorum.fails_without(outages);
  return refusal;
}

}  // namespace inner
}  // namespace v0
}  // namespace redlock
