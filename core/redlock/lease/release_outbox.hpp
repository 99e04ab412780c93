// Releases that found no memory when they were due, until they can be sent.
//
// What it takes to remember one is made with the lock, while there is memory, and moved here.
// Invariants: nothing is forgotten but in a child of a fork, whose parent owes it. One for each
// manager that has leases. One thread.
#pragma once
#include <list>

#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/resources.hpp"
#include "redlock/lease/async_releases.hpp"
#include "redlock/locks/lock_manager.hpp"
#include "redlock/os/process.hpp"

namespace redlock {

// A lock that is to be given back.
struct UnsentRelease {
  Resources resources;
  Token token;
};
// One of them, in what it takes to remember it.
using OutboxEntry = std::list<UnsentRelease>;

class ReleaseOutbox {
 public:
  // Borrows both.
  ReleaseOutbox(LockManager& locks, AsyncReleases& releases) : locks_(locks), releases_(releases) {}
  ReleaseOutbox(const ReleaseOutbox&) = delete;
  ReleaseOutbox& operator=(const ReleaseOutbox&) = delete;
  ~ReleaseOutbox() { pay(); }

  void add(OutboxEntry release) noexcept;
  // Sends them, and seldom waits; what finds no memory again stays owed.
  void pay() noexcept;

 private:
  LockManager& locks_;
  AsyncReleases& releases_;
  OutboxEntry owed_;
  ForkWatch watch_;
};

}  // namespace redlock
