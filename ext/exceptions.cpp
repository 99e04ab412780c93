// RedLock\Exception and what implements it.
#include "exceptions.hpp"

#include "exceptions_arginfo.h"

namespace redlock::php {

zend_class_entry* connection_exception_class = nullptr;
zend_class_entry* quorum_exception_class = nullptr;
zend_class_entry* not_a_lock_exception_class = nullptr;

void register_exceptions() {
  zend_class_entry* const common = register_class_RedLock_Exception(zend_ce_throwable);
  connection_exception_class =
      register_class_RedLock_ConnectionException(spl_ce_RuntimeException, common);
  quorum_exception_class = register_class_RedLock_QuorumException(spl_ce_RuntimeException, common);
  not_a_lock_exception_class =
      register_class_RedLock_NotALockException(spl_ce_RuntimeException, common);
}

}  // namespace redlock::php
