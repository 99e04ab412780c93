// Credentials as PHP arrays and strings name them.
#pragma once
#include <string_view>

#include "border/zend.hpp"
#include "redlock/config/server_parts.hpp"

namespace redlock::php {

// "password", ["password"], ["user", "password"], or 'user' and 'pass' by name. Throws
// ArgumentError or TypeMismatch, whose text begins with `name` or holds it, and never holds a
// value; calls nothing of Zend that can fail.
void take_auth(ServerParts& parts, std::string_view name, const zval* value);

}  // namespace redlock::php
