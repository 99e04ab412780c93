// The exceptions that PHP sees when the world, and not the caller's arguments, is at fault.
#pragma once
#include <vector>

#include "border/zend.hpp"
#include "redlock/locks/server_plan.hpp"

namespace redlock::php {

extern zend_class_entry* connection_exception_class;
extern zend_class_entry* quorum_exception_class;
extern zend_class_entry* not_a_lock_exception_class;
extern zend_class_entry* lease_lost_exception_class;
extern zend_class_entry* not_acquired_exception_class;
extern zend_class_entry* deadlock_exception_class;
extern zend_class_entry* lease_mode_exception_class;
extern zend_class_entry* keep_alive_exception_class;

// Throws a connection or quorum exception with what its faults() tells. The caller keeps message
// and troubles where a bail-out does not leak them.
void throw_for_servers(zend_class_entry* type, const char* message,
                       const std::vector<ServerTrouble>& troubles);

// Once, in MINIT.
void register_exceptions();

}  // namespace redlock::php
