/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 26786e6a460603d27b70e6362f1587fc30e6502a */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RedLock_LockManager___construct, 0, 0, 1)
	ZEND_ARG_TYPE_MASK(0, servers, MAY_BE_STRING|MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RedLock_LockManager_acquire, 0, 1, RedLock\\Lease, 1)
	ZEND_ARG_TYPE_MASK(0, resource, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, Time\\Duration, MAY_BE_LONG, "30000")
	ZEND_ARG_OBJ_TYPE_MASK(0, wait, Time\\Duration, MAY_BE_LONG|MAY_BE_NULL, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

#define arginfo_class_RedLock_LockManager_acquireShared arginfo_class_RedLock_LockManager_acquire

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RedLock_LockManager_acquireAll, 0, 1, RedLock\\Lease, 1)
	ZEND_ARG_TYPE_INFO(0, resources, IS_ARRAY, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, Time\\Duration, MAY_BE_LONG, "30000")
	ZEND_ARG_OBJ_TYPE_MASK(0, wait, Time\\Duration, MAY_BE_LONG|MAY_BE_NULL, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RedLock_LockManager_acquirePermit, 0, 2, RedLock\\Lease, 1)
	ZEND_ARG_TYPE_MASK(0, resource, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_INFO(0, permits, IS_LONG, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, Time\\Duration, MAY_BE_LONG, "30000")
	ZEND_ARG_OBJ_TYPE_MASK(0, wait, Time\\Duration, MAY_BE_LONG|MAY_BE_NULL, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LockManager_synchronized, 0, 2, IS_MIXED, 0)
	ZEND_ARG_TYPE_MASK(0, resource, MAY_BE_STRING|MAY_BE_LONG|MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_INFO(0, critical, IS_CALLABLE, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, Time\\Duration, MAY_BE_LONG, "30000")
	ZEND_ARG_OBJ_TYPE_MASK(0, wait, Time\\Duration, MAY_BE_LONG|MAY_BE_NULL, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RedLock_LockManager_attach, 0, 1, RedLock\\Lease, 0)
	ZEND_ARG_TYPE_INFO(0, handle, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LockManager_inspect, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_MASK(0, resource, MAY_BE_STRING|MAY_BE_LONG, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LockManager_owner, 0, 1, IS_STRING, 1)
	ZEND_ARG_TYPE_MASK(0, resource, MAY_BE_STRING|MAY_BE_LONG, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LockManager_forceRelease, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, resource, MAY_BE_STRING|MAY_BE_LONG, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LockManager_cancelWaits, 0, 0, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, cancel, _IS_BOOL, 0, "true")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LockManager_stats, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedLock_LockManager_lastErrors arginfo_class_RedLock_LockManager_stats


ZEND_METHOD(RedLock_LockManager, __construct);
ZEND_METHOD(RedLock_LockManager, acquire);
ZEND_METHOD(RedLock_LockManager, acquireShared);
ZEND_METHOD(RedLock_LockManager, acquireAll);
ZEND_METHOD(RedLock_LockManager, acquirePermit);
ZEND_METHOD(RedLock_LockManager, synchronized);
ZEND_METHOD(RedLock_LockManager, attach);
ZEND_METHOD(RedLock_LockManager, inspect);
ZEND_METHOD(RedLock_LockManager, owner);
ZEND_METHOD(RedLock_LockManager, forceRelease);
ZEND_METHOD(RedLock_LockManager, cancelWaits);
ZEND_METHOD(RedLock_LockManager, stats);
ZEND_METHOD(RedLock_LockManager, lastErrors);


static const zend_function_entry class_RedLock_LockManager_methods[] = {
	ZEND_ME(RedLock_LockManager, __construct, arginfo_class_RedLock_LockManager___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_LockManager, acquire, arginfo_class_RedLock_LockManager_acquire, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_LockManager, acquireShared, arginfo_class_RedLock_LockManager_acquireShared, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_LockManager, acquireAll, arginfo_class_RedLock_LockManager_acquireAll, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_LockManager, acquirePermit, arginfo_class_RedLock_LockManager_acquirePermit, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_LockManager, synchronized, arginfo_class_RedLock_LockManager_synchronized, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_LockManager, attach, arginfo_class_RedLock_LockManager_attach, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_LockManager, inspect, arginfo_class_RedLock_LockManager_inspect, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_LockManager, owner, arginfo_class_RedLock_LockManager_owner, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_LockManager, forceRelease, arginfo_class_RedLock_LockManager_forceRelease, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_LockManager, cancelWaits, arginfo_class_RedLock_LockManager_cancelWaits, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedLock_LockManager, stats, arginfo_class_RedLock_LockManager_stats, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_LockManager, lastErrors, arginfo_class_RedLock_LockManager_lastErrors, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_RedLock_LockManager(zend_class_entry *class_entry_RedLock_LockManagerInterface)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "LockManager", class_RedLock_LockManager_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_RedLock_LockManagerInterface);


	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "__construct", sizeof("__construct") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	return class_entry;
}
