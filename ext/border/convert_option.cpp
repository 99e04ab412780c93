// Reads options; the managers judge their values.
#include "border/convert_option.hpp"

#include "border/guard.hpp"
#include "redlock/algorithm/validity.hpp"
#include "redlock/locks/server_plan.hpp"

namespace redlock::php {

void refuse_unknown_option(zend_ulong index, const zend_string* key) {
  throw ArgumentError("options must not contain the unknown option " + key_text(index, key));
}

std::string option_label(std::string_view name) {
  return "options must be valid: " + std::string(name);
}

std::optional<Duration> connect_timeout_option(std::string_view name, const zval* value) {
  const std::optional<double> seconds = number_from(option_label(name), value);
  return seconds ? timeout_from_seconds(option_label(name), *seconds) : std::nullopt;
}

Duration timeout_option(std::string_view name, const zval* value) {
  return connect_timeout_option(name, value).value_or(kTimeoutDefault);
}

double drift_option(std::string_view name, const zval* value) {
  const double factor = number_from(option_label(name), value).value_or(kDriftFactorDefault);
  if (!(factor >= 0 && factor < 1)) {
    throw ArgumentError(option_label(name) + " must be at least 0 and less than 1");
  }
  return factor;
}

}  // namespace redlock::php
