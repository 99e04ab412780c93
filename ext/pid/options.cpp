// PidLock's options by their names.
#include "pid/options.hpp"

#include "border/convert_option.hpp"
#include "border/guard.hpp"
#include "border/text.hpp"

namespace redlock::php {

namespace {

StampUnit unit_option(std::string_view name, const zval* value) {
  const std::string unit = text_from(option_label(name), value);
  if (unit == "ms") return StampUnit::milliseconds;
  if (unit == "s") return StampUnit::seconds;
  throw ArgumentError(option_label(name) + " must be 'ms' or 's', " + in_quotes(unit) + " given");
}

bool object_owns_option(std::string_view name, const zval* value) {
  const std::string owner = text_from(option_label(name), value);
  if (owner == "request") return false;
  if (owner == "object") return true;
  throw ArgumentError(option_label(name) + " must be 'request' or 'object', " + in_quotes(owner) +
                      " given");
}

}  // namespace

void take_pid_options(PidOptions& into, HashTable* options) {
  for_each_option(options, [&into](std::string_view name, const zval* value) {
    if (name == "prefix") {
      into.prefix = text_from(option_label(name), value);
    } else if (name == "unit") {
      into.stamp.unit = unit_option(name, value);
    } else if (name == "mixedFleet") {
      into.stamp.mixed_fleet = flag_from(option_label(name), value);
    } else if (name == "owner") {
      into.object_owns = object_owns_option(name, value);
    } else if (name == "driftFactor") {
      into.stamp.drift_factor = drift_option(name, value);
    } else if (name == "timeout") {
      into.stamp.timeout = timeout_option(name, value);
    } else if (name == "connectTimeout") {
      into.stamp.connect_timeout = connect_timeout_option(name, value);
    } else if (name == "clientName") {
      into.stamp.client_name = text_from(option_label(name), value);
    } else {
      return false;
    }
    return true;
  });
}

}  // namespace redlock::php
