// Leases that are kept over a pool of fake servers, as the renewal thread would keep them.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "redlock/lease/renewal_scheduler.hpp"
#include "support/fake_world.hpp"
#include "support/kept_lease.hpp"

namespace redlock::test {

inline constexpr Duration kTtl = Duration::ms(3'000);

class RenewalSchedulerTest : public FakeWorld {
 protected:
  struct CountedLosses final : LossListener {
    void lost() noexcept override { ++count; }
    int count = 0;
  };

  // Taken now, by a manager of the same servers.
  KeptLease take(const std::string& resource = "r", Duration renew_max = Duration::seconds(3'600)) {
    LockManager locks(pool_, plan_);
    const Instant taken_at = clock_.now();
    const Outcome taken = lock(locks, resource, kTtl);
    return kept_lease(plan_, resource, taken, taken_at, {kTtl, renew_max}, losses_);
  }
  // As if it had been taken a third of its ttl ago: it is due at once, whatever its jitter.
  KeptLease take_due(const std::string& resource) {
    KeptLease lease = take(resource);
    const Duration third = Duration::ns(kTtl.count_ns() / kRenewalPart);
    lease.taken_at = lease.taken_at - third;
    lease.valid_until = lease.valid_until - third;
    lease.lease_deadline = std::make_shared<LeaseDeadline>(lease.valid_until);
    return lease;
  }
  // Kept, and the vote that server 2 has lost is on its way there again.
  KeptLease take_and_repair() {
    const KeptLease lease = take();
    scheduler_.keep(lease);
    server(2).keys.clear();
    server(2).answer_time = Duration::ms(20);
    const std::size_t before = server(2).count("SET");
    while (server(2).count("SET") == before) keep_for(Duration::ms(1));
    return lease;
  }
  // Lets time pass as the renewal thread does.
  void keep_for(Duration span) {
    const Instant until = clock_.now() + span;
    while (clock_.now() < until) {
      scheduler_.drive(clock_.now());
      pool_.step(std::min(until, scheduler_.next_event().value_or(until)));
    }
    scheduler_.drive(clock_.now());
  }
  // Of keys that begin so. Extends only; a release has a script of its own.
  std::size_t extends(std::size_t i) {
    return static_cast<std::size_t>(std::ranges::count_if(server(i).log, [](const auto& request) {
      return request.size() == 6 && request[0].starts_with("EVAL") && request[3].starts_with("r");
    }));
  }
  bool live(const KeptLease& lease) {
    return lease.lease_deadline->left(clock_.now()) > Duration();
  }

  std::shared_ptr<const LockPlan> plan_ = std::make_shared<const LockPlan>(specs(3), once());
  std::shared_ptr<CountedLosses> losses_ = std::make_shared<CountedLosses>();
  RenewalScheduler scheduler_{pool_};
};

}  // namespace redlock::test
