/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 6e1215cc3d1afc4a50fe381b9e11460e648cad91 */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_PidLock___construct, 0, 0, 0)
	ZEND_ARG_TYPE_MASK(0, server, MAY_BE_STRING|MAY_BE_ARRAY, "\'127.0.0.1:6379\'")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_PidLock_getPidLock, 0, 0, 2)
	ZEND_ARG_TYPE_MASK(0, pid, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_MASK(0, lock_timeout, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
	ZEND_ARG_TYPE_MASK(0, sleep_time, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, retry_times, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_MASK(0, buffer_time, MAY_BE_LONG|MAY_BE_DOUBLE, "0.001")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_PidLock_releasePidLock, 0, 0, 1)
	ZEND_ARG_TYPE_MASK(0, pid, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_MASK(0, buffer_time, MAY_BE_LONG|MAY_BE_DOUBLE, "0.003")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_PidLock_holdsPidLock, 0, 0, 1)
	ZEND_ARG_TYPE_MASK(0, pid, MAY_BE_STRING|MAY_BE_LONG, NULL)
ZEND_END_ARG_INFO()

#define arginfo_class_PidLock_remainingPidLock arginfo_class_PidLock_holdsPidLock

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_PidLock_lastErrors, 0, 0, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_PidLock__getLockKey arginfo_class_PidLock_holdsPidLock


ZEND_METHOD(PidLock, __construct);
ZEND_METHOD(PidLock, getPidLock);
ZEND_METHOD(PidLock, releasePidLock);
ZEND_METHOD(PidLock, holdsPidLock);
ZEND_METHOD(PidLock, remainingPidLock);
ZEND_METHOD(PidLock, lastErrors);
ZEND_METHOD(PidLock, _getLockKey);


static const zend_function_entry class_PidLock_methods[] = {
	ZEND_ME(PidLock, __construct, arginfo_class_PidLock___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(PidLock, getPidLock, arginfo_class_PidLock_getPidLock, ZEND_ACC_PUBLIC)
	ZEND_ME(PidLock, releasePidLock, arginfo_class_PidLock_releasePidLock, ZEND_ACC_PUBLIC)
	ZEND_ME(PidLock, holdsPidLock, arginfo_class_PidLock_holdsPidLock, ZEND_ACC_PUBLIC)
	ZEND_ME(PidLock, remainingPidLock, arginfo_class_PidLock_remainingPidLock, ZEND_ACC_PUBLIC)
	ZEND_ME(PidLock, lastErrors, arginfo_class_PidLock_lastErrors, ZEND_ACC_PUBLIC)
	ZEND_ME(PidLock, _getLockKey, arginfo_class_PidLock__getLockKey, ZEND_ACC_PROTECTED)
	ZEND_FE_END
};

static zend_class_entry *register_class_PidLock(void)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "PidLock", class_PidLock_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_NOT_SERIALIZABLE;


	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "__construct", sizeof("__construct") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	return class_entry;
}
