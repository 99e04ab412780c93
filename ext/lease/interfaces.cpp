// LockManagerInterface and LeaseInterface: no code of their own.
#include "lease/interfaces.hpp"

#include "lease/interfaces_arginfo.h"

zend_class_entry* redlock::php::lock_manager_interface = nullptr;
zend_class_entry* redlock::php::lease_interface = nullptr;

void redlock::php::register_interfaces() {
  lock_manager_interface = register_class_RedLock_LockManagerInterface();
  lease_interface = register_class_RedLock_LeaseInterface();
}
