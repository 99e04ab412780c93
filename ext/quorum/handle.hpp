// Lock handles: the arrays that lock() gives and unlock(), extend() and isHeld() take.
#pragma once
#include <string_view>

#include "border/zend.hpp"
#include "redlock/algorithm/resources.hpp"

namespace redlock::php {

// Borrowed from the array, which must outlive it and not be written to.
struct Handle {
  zval* resource = nullptr;  // a string or an int
  zend_string* token = nullptr;
};

// Throws to PHP and gives false when the array, the method's first argument, is no handle.
[[nodiscard]] bool parse_handle(HashTable* array, Handle& handle);

// The validity in milliseconds of what parse_handle() took, which it does not look at. Throws to
// PHP and gives false where there is none.
[[nodiscard]] bool parse_validity(HashTable* array, double& validity_ms);

// The resource that a string or int names. Throws std::bad_alloc.
[[nodiscard]] Resources resources_from(const zval* value);

// ['validity' => float ms, 'resource' => as passed, 'token' => string]
void make_handle(zval* into, double validity_ms, zval* resource, std::string_view token);

}  // namespace redlock::php
