// The parts by their names.
#include "redlock/config/guard_demands.hpp"

namespace redlock {

bool add_guard_part(Guard& guard, std::string_view name) {
  if (name == "restart") {
    guard.restart = true;
  } else if (name == "role") {
    guard.role = true;
  } else if (name == "eviction") {
    guard.eviction = true;
  } else if (name == "identity") {
    guard.identity = true;
  } else {
    return false;
  }
  return true;
}

}  // namespace redlock
