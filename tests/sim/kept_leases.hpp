// The renewal thread's half of a simulated process: leases that are extended while the application
// works.
//
// What its thread does is done here in the process's turns, over connections of its own, beside
// what the application asks for on the others. One thread; lives as long as its client.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "redlock/lease/renewal_scheduler.hpp"
#include "redlock/net/pool.hpp"
#include "sim/client.hpp"

namespace redlock::sim {

class KeptLeases {
 public:
  // All references must outlive it.
  KeptLeases(Scene& scene, std::uint32_t client, HostTime& time, Clock& clock, std::uint64_t seed);
  KeptLeases(const KeptLeases&) = delete;
  KeptLeases& operator=(const KeptLeases&) = delete;
  ~KeptLeases();

  // The lock that `outcome` granted is kept from now on.
  std::shared_ptr<LeaseDeadline> keep(std::shared_ptr<const LockPlan> plan,
                                      const Resources& resources, const Outcome& outcome,
                                      RenewalTerms terms);
  // The same of one that was shortened: its deadline is there already.
  void keep(std::shared_ptr<const LockPlan> plan, const Resources& resources,
            const Outcome& outcome, RenewalTerms terms,
            const std::shared_ptr<LeaseDeadline>& lease_deadline);
  // Its owner releases it, or has lost it; the thread hears of that now, or in its next turn.
  void stop(LeaseDeadline& lease_deadline, bool at_once);
  // The same where he goes on with another token.
  void retire(LeaseDeadline& lease_deadline, bool at_once);
  // One turn of the thread.
  void act();
  // When it wants the next one, by the process's clock; nothing: when the network has something.
  [[nodiscard]] std::optional<Instant> next_turn();
  [[nodiscard]] bool has_unread() const { return transport_.has_unread(); }
  // The process is gone, in whatever order.
  void die();
  void vanish() { transport_.vanish(); }
  // The process has forked, and this is the child's: the parent's thread is not here.
  void inherit() { transport_.inherit(); }

 private:
  void tell(const LeaseDeadline& lease_deadline, bool at_once);

  Clock& clock_;
  SimTransport transport_;
  SimEntropy entropy_;
  Pool pool_;
  RenewalScheduler scheduler_;
  std::vector<const LeaseDeadline*> stopped_;
};

}  // namespace redlock::sim
