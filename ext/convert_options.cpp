// Reads options; the managers judge their values.
#include "convert_options.hpp"

#include "convert_value.hpp"
#include "guard.hpp"
#include "text.hpp"

namespace redlock::php {

namespace {

// Calls take(name, value) for each option; take() says whether there is such an option.
template <class Take>
void for_each_option(HashTable* options, Take take) {
  if (options == nullptr) return;
  zend_ulong index = 0;
  zend_string* key = nullptr;
  zval* value = nullptr;
  ZEND_HASH_FOREACH_KEY_VAL(options, index, key, value) {
    const std::string_view name = key == nullptr ? std::string_view() : view_of(key);
    if (key == nullptr || !take(name, value)) {
      throw ArgumentError("options must not contain the unknown option " + key_text(index, key));
    }
  }
  ZEND_HASH_FOREACH_END();
}

std::string label(std::string_view name) { return "options must be valid: " + std::string(name); }

Duration timeout_from(std::string_view name, const zval* value) {
  const std::optional<double> seconds = number_from(label(name), value);
  if (!seconds) return kTimeoutDefault;
  return timeout_from_seconds(label(name), *seconds).value_or(kTimeoutDefault);
}

double drift_from(std::string_view name, const zval* value) {
  const double factor = number_from(label(name), value).value_or(kDriftFactorDefault);
  if (!(factor >= 0 && factor < 1)) {
    throw ArgumentError(label(name) + " must be at least 0 and less than 1");
  }
  return factor;
}

StampUnit unit_from(std::string_view name, const zval* value) {
  const std::string unit = text_from(label(name), value);
  if (unit == "ms") return StampUnit::milliseconds;
  if (unit == "s") return StampUnit::seconds;
  throw ArgumentError(label(name) + " must be 'ms' or 's', " + quoted(unit) + " given");
}

bool object_owns_from(std::string_view name, const zval* value) {
  const std::string owner = text_from(label(name), value);
  if (owner == "request") return false;
  if (owner == "object") return true;
  throw ArgumentError(label(name) + " must be 'request' or 'object', " + quoted(owner) + " given");
}

}  // namespace

void take_lock_options(LockOptions& into, HashTable* options) {
  for_each_option(options, [&into](std::string_view name, const zval* value) {
    if (name == "driftFactor") {
      into.drift_factor = drift_from(name, value);
    } else if (name == "timeout") {
      into.timeout = timeout_from(name, value);
    } else if (name == "clientName") {
      into.client_name = text_from(label(name), value);
    } else {
      return false;
    }
    return true;
  });
}

void take_pid_options(PidOptions& into, HashTable* options) {
  for_each_option(options, [&into](std::string_view name, const zval* value) {
    if (name == "prefix") {
      into.prefix = text_from(label(name), value);
    } else if (name == "unit") {
      into.stamp.unit = unit_from(name, value);
    } else if (name == "mixedFleet") {
      into.stamp.mixed_fleet = flag_from(label(name), value);
    } else if (name == "owner") {
      into.object_owns = object_owns_from(name, value);
    } else if (name == "driftFactor") {
      into.stamp.drift_factor = drift_from(name, value);
    } else if (name == "timeout") {
      into.stamp.timeout = timeout_from(name, value);
    } else if (name == "clientName") {
      into.stamp.client_name = text_from(label(name), value);
    } else {
      return false;
    }
    return true;
  });
}

}  // namespace redlock::php
