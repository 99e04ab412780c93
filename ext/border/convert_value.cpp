// Checked conversions of single PHP values.
#include "border/convert_value.hpp"

#include <cmath>

#include "border/guard.hpp"
#include "border/text.hpp"
#include "redlock/config/endpoint.hpp"
#include "redlock/config/url_text.hpp"

namespace redlock::php {

namespace {

// A product of decimal fractions misses the whole number it means by less than this.
constexpr double kRoundingSlack = 1e-6;

double checked_seconds(std::string_view name, double seconds, Duration max) {
  const std::string begin(name);
  if (!std::isfinite(seconds)) throw ArgumentError(begin + " must be a finite number of seconds");
  if (seconds < 0) throw ArgumentError(begin + " must be greater than or equal to 0");
  if (seconds > max.as_ms() / 1e3) {
    throw ArgumentError(begin + " must be at most " + std::to_string(max.count_ms() / 1000) +
                        " seconds");
  }
  return seconds;
}

}  // namespace

std::string key_text(zend_ulong index, const zend_string* key) {
  if (key != nullptr) return in_quotes(view_of(key));
  return std::to_string(static_cast<zend_long>(index));
}

void refuse_type(std::string_view name, const char* expected, const zval* value) {
  throw TypeMismatch(std::string(name) + " must be of type " + expected + ", " +
                     zend_zval_type_name(value) + " given");
}

std::string text_from(std::string_view name, const zval* value) {
  ZVAL_DEREF(value);
  if (Z_TYPE_P(value) != IS_STRING) refuse_type(name, "string", value);
  return std::string(view_of(Z_STR_P(value)));
}

bool flag_from(std::string_view name, const zval* value) {
  ZVAL_DEREF(value);
  if (Z_TYPE_P(value) != IS_TRUE && Z_TYPE_P(value) != IS_FALSE) refuse_type(name, "bool", value);
  return Z_TYPE_P(value) == IS_TRUE;
}

bool is_empty(const zval* value) {
  return value == nullptr || Z_TYPE_P(value) == IS_NULL ||
         (Z_TYPE_P(value) == IS_STRING && Z_STRLEN_P(value) == 0);
}

std::optional<bool> switch_from(std::string_view name, const zval* value) {
  ZVAL_DEREF(value);
  if (is_empty(value)) return std::nullopt;
  std::optional<bool> on;
  if (Z_TYPE_P(value) == IS_LONG) {
    if (Z_LVAL_P(value) == 0 || Z_LVAL_P(value) == 1) on = Z_LVAL_P(value) == 1;
  } else if (Z_TYPE_P(value) == IS_STRING) {
    on = flag_word(view_of(Z_STR_P(value)));
  } else {
    on = flag_from(name, value);
  }
  if (!on) throw ArgumentError(std::string(name) + " must be true or false");
  return on;
}

std::optional<std::int64_t> whole_number_from(std::string_view name, const zval* value) {
  ZVAL_DEREF(value);
  if (Z_TYPE_P(value) == IS_NULL) return std::nullopt;
  if (Z_TYPE_P(value) == IS_LONG) return Z_LVAL_P(value);
  if (Z_TYPE_P(value) != IS_STRING) refuse_type(name, "int", value);
  zend_long whole = 0;
  double fraction = 0;
  if (is_numeric_string(Z_STRVAL_P(value), Z_STRLEN_P(value), &whole, &fraction, false) !=
      IS_LONG) {
    throw ArgumentError(std::string(name) + " must be a whole number");
  }
  return whole;
}

std::optional<double> number_from(std::string_view name, const zval* value) {
  ZVAL_DEREF(value);
  if (Z_TYPE_P(value) == IS_NULL) return std::nullopt;
  if (Z_TYPE_P(value) == IS_LONG) return static_cast<double>(Z_LVAL_P(value));
  if (Z_TYPE_P(value) == IS_DOUBLE) return Z_DVAL_P(value);
  if (Z_TYPE_P(value) != IS_STRING) refuse_type(name, "int|float", value);
  zend_long whole = 0;
  double fraction = 0;
  switch (is_numeric_string(Z_STRVAL_P(value), Z_STRLEN_P(value), &whole, &fraction, false)) {
    case IS_LONG:
      return static_cast<double>(whole);
    case IS_DOUBLE:
      return fraction;
    default:
      throw ArgumentError(std::string(name) + " must be a number");
  }
}

Duration duration_from(std::string_view name, double seconds, Duration max) {
  return Duration::ns(
      static_cast<std::int64_t>(std::ceil(checked_seconds(name, seconds, max) * 1e9)));
}

Duration lease_from(std::string_view name, double seconds, Duration max) {
  const double ms = checked_seconds(name, seconds, max) * 1e3;
  const double whole_ms = std::ceil(ms - kRoundingSlack);
  return Duration::ms(seconds > 0 && whole_ms < 1 ? 1 : static_cast<std::int64_t>(whole_ms));
}

}  // namespace redlock::php
