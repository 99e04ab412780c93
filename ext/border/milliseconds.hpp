// A time that a method takes as an int of milliseconds, or as PHP's Time\Duration where it has
// that; and one that an array tells.
#pragma once
#include <optional>

#include "border/zend.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock::php {

// `position` is the argument's, from 1. A part of a millisecond counts as a whole one: a lease must
// not come out shorter than it was asked for. False: an exception is pending.
[[nodiscard]] bool parse_milliseconds(zval* argument, uint32_t position, zend_long& ms);
// The same of an argument that may be null.
[[nodiscard]] bool parse_milliseconds_or_null(zval* argument, uint32_t position, zend_long& ms,
                                              bool& is_null);
// A float of milliseconds, or null.
void put_milliseconds(zval* into, const char* name, const std::optional<Duration>& span);

}  // namespace redlock::php
