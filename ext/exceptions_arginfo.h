/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: f14653e1b8229c61e3a45cef149479b266a65aac */




static const zend_function_entry class_RedLock_Exception_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_RedLock_ConnectionException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_RedLock_QuorumException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_RedLock_NotALockException_methods[] = {
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

	return class_entry;
}

static zend_class_entry *register_class_RedLock_QuorumException(zend_class_entry *class_entry_RuntimeException, zend_class_entry *class_entry_RedLock_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedLock", "QuorumException", class_RedLock_QuorumException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);
	zend_class_implements(class_entry, 1, class_entry_RedLock_Exception);

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
