// The option array of RedLock's constructor.
#pragma once
#include "border/zend.hpp"
#include "redlock/runtime/lock_manager.hpp"

namespace redlock::php {

// driftFactor, timeout, clientName. Throws ArgumentError or TypeMismatch, whose text begins with
// "options"; `options` may be null.
void take_lock_options(LockOptions& into, HashTable* options);

}  // namespace redlock::php
