// The quorum lock's options by their names.
#include "quorum/options.hpp"

#include "border/convert_option.hpp"

namespace redlock::php {

bool take_lock_option(LockOptions& into, std::string_view name, const zval* value) {
  if (name == "driftFactor") {
    into.drift_factor = drift_option(name, value);
  } else if (name == "timeout") {
    into.timeout = timeout_option(name, value);
  } else if (name == "connectTimeout") {
    into.connect_timeout = connect_timeout_option(name, value);
  } else if (name == "clientName") {
    into.client_name = text_from(option_label(name), value);
  } else {
    return false;
  }
  return true;
}

}  // namespace redlock::php
