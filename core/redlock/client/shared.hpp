// What a client and its leases have in common: the plan, the connections, the renewal thread.
//
// It lives for as long as any of them, so that a lease may outlive its client; its end delivers
// what is still to be removed. Confined to one thread at a time, as they are.
#pragma once
#include <memory>
#include <stop_token>

#include "redlock/lease/async_releases.hpp"
#include "redlock/lease/held_lock.hpp"
#include "redlock/lease/release_outbox.hpp"
#include "redlock/lease/renewal_thread.hpp"
#include "redlock/locks/lock_manager.hpp"
#include "redlock/locks/runtime.hpp"
#include "redlock/redlock.hpp"

namespace redlock {
inline namespace v0 {
namespace inner {

// Nobody waits for longer before looking whether a stop was requested.
inline constexpr Duration kWaitSlice = Duration::ms(25);

[[nodiscard]] inline Duration duration_of(Milliseconds time) { return Duration::ms(time.count()); }

// Throws std::invalid_argument where there are none, too many, or one twice.
[[nodiscard]] Resources resources_of(const std::vector<std::string>& names);

// What kind of lock is asked for.
struct LockShape {
  LockMode mode = LockMode::exclusive;
  std::size_t permits = 0;  // one of so many; 0: the lock itself
};

class Shared;
// What a client has. Throws std::logic_error where it was moved from.
[[nodiscard]] Shared& alive(const std::shared_ptr<Shared>& shared);

class Shared {
 public:
  // Requires options that have been checked.
  Shared(std::shared_ptr<const LockPlan> plan, const Options& options);
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  // Throws what LockManager::begin_wait() throws. What was begun is undone where this throws or a
  // stop is requested.
  [[nodiscard]] Outcome acquire(const Resources& resources, const LockShape& shape, Duration ttl,
                                Duration wait, const std::stop_token& stop,
                                const OnOutage& on_outage);
  // What `begin` begins with the manager, once it is answered.
  template <class Begin>
  [[nodiscard]] Outcome ask(Begin begin) {
    owed_.pay();
    return runtime_.pool().run(begin(locks_));
  }
  // The pause before what was refused is asked again, cut by the end of the wait. False: a stop is
  // requested, or the wait is over.
  [[nodiscard]] bool pause(Instant until, const std::stop_token& stop);
  // Requires that its rotation is prepared, and its next token taken.
  [[nodiscard]] Outcome rotate(HeldLock& lock);
  // Requires that its promotion is prepared.
  [[nodiscard]] Outcome promote(HeldLock& lock);
  [[nodiscard]] Outcome demote(HeldLock& lock);

  [[nodiscard]] Instant now() { return runtime_.pool().clock().now(); }
  [[nodiscard]] const std::shared_ptr<const LockPlan>& plan() const { return plan_; }
  [[nodiscard]] Pool& pool() { return runtime_.pool(); }
  [[nodiscard]] LeaseContext lease_context() { return {locks_, owed_, renewal_thread_}; }
  [[nodiscard]] std::vector<Trouble> troubles_of(const Outcome& outcome) const;
  [[nodiscard]] Refusal refusal_of(const Outcome& outcome) const;

 private:
  // A step of a lock's life, from its beginning to its outcome.
  template <class Begin, class Collect>
  [[nodiscard]] Outcome change(Begin begin, Collect collect);
  OperationId begin_acquire(const Resources& resources, const LockShape& shape, Duration ttl,
                            Duration wait);
  void step_until_done(OperationId id, const std::stop_token& stop, const OnOutage& on_outage);
  // For what nobody will collect.
  void give_back(OperationId id, const Resources& resources) noexcept;

  std::shared_ptr<const LockPlan> plan_;
  bool in_line_;
  std::int64_t retry_delay_ms_;
  LockExtras extras_;
  Runtime runtime_;
  LockManager locks_;
  AsyncReleases releases_;
  ReleaseOutbox owed_{locks_, releases_};
  RenewalThread renewal_thread_;
};

}  // namespace inner
}  // namespace v0
}  // namespace redlock
