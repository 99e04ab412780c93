// RedLock\Exception and what implements it.
#include "border/exceptions.hpp"

#include "border/exceptions_arginfo.h"

namespace redlock::php {

zend_class_entry* connection_exception_class = nullptr;
zend_class_entry* quorum_exception_class = nullptr;
zend_class_entry* not_a_lock_exception_class = nullptr;
zend_class_entry* lease_lost_exception_class = nullptr;
zend_class_entry* not_acquired_exception_class = nullptr;
zend_class_entry* deadlock_exception_class = nullptr;
zend_class_entry* lease_mode_exception_class = nullptr;
zend_class_entry* keep_alive_exception_class = nullptr;

void throw_for_servers(zend_class_entry* type, const char* message,
                       const std::vector<ServerTrouble>& troubles) {
  zend_object* const exception = zend_throw_exception(type, message, 0);
  zval faults;
  array_init(&faults);
  for (const ServerTrouble& trouble : troubles) {
    const std::string_view word = to_string(trouble.fault);
    add_assoc_stringl_ex(&faults, trouble.server.data(), trouble.server.size(), word.data(),
                         word.size());
  }
  zend_update_property(type, exception, ZEND_STRL("faults"), &faults);
  zval_ptr_dtor(&faults);
}

void register_exceptions() {
  zend_class_entry* const common = register_class_RedLock_Exception(zend_ce_throwable);
  connection_exception_class =
      register_class_RedLock_ConnectionException(spl_ce_RuntimeException, common);
  quorum_exception_class = register_class_RedLock_QuorumException(spl_ce_RuntimeException, common);
  not_a_lock_exception_class =
      register_class_RedLock_NotALockException(spl_ce_RuntimeException, common);
  lease_lost_exception_class =
      register_class_RedLock_LeaseLostException(spl_ce_RuntimeException, common);
  not_acquired_exception_class =
      register_class_RedLock_NotAcquiredException(spl_ce_RuntimeException, common);
  deadlock_exception_class =
      register_class_RedLock_DeadlockException(spl_ce_LogicException, common);
  lease_mode_exception_class =
      register_class_RedLock_LeaseModeException(spl_ce_LogicException, common);
  keep_alive_exception_class =
      register_class_RedLock_KeepAliveException(spl_ce_RuntimeException, common);
}

}  // namespace redlock::php

// Also QuorumException's, which has a property of its own of this name.
PHP_METHOD(RedLock_ConnectionException, faults) {
  ZEND_PARSE_PARAMETERS_NONE();
  zval unused;
  zval* faults = zend_read_property(EX(func)->common.scope, Z_OBJ_P(ZEND_THIS), ZEND_STRL("faults"),
                                    true, &unused);
  // What unserialize() makes may be a reference.
  ZVAL_DEREF(faults);
  // Whoever unset it by reflection is told nothing.
  if (Z_TYPE_P(faults) != IS_ARRAY) RETURN_EMPTY_ARRAY();
  RETURN_COPY(faults);
}
