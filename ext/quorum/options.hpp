// The options that the constructors of the quorum lock's classes share.
#pragma once
#include <string_view>

#include "border/zend.hpp"
#include "redlock/locks/lock_manager.hpp"

namespace redlock::php {

// driftFactor, timeout, connectTimeout, clientName; false: it is none of them. Throws ArgumentError
// or TypeMismatch, whose text begins with "options".
[[nodiscard]] bool take_lock_option(LockOptions& into, std::string_view name, const zval* value);

}  // namespace redlock::php
