// What a lock is about, from PHP values: a string or an int, or a list of them.
#pragma once
#include <string>

#include "border/zend.hpp"
#include "redlock/algorithm/resources.hpp"

namespace redlock::php {

// A list of its own, of the strings and ints in an array, the method's argument at `position`.
// Throws to PHP and gives false where they are not 1 to 16, or one is there twice.
[[nodiscard]] bool copy_resources(zval* into, HashTable* array, uint32_t position);
// What a string or int names, or a list of those. Throws std::bad_alloc.
[[nodiscard]] Resources resources_from(const zval* value);
// For messages: 'r', or 'a', 'b' and 3 more.
[[nodiscard]] std::string in_quotes(const Resources& resources);

}  // namespace redlock::php
