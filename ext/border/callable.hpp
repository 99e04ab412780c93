// Callables of the user's, held so that code of others cannot take them away.
//
// While one is judged autoloaders and error handlers run, and until it is called signal handlers
// do: what an array refers to may be another thing by then.
#pragma once
#include <cstdint>

#include "border/zend.hpp"

namespace redlock::php {

// Plain, because it lives across calls into Zend; let go by the one who holds it.
struct Callable {
  zval copy;                  // with no reference in it
  zend_fcall_info_cache how;  // without a function: to be found at each call
};

enum class Judged { callable, not_callable, thrown };

// Copies first. Holds nothing unless it is callable; else, where nothing is thrown, `error` says
// why, and is the caller's to efree().
[[nodiscard]] Judged hold_callable(Callable& into, const zval* value, char*& error);
// Borrows all of it. The result is undefined where the call failed or threw.
zend_result call_held(zval* callable, const zend_fcall_info_cache& how, zval* result,
                      std::uint32_t count, zval* arguments);

}  // namespace redlock::php
