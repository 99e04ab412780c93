// The option arrays of LockManager's constructor, and of the methods that give leases.
//
// Everything throws ArgumentError or TypeMismatch, whose text begins with "options"; an array may
// be null.
#pragma once
#include <cstdint>
#include <string_view>

#include "border/zend.hpp"
#include "redlock/locks/lock_manager.hpp"

namespace redlock::php {

struct ManagerOptions {
  LockOptions lock;
  std::int64_t retry_delay_ms = 200;
  bool in_line = true;
  Duration renew_max = Duration::seconds(3600);
};
// timeout, driftFactor, clientName, retryDelay, line, keepAliveMax, fenceTtl, guard, longestTtl,
// replicas;
// onEvent is passed over.
void take_manager_options(ManagerOptions& into, HashTable* options);

// Plain, because it lives across calls into Zend.
struct LeaseTerms {
  Duration ttl;
  LockMode mode = LockMode::exclusive;
  bool keep_alive = false;
  bool interrupt = false;
  bool reentrant = false;
  bool fence = false;
  bool kept_at_end = false;  // it may outlive the request
  std::string_view owner;    // borrowed from the options; empty: none
};
// keepAlive, interrupt, owner, reentrant, fence, atEnd.
void take_acquire_options(LeaseTerms& into, HashTable* options);
// keepAlive, interrupt, fence, atEnd, ttl; says of the others that they come too late.
void take_attach_options(LeaseTerms& into, HashTable* options);

}  // namespace redlock::php
