/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: f1da0f87d1ccef569d4fb4abdfb905dcfd3fd402 */

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedLock_ConnectionException_faults, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedLock_QuorumException_faults arginfo_class_RedLock_ConnectionException_faults


ZEND_METHOD(RedLock_ConnectionException, faults);


static const zend_function_entry class_RedLock_Exception_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_RedLock_ConnectionException_methods[] = {
	ZEND_ME(RedLock_ConnectionException, faults, arginfo_class_RedLock_ConnectionException_faults, ZEND_ACC_PUBLIC|ZEND_ACC_FINAL)
	ZEND_FE_END
};


static const zend_function_entry class_RedLock_QuorumException_methods[] = {
	ZEND_MALIAS(RedLock_ConnectionException, faults, faults, arginfo_class_RedLock_QuorumException_faults, ZEND_ACC_PUBLIC|ZEND_ACC_FINAL)
	ZEND_FE_END
};


static const zend_function_entry class_RedLock_NotALockException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_RedLock_LeaseLostException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_RedLock_NotAcquiredException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_RedLock_DeadlockException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_RedLock_LeaseModeException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_RedLock_KeepAliveException_methods[] = {
	ZEND_FE_END
};

static zend_class_entry *register_class_RedLock_Exception(zend_class_entry *class_entry_Throwable)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "Exception", class_RedLock_Exception_methods);
	class_entry = zend_register_internal_interface(&ce);
	zend_class_implements(class_entry, 1, class_entry_Throwable);

	return class_entry;
}

static zend_class_entry *register_class_RedLock_ConnectionException(zend_class_entry *class_entry_RuntimeException, zend_class_entry *class_entry_RedLock_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "ConnectionException", class_RedLock_ConnectionException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);
	zend_class_implements(class_entry, 1, class_entry_RedLock_Exception);

	zval property_faults_default_value;
	ZVAL_EMPTY_ARRAY(&property_faults_default_value);
	zend_string *property_faults_name = zend_string_init("faults", sizeof("faults") - 1, 1);
	zend_declare_typed_property(class_entry, property_faults_name, &property_faults_default_value, ZEND_ACC_PRIVATE, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_faults_name);

	return class_entry;
}

static zend_class_entry *register_class_RedLock_QuorumException(zend_class_entry *class_entry_RuntimeException, zend_class_entry *class_entry_RedLock_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "QuorumException", class_RedLock_QuorumException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);
	zend_class_implements(class_entry, 1, class_entry_RedLock_Exception);

	zval property_faults_default_value;
	ZVAL_EMPTY_ARRAY(&property_faults_default_value);
	zend_string *property_faults_name = zend_string_init("faults", sizeof("faults") - 1, 1);
	zend_declare_typed_property(class_entry, property_faults_name, &property_faults_default_value, ZEND_ACC_PRIVATE, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_faults_name);

	return class_entry;
}

static zend_class_entry *register_class_RedLock_NotALockException(zend_class_entry *class_entry_RuntimeException, zend_class_entry *class_entry_RedLock_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "NotALockException", class_RedLock_NotALockException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);
	zend_class_implements(class_entry, 1, class_entry_RedLock_Exception);

	return class_entry;
}

static zend_class_entry *register_class_RedLock_LeaseLostException(zend_class_entry *class_entry_RuntimeException, zend_class_entry *class_entry_RedLock_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "LeaseLostException", class_RedLock_LeaseLostException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);
	zend_class_implements(class_entry, 1, class_entry_RedLock_Exception);

	return class_entry;
}

static zend_class_entry *register_class_RedLock_NotAcquiredException(zend_class_entry *class_entry_RuntimeException, zend_class_entry *class_entry_RedLock_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "NotAcquiredException", class_RedLock_NotAcquiredException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);
	zend_class_implements(class_entry, 1, class_entry_RedLock_Exception);

	return class_entry;
}

static zend_class_entry *register_class_RedLock_DeadlockException(zend_class_entry *class_entry_LogicException, zend_class_entry *class_entry_RedLock_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "DeadlockException", class_RedLock_DeadlockException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_LogicException);
	zend_class_implements(class_entry, 1, class_entry_RedLock_Exception);

	return class_entry;
}

static zend_class_entry *register_class_RedLock_LeaseModeException(zend_class_entry *class_entry_LogicException, zend_class_entry *class_entry_RedLock_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "LeaseModeException", class_RedLock_LeaseModeException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_LogicException);
	zend_class_implements(class_entry, 1, class_entry_RedLock_Exception);

	return class_entry;
}

static zend_class_entry *register_class_RedLock_KeepAliveException(zend_class_entry *class_entry_RuntimeException, zend_class_entry *class_entry_RedLock_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "KeepAliveException", class_RedLock_KeepAliveException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);
	zend_class_implements(class_entry, 1, class_entry_RedLock_Exception);

	return class_entry;
}
