// Reading Time\Duration by its properties.
#include "border/milliseconds.hpp"

#include <algorithm>
#include <string_view>

namespace redlock::php {

namespace {

// Far above what any time may be.
constexpr zend_long kSecondsMax = ZEND_LONG_MAX / 2000;
constexpr zend_long kNanosecondsInMs = 1'000'000;

// PHP's own, whose properties run no code of others.
bool is_duration(const zval* argument) {
  if (Z_TYPE_P(argument) != IS_OBJECT) return false;
  const zend_class_entry* const type = Z_OBJCE_P(argument);
  const std::string_view name(ZSTR_VAL(type->name), ZSTR_LEN(type->name));
  return type->type == ZEND_INTERNAL_CLASS && name == "Time\\Duration";
}

zend_long number_in(const zval* duration, std::string_view property) {
  zval room;
  const zval* const value = zend_read_property(Z_OBJCE_P(duration), Z_OBJ_P(duration),
                                               property.data(), property.size(), true, &room);
  return Z_TYPE_P(value) == IS_LONG ? Z_LVAL_P(value) : Z_TYPE_P(value) == IS_TRUE;
}

zend_long ms_of(const zval* duration) {
  const zend_long seconds = std::min(number_in(duration, "seconds"), kSecondsMax);
  const zend_long nanoseconds = number_in(duration, "nanoseconds");
  const zend_long ms = seconds * 1000 + (nanoseconds + kNanosecondsInMs - 1) / kNanosecondsInMs;
  return number_in(duration, "negative") != 0 ? -ms : ms;
}

bool parse(zval* argument, uint32_t position, zend_expected_type expected, zend_long& ms) {
  ZVAL_DEREF(argument);
  if (is_duration(argument)) {
    ms = ms_of(argument);
    return true;
  }
  bool unused = false;
  if (zend_parse_arg_long(argument, &ms, &unused, false, position)) return true;
  if (EG(exception) == nullptr) zend_wrong_parameter_type_error(position, expected, argument);
  return false;
}

}  // namespace

bool parse_milliseconds(zval* argument, uint32_t position, zend_long& ms) {
  return parse(argument, position, Z_EXPECTED_LONG, ms);
}

bool parse_milliseconds_or_null(zval* argument, uint32_t position, zend_long& ms, bool& is_null) {
  ZVAL_DEREF(argument);
  is_null = Z_TYPE_P(argument) == IS_NULL;
  return is_null || parse(argument, position, Z_EXPECTED_LONG_OR_NULL, ms);
}

void put_milliseconds(zval* into, const char* name, const std::optional<Duration>& span) {
  span ? add_assoc_double(into, name, span->as_ms()) : add_assoc_null(into, name);
}

}  // namespace redlock::php
