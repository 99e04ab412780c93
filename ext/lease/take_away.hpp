// Taking a lock away from whoever has it.
#pragma once
#include <string_view>

#include "border/zend.hpp"
#include "lease/locks.hpp"

namespace redlock::php {

// Removes everywhere what a majority holds, or may hold. Sets the return value: whether it was
// somebody's, or may have been, and is so no longer. Or throws to PHP that this is not certain.
void take_away(zval* return_value, Locks& locks, const zval* resource, std::string_view method);

}  // namespace redlock::php
