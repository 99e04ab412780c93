// Lock handles: the arrays that lock() gives and unlock(), extend() and isHeld() take.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "border/zend.hpp"
#include "quorum/resources.hpp"

namespace redlock::php {

// Borrowed from the array, which must outlive it and not be written to.
struct Handle {
  zval* resource = nullptr;  // a string or an int; of several that are held together, their array
  zend_string* token = nullptr;
};

// Throws to PHP and gives false when the array, the method's first argument, is no handle, or is
// one of several resources that the method does not take.
[[nodiscard]] bool parse_handle(HashTable* array, Handle& handle, bool takes_several = false);

// The validity in milliseconds of what parse_handle() took, which it does not look at. Throws to
// PHP and gives false where there is none.
[[nodiscard]] bool parse_validity(HashTable* array, double& validity_ms);

// The fence of what parse_handle() took; nothing where there is none. Throws to PHP
// and gives false where it is no fence.
[[nodiscard]] bool parse_fence(HashTable* array, std::optional<std::int64_t>& fence);

// Whether what parse_handle() took is of a read lock. Throws to PHP and gives false where it does
// not say so by a bool, or is of several resources, of which there is no read lock.
[[nodiscard]] bool parse_shared(HashTable* array, bool& shared);

// ['validity' => float ms, 'resource' => as passed, 'token' => string], and 'fence' => int where
// there is one, and 'shared' => true where it is a read lock.
void make_handle(zval* into, double validity_ms, zval* resource, std::string_view token,
                 std::optional<std::int64_t> fence = {}, bool shared = false);

}  // namespace redlock::php
