// The thread that keeps leases alive while their owner does something else.
//
// It has connections of its own, takes no signals, begins with the first lease and ends when there
// has been none for a while. Its owner talks to it through a list under a mutex and wakes it; what
// it finds out it leaves in each lease's LeaseDeadline.
// A fork finds it at rest: asleep and holding nothing, so that a child has all of it in good order,
// and lets go of it. In a child there is no thread until a lease of its own is kept.
// Invariants: the mutex is held for moments only, but at the thread's end; while its owner holds it
// no signal handler runs on it. keep(), stop() and the destructor by one thread.
#pragma once
#include <memory>

#include "redlock/lease/renewal_scheduler.hpp"

namespace redlock {

// A thread without leases ends after so long.
inline constexpr Duration kRenewalIdle = Duration::seconds(60);

class RenewalThread {
 public:
  explicit RenewalThread(Duration idle = kRenewalIdle) noexcept;
  RenewalThread(const RenewalThread&) = delete;
  RenewalThread& operator=(const RenewalThread&) = delete;
  // Ends the thread and waits until it has: what it was asking is not waited for.
  ~RenewalThread();

  // A lease that is kept already is kept by the new terms. Throws std::system_error where there is
  // no thread, or no descriptors, to be had, and std::bad_alloc: then nothing has changed.
  void keep(const KeptLease& lease);
  // It is kept no more. An owner who releases the lock says so in the deadline, before the release
  // leaves; one who does so later, too. One that is not kept is no mistake.
  void stop(const LeaseDeadline& lease_deadline) noexcept;
  // Is there a thread at the moment?
  [[nodiscard]] bool running();

 private:
  class Worker;
  void notice_fork() noexcept;

  const Duration idle_;
  std::unique_ptr<Worker> worker_;
};

}  // namespace redlock
