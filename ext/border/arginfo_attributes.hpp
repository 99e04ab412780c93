// Lets generated arginfo with parameter attributes compile as C++: it hands the void* of a table
// look-up to a function that wants a zend_function*, which only C converts by itself.
// Include it once, directly before the arginfo.
#pragma once
#include "border/zend.hpp"

#define zend_add_parameter_attribute(function, ...) \
  zend_add_parameter_attribute(static_cast<zend_function*>(function), __VA_ARGS__)
