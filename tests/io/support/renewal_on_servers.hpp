// A renewal thread beside the test's own thread, and leases on real servers for it to keep.
#pragma once
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "io/support/fleet.hpp"
#include "redlock/lease/renewal_thread.hpp"
#include "support/kept_lease.hpp"

namespace redlock::test {

inline constexpr Duration kKeptTtl = Duration::ms(2'000);

// Of /proc: is it waiting for something?
inline bool asleep(const std::filesystem::path& task) {
  std::ifstream stat(task / "stat");
  std::string number, name, state;
  stat >> number >> name >> state;
  return state == "S";
}

class RenewalOnServers : public Fleet {
 protected:
  static LockOptions kept() {
    LockOptions options = once();
    options.client_name = "kept";
    return options;
  }
  KeptLease take(const std::string& resource = "r", Duration ttl = kKeptTtl) {
    const Instant taken_at = runtime_.pool().clock().now();
    const Outcome taken = lock(runtime_, locks_, resource, ttl);
    return kept_lease(plan_, resource, taken, taken_at, {ttl, ttl * 1'800});
  }
  // As if it had been taken a third of its ttl ago: its first extend is due at once.
  KeptLease take_due(const std::string& resource = "r", Duration ttl = kKeptTtl) {
    KeptLease lease = take(resource, ttl);
    const Duration third = Duration::ns(ttl.count_ns() / kRenewalPart);
    lease.taken_at = lease.taken_at - third;
    lease.valid_until = lease.valid_until - third;
    lease.lease_deadline = std::make_shared<LeaseDeadline>(lease.valid_until);
    return lease;
  }
  static void end(RenewalThread& renewal_thread, const KeptLease& lease) {
    lease.lease_deadline->end();
    renewal_thread.stop(*lease.lease_deadline);
  }
  // It is trusted beyond what taking it gave.
  bool extended(const KeptLease& lease) {
    return eventually([&] { return lease.lease_deadline->until() > lease.valid_until; });
  }
  // How often the threads beside ours went to sleep.
  static std::size_t sleeps_of_others() {
    std::size_t sleeps = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      if (task.path().filename() == std::to_string(gettid())) continue;
      std::ifstream status(task.path() / "status");
      for (std::string line; std::getline(status, line);) {
        if (line.starts_with("voluntary_ctxt_switches:")) sleeps += std::stoul(line.substr(24));
      }
    }
    return sleeps;
  }
  bool lost(const KeptLease& lease) {
    return eventually([&] { return lease.lease_deadline->loss() != Loss::none; });
  }

  Runtime runtime_;
  std::shared_ptr<const LockPlan> plan_ = std::make_shared<const LockPlan>(specs(3), kept());
  LockManager locks_{runtime_.pool(), plan_};
  RenewalThread renewal_thread_;
};

// Its tests run under ThreadSanitizer too.
class RenewalBesideTwoThreads : public RenewalOnServers {};

}  // namespace redlock::test
