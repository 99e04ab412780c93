/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 8c28ef77d27175ad1cf80455aec06d185f556224 */

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RedLock_LockManagerInterface_acquire, 0, 1, RedLock\\LeaseInterface, 1)
	ZEND_ARG_TYPE_MASK(0, resource, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, Time\\Duration, MAY_BE_LONG, "30000")
	ZEND_ARG_OBJ_TYPE_MASK(0, wait, Time\\Duration, MAY_BE_LONG|MAY_BE_NULL, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

#define arginfo_class_RedLock_LockManagerInterface_acquireShared arginfo_class_RedLock_LockManagerInterface_acquire

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RedLock_LockManagerInterface_acquireAll, 0, 1, RedLock\\LeaseInterface, 1)
	ZEND_ARG_TYPE_INFO(0, resources, IS_ARRAY, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, Time\\Duration, MAY_BE_LONG, "30000")
	ZEND_ARG_OBJ_TYPE_MASK(0, wait, Time\\Duration, MAY_BE_LONG|MAY_BE_NULL, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RedLock_LockManagerInterface_acquirePermit, 0, 2, RedLock\\LeaseInterface, 1)
	ZEND_ARG_TYPE_MASK(0, resource, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_INFO(0, permits, IS_LONG, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, Time\\Duration, MAY_BE_LONG, "30000")
	ZEND_ARG_OBJ_TYPE_MASK(0, wait, Time\\Duration, MAY_BE_LONG|MAY_BE_NULL, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LockManagerInterface_synchronized, 0, 2, IS_MIXED, 0)
	ZEND_ARG_TYPE_MASK(0, resource, MAY_BE_STRING|MAY_BE_LONG|MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_INFO(0, critical, IS_CALLABLE, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, Time\\Duration, MAY_BE_LONG, "30000")
	ZEND_ARG_OBJ_TYPE_MASK(0, wait, Time\\Duration, MAY_BE_LONG|MAY_BE_NULL, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RedLock_LockManagerInterface_attach, 0, 1, RedLock\\LeaseInterface, 0)
	ZEND_ARG_TYPE_INFO(0, handle, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LockManagerInterface_inspect, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_MASK(0, resource, MAY_BE_STRING|MAY_BE_LONG, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LockManagerInterface_owner, 0, 1, IS_STRING, 1)
	ZEND_ARG_TYPE_MASK(0, resource, MAY_BE_STRING|MAY_BE_LONG, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LockManagerInterface_forceRelease, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, resource, MAY_BE_STRING|MAY_BE_LONG, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LockManagerInterface_stats, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedLock_LockManagerInterface_lastErrors arginfo_class_RedLock_LockManagerInterface_stats

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LeaseInterface_remaining, 0, 0, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LeaseInterface_isLive, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LeaseInterface_assertLive, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedLock_LeaseInterface_confirm arginfo_class_RedLock_LeaseInterface_isLive

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LeaseInterface_extend, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, Time\\Duration, MAY_BE_LONG|MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LeaseInterface_shorten, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, Time\\Duration, MAY_BE_LONG, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_LeaseInterface_promote, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, wait, Time\\Duration, MAY_BE_LONG|MAY_BE_NULL, "0")
ZEND_END_ARG_INFO()

#define arginfo_class_RedLock_LeaseInterface_demote arginfo_class_RedLock_LeaseInterface_isLive

#define arginfo_class_RedLock_LeaseInterface_release arginfo_class_RedLock_LeaseInterface_isLive

#define arginfo_class_RedLock_LeaseInterface_lastErrors arginfo_class_RedLock_LockManagerInterface_stats

#define arginfo_class_RedLock_LeaseInterface_handle arginfo_class_RedLock_LockManagerInterface_stats

#define arginfo_class_RedLock_LeaseInterface_detach arginfo_class_RedLock_LockManagerInterface_stats




static const zend_function_entry class_RedLock_LockManagerInterface_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LockManagerInterface, acquire, arginfo_class_RedLock_LockManagerInterface_acquire, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LockManagerInterface, acquireShared, arginfo_class_RedLock_LockManagerInterface_acquireShared, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LockManagerInterface, acquireAll, arginfo_class_RedLock_LockManagerInterface_acquireAll, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LockManagerInterface, acquirePermit, arginfo_class_RedLock_LockManagerInterface_acquirePermit, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LockManagerInterface, synchronized, arginfo_class_RedLock_LockManagerInterface_synchronized, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LockManagerInterface, attach, arginfo_class_RedLock_LockManagerInterface_attach, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LockManagerInterface, inspect, arginfo_class_RedLock_LockManagerInterface_inspect, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LockManagerInterface, owner, arginfo_class_RedLock_LockManagerInterface_owner, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LockManagerInterface, forceRelease, arginfo_class_RedLock_LockManagerInterface_forceRelease, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LockManagerInterface, stats, arginfo_class_RedLock_LockManagerInterface_stats, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LockManagerInterface, lastErrors, arginfo_class_RedLock_LockManagerInterface_lastErrors, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};


static const zend_function_entry class_RedLock_LeaseInterface_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LeaseInterface, remaining, arginfo_class_RedLock_LeaseInterface_remaining, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LeaseInterface, isLive, arginfo_class_RedLock_LeaseInterface_isLive, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LeaseInterface, assertLive, arginfo_class_RedLock_LeaseInterface_assertLive, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LeaseInterface, confirm, arginfo_class_RedLock_LeaseInterface_confirm, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LeaseInterface, extend, arginfo_class_RedLock_LeaseInterface_extend, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LeaseInterface, shorten, arginfo_class_RedLock_LeaseInterface_shorten, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LeaseInterface, promote, arginfo_class_RedLock_LeaseInterface_promote, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LeaseInterface, demote, arginfo_class_RedLock_LeaseInterface_demote, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LeaseInterface, release, arginfo_class_RedLock_LeaseInterface_release, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LeaseInterface, lastErrors, arginfo_class_RedLock_LeaseInterface_lastErrors, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LeaseInterface, handle, arginfo_class_RedLock_LeaseInterface_handle, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedLock_LeaseInterface, detach, arginfo_class_RedLock_LeaseInterface_detach, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};

static zend_class_entry *register_class_RedLock_LockManagerInterface(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "LockManagerInterface", class_RedLock_LockManagerInterface_methods);
	class_entry = zend_register_internal_interface(&ce);

	return class_entry;
}

static zend_class_entry *register_class_RedLock_LeaseInterface(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "LeaseInterface", class_RedLock_LeaseInterface_methods);
	class_entry = zend_register_internal_interface(&ce);

	return class_entry;
}
