// Single PHP values as C++ ones.
//
// Every function throws ArgumentError or TypeMismatch, whose text begins with `name` and never
// shows the value of a string, and calls nothing of Zend that can fail.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "border/zend.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock::php {

[[nodiscard]] inline std::string_view view_of(const zend_string* text) {
  return {ZSTR_VAL(text), ZSTR_LEN(text)};
}
// An array key as a message shows it.
[[nodiscard]] std::string key_text(zend_ulong index, const zend_string* key);

[[noreturn]] void refuse_type(std::string_view name, const char* expected, const zval* value);
[[nodiscard]] std::string text_from(std::string_view name, const zval* value);
[[nodiscard]] bool flag_from(std::string_view name, const zval* value);
// Not there, null, or an empty text: as an environment variable that is not set gives it.
[[nodiscard]] bool is_empty(const zval* value);
// A bool as configuration files have it: 1, 0, or a word such as "true" and "off" too. Null and an
// empty string give nothing.
[[nodiscard]] std::optional<bool> switch_from(std::string_view name, const zval* value);
// An int or a string of decimal digits; null gives nothing.
[[nodiscard]] std::optional<std::int64_t> whole_number_from(std::string_view name,
                                                            const zval* value);
// An int, float or numeric string; null gives nothing. May be NaN or infinite.
[[nodiscard]] std::optional<double> number_from(std::string_view name, const zval* value);

// Seconds as a duration, rounded up to the nanosecond. Refuses what is negative, not finite or
// above `seconds_max`.
[[nodiscard]] Duration duration_from(std::string_view name, double seconds, Duration max);
// The same, rounded up to the millisecond: leases are counted in whole ones, and one must not
// come out shorter than it was asked for.
[[nodiscard]] Duration lease_from(std::string_view name, double seconds, Duration max);

}  // namespace redlock::php
