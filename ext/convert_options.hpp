// The option arrays of the two constructors.
//
// Both throw ArgumentError or TypeMismatch, whose text begins with "options", and call nothing
// of Zend that can fail. `options` may be null.
#pragma once
#include <string>

#include "redlock/runtime/stamp_lock_manager.hpp"
#include "zend.hpp"

namespace redlock::php {

// driftFactor, timeout, clientName.
void take_lock_options(LockOptions& into, HashTable* options);

struct PidOptions {
  std::string prefix = "lock_pid:";
  StampOptions stamp;
  // Not the request: only the object that took a lock can release it.
  bool object_owns = false;
};
// prefix, unit, mixedFleet, owner, driftFactor, timeout, clientName.
void take_pid_options(PidOptions& into, HashTable* options);

}  // namespace redlock::php
