// PHP's own headers, as system headers: their warnings are not ours.
#pragma once
#pragma GCC system_header
// For all that speaks to PHP: g++ 13 and later bring it along with nothing else.
#include <cstdint>
// PHP makes macros of functions that this one uses.
#include <string>

#include "ext/spl/spl_exceptions.h"
#include "ext/standard/info.h"
#include "php.h"
#include "zend_attributes.h"
#include "zend_exceptions.h"
#include "zend_fibers.h"
#include "zend_interfaces.h"
#include "zend_weakrefs.h"
