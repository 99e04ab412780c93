// Getting a lease: by asking for a lock, or from a handle of one that is held.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "border/guard.hpp"
#include "border/zend.hpp"
#include "lease/locks.hpp"

namespace redlock::php {

struct AcquireRequest {
  std::string_view method;  // for messages; lives for ever
  std::span<const ArgumentPlace> places;
  const zval* resource;  // a string or an int
  zend_long ttl_ms;
  zend_long wait_ms;
  bool waits_for_ever;
  bool keep_alive;  // unless the options say otherwise
  HashTable* options;
  LockMode mode = LockMode::exclusive;
  std::size_t permits = 0;  // it asks for one of so many; 0: for the only one
};

enum class Acquired { granted, refused, thrown };

// Makes a Lease of `into`; where nothing is granted it is null.
[[nodiscard]] Acquired acquire(zval* into, const std::shared_ptr<Locks>& locks,
                               const AcquireRequest& request);
// Throws to PHP that it was refused.
void throw_not_acquired(const Locks& locks, const AcquireRequest& request);
// The same from a handle, without asking anybody.
void attach(zval* into, const std::shared_ptr<Locks>& locks, HashTable* handle, HashTable* options);

}  // namespace redlock::php
