// What the option arrays of the constructors have in common.
//
// Everything throws ArgumentError or TypeMismatch, whose text begins with "options", and calls
// nothing of Zend that can fail.
#pragma once
#include <string>
#include <string_view>

#include "border/convert_value.hpp"
#include "border/zend.hpp"
#include "redlock/config/endpoint.hpp"

namespace redlock::php {

[[noreturn]] void refuse_unknown_option(zend_ulong index, const zend_string* key);

// Calls take(name, value) for each option; take() says whether there is such an option. `options`
// may be null.
template <class Take>
void for_each_option(HashTable* options, Take take) {
  if (options == nullptr) return;
  zend_ulong index = 0;
  zend_string* key = nullptr;
  zval* value = nullptr;
  ZEND_HASH_FOREACH_KEY_VAL(options, index, key, value) {
    const std::string_view name = key == nullptr ? std::string_view() : view_of(key);
    if (key == nullptr || !take(name, value)) refuse_unknown_option(index, key);
  }
  ZEND_HASH_FOREACH_END();
}

// How a message about an option begins.
[[nodiscard]] std::string option_label(std::string_view name);

// The options timeout, connectTimeout and driftFactor, which every class has.
[[nodiscard]] Duration timeout_option(std::string_view name, const zval* value);
[[nodiscard]] std::optional<Duration> connect_timeout_option(std::string_view name,
                                                             const zval* value);
[[nodiscard]] double drift_option(std::string_view name, const zval* value);

}  // namespace redlock::php
