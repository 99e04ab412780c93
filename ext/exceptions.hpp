// The exceptions that PHP sees when servers, and not callers, are at fault.
#pragma once
#include "zend.hpp"

namespace redlock::php {

extern zend_class_entry* connection_exception_class;
extern zend_class_entry* quorum_exception_class;
extern zend_class_entry* not_a_lock_exception_class;

// Once, in MINIT.
void register_exceptions();

}  // namespace redlock::php
