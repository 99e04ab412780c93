// The option array of PidLock's constructor.
#pragma once
#include <string>

#include "border/zend.hpp"
#include "redlock/locks/stamp_lock_manager.hpp"

namespace redlock::php {

struct PidOptions {
  std::string prefix = "lock_pid:";
  StampOptions stamp;
  // Not the request: only the object that took a lock can release it.
  bool object_owns = false;
};
// prefix, unit, mixedFleet, owner, driftFactor, timeout, clientName. Throws ArgumentError or
// TypeMismatch, whose text begins with "options"; `options` may be null.
void take_pid_options(PidOptions& into, HashTable* options);

}  // namespace redlock::php
