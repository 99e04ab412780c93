/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 84a6dbd7f7d5d75471f6740e6b0d26815ea6a9e0 */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RedLock___construct, 0, 0, 1)
	ZEND_ARG_TYPE_MASK(0, servers, MAY_BE_ARRAY|MAY_BE_STRING, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, retryDelay, IS_LONG, 0, "200")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, retryCount, IS_LONG, 0, "3")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RedLock_lock, 0, 0, 2)
	ZEND_ARG_TYPE_MASK(0, resource, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_INFO(0, ttl, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RedLock_unlock, 0, 0, 1)
	ZEND_ARG_TYPE_INFO(0, lock, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RedLock_extend, 0, 0, 2)
	ZEND_ARG_TYPE_MASK(0, lock, MAY_BE_ARRAY|MAY_BE_FALSE, NULL)
	ZEND_ARG_TYPE_INFO(0, ttl, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RedLock_isHeld, 0, 0, 1)
	ZEND_ARG_TYPE_MASK(0, lock, MAY_BE_ARRAY|MAY_BE_FALSE, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RedLock_lastErrors, 0, 0, 0)
ZEND_END_ARG_INFO()


ZEND_METHOD(RedLock, __construct);
ZEND_METHOD(RedLock, lock);
ZEND_METHOD(RedLock, unlock);
ZEND_METHOD(RedLock, extend);
ZEND_METHOD(RedLock, isHeld);
ZEND_METHOD(RedLock, lastErrors);


static const zend_function_entry class_RedLock_methods[] = {
	ZEND_ME(RedLock, __construct, arginfo_class_RedLock___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock, lock, arginfo_class_RedLock_lock, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock, unlock, arginfo_class_RedLock_unlock, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock, extend, arginfo_class_RedLock_extend, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock, isHeld, arginfo_class_RedLock_isHeld, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock, lastErrors, arginfo_class_RedLock_lastErrors, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_RedLock(void)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "RedLock", class_RedLock_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_NOT_SERIALIZABLE;


	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "__construct", sizeof("__construct") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	return class_entry;
}
