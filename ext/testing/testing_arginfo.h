/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: fc693fc594e70ea097ba1d94da6417e29e81df3a */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RedLock_Testing___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_Testing_advance, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, ms, IS_LONG, 0)
	ZEND_ARG_VARIADIC_TYPE_INFO(0, servers, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_Testing_takeAway, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_MASK(0, resource, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_VARIADIC_TYPE_INFO(0, servers, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_Testing_keys, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_VARIADIC_TYPE_INFO(0, servers, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_Testing_silence, 0, 0, IS_VOID, 0)
	ZEND_ARG_VARIADIC_TYPE_INFO(0, servers, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedLock_Testing_refuse arginfo_class_RedLock_Testing_silence

#define arginfo_class_RedLock_Testing_restore arginfo_class_RedLock_Testing_silence

#define arginfo_class_RedLock_Testing_forget arginfo_class_RedLock_Testing_silence

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_Testing_reset, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()


ZEND_METHOD(RedLock_Testing, __construct);
ZEND_METHOD(RedLock_Testing, advance);
ZEND_METHOD(RedLock_Testing, takeAway);
ZEND_METHOD(RedLock_Testing, keys);
ZEND_METHOD(RedLock_Testing, silence);
ZEND_METHOD(RedLock_Testing, refuse);
ZEND_METHOD(RedLock_Testing, restore);
ZEND_METHOD(RedLock_Testing, forget);
ZEND_METHOD(RedLock_Testing, reset);


static const zend_function_entry class_RedLock_Testing_methods[] = {
	ZEND_ME(RedLock_Testing, __construct, arginfo_class_RedLock_Testing___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(RedLock_Testing, advance, arginfo_class_RedLock_Testing_advance, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedLock_Testing, takeAway, arginfo_class_RedLock_Testing_takeAway, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedLock_Testing, keys, arginfo_class_RedLock_Testing_keys, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedLock_Testing, silence, arginfo_class_RedLock_Testing_silence, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedLock_Testing, refuse, arginfo_class_RedLock_Testing_refuse, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedLock_Testing, restore, arginfo_class_RedLock_Testing_restore, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedLock_Testing, forget, arginfo_class_RedLock_Testing_forget, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedLock_Testing, reset, arginfo_class_RedLock_Testing_reset, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_RedLock_Testing(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "Testing", class_RedLock_Testing_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}
