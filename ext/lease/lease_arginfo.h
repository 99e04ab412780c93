/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 6158ab9f2a692c745435b7455dbadc11ed69a9b2 */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RedLock_Lease___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_Lease_remaining, 0, 0, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_Lease_isLive, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_Lease_assertLive, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedLock_Lease_confirm arginfo_class_RedLock_Lease_isLive

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_Lease_extend, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, Time\\Duration, MAY_BE_LONG|MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_Lease_shorten, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, Time\\Duration, MAY_BE_LONG, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_Lease_promote, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, wait, Time\\Duration, MAY_BE_LONG|MAY_BE_NULL, "0")
ZEND_END_ARG_INFO()

#define arginfo_class_RedLock_Lease_demote arginfo_class_RedLock_Lease_isLive

#define arginfo_class_RedLock_Lease_release arginfo_class_RedLock_Lease_isLive

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_Lease_lastErrors, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedLock_Lease_handle arginfo_class_RedLock_Lease_lastErrors

#define arginfo_class_RedLock_Lease_detach arginfo_class_RedLock_Lease_lastErrors

#define arginfo_class_RedLock_Lease___destruct arginfo_class_RedLock_Lease___construct


ZEND_METHOD(RedLock_Lease, __construct);
ZEND_METHOD(RedLock_Lease, remaining);
ZEND_METHOD(RedLock_Lease, isLive);
ZEND_METHOD(RedLock_Lease, assertLive);
ZEND_METHOD(RedLock_Lease, confirm);
ZEND_METHOD(RedLock_Lease, extend);
ZEND_METHOD(RedLock_Lease, shorten);
ZEND_METHOD(RedLock_Lease, promote);
ZEND_METHOD(RedLock_Lease, demote);
ZEND_METHOD(RedLock_Lease, release);
ZEND_METHOD(RedLock_Lease, lastErrors);
ZEND_METHOD(RedLock_Lease, handle);
ZEND_METHOD(RedLock_Lease, detach);
ZEND_METHOD(RedLock_Lease, __destruct);


static const zend_function_entry class_RedLock_Lease_methods[] = {
	ZEND_ME(RedLock_Lease, __construct, arginfo_class_RedLock_Lease___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(RedLock_Lease, remaining, arginfo_class_RedLock_Lease_remaining, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_Lease, isLive, arginfo_class_RedLock_Lease_isLive, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_Lease, assertLive, arginfo_class_RedLock_Lease_assertLive, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_Lease, confirm, arginfo_class_RedLock_Lease_confirm, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_Lease, extend, arginfo_class_RedLock_Lease_extend, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_Lease, shorten, arginfo_class_RedLock_Lease_shorten, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_Lease, promote, arginfo_class_RedLock_Lease_promote, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_Lease, demote, arginfo_class_RedLock_Lease_demote, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_Lease, release, arginfo_class_RedLock_Lease_release, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_Lease, lastErrors, arginfo_class_RedLock_Lease_lastErrors, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_Lease, handle, arginfo_class_RedLock_Lease_handle, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_Lease, detach, arginfo_class_RedLock_Lease_detach, ZEND_ACC_PUBLIC)
	ZEND_ME(RedLock_Lease, __destruct, arginfo_class_RedLock_Lease___destruct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_RedLock_Lease(zend_class_entry *class_entry_RedLock_LeaseInterface)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "Lease", class_RedLock_Lease_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_RedLock_LeaseInterface);

	zval property_resource_default_value;
	ZVAL_UNDEF(&property_resource_default_value);
	zend_string *property_resource_name = zend_string_init("resource", sizeof("resource") - 1, 1);
	zend_declare_typed_property(class_entry, property_resource_name, &property_resource_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_LONG|MAY_BE_ARRAY));
	zend_string_release(property_resource_name);

	zval property_token_default_value;
	ZVAL_UNDEF(&property_token_default_value);
	zend_string *property_token_name = zend_string_init("token", sizeof("token") - 1, 1);
	zend_declare_typed_property(class_entry, property_token_name, &property_token_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_token_name);

	zval property_fence_default_value;
	ZVAL_UNDEF(&property_fence_default_value);
	zend_string *property_fence_name = zend_string_init("fence", sizeof("fence") - 1, 1);
	zend_declare_typed_property(class_entry, property_fence_name, &property_fence_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_NULL));
	zend_string_release(property_fence_name);

	return class_entry;
}
