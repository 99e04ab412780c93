// The interfaces that LockManager and Lease implement, so that users can put doubles in their
// place.
#pragma once
#include "border/zend.hpp"

namespace redlock::php {

// Null until register_interfaces().
extern zend_class_entry* lock_manager_interface;
extern zend_class_entry* lease_interface;

void register_interfaces();

}  // namespace redlock::php
