// The fields of a server's array, as users of phpredis, Predis, Laravel and Symfony have them.
#pragma once
#include <string_view>

#include "border/zend.hpp"
#include "redlock/config/server_parts.hpp"

namespace redlock::php {

// [host, port, timeout], in which each may stand under a name, and all other fields that
// docs/operations.md lists. Throws ArgumentError or TypeMismatch, which names the field and never
// holds a value of a string; calls nothing of Zend that can fail.
[[nodiscard]] ServerParts parts_from_array(HashTable* array);
// Whether a server's array may have a field of this name, in whatever case; also one that is
// refused when it is set, and the name of a variable that holds a password.
[[nodiscard]] bool is_server_field(std::string_view name);

}  // namespace redlock::php
