// Lease::promote() and demote(): a read lock that becomes exclusive, and an exclusive one that
// becomes a read lock, without being given back in between.
#pragma once
#include "lease/object.hpp"

namespace redlock::php {

// Set the return value, or throw to PHP. While others read it is tried again for as long as `wait`;
// Duration::max(): without an end.
void promote(zval* return_value, const zval* object, LeaseState& lease, Duration wait);
void demote(zval* return_value, LeaseState& lease);

}  // namespace redlock::php
