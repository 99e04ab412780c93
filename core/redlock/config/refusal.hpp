// How a server or an option is refused that cannot be meant.
#pragma once
#include <string>

#include "redlock/config/endpoint.hpp"

namespace redlock {

[[noreturn]] inline void refuse(const std::string& message) { throw ArgumentError(message); }

}  // namespace redlock
