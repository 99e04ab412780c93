// What stands behind the '?' of a server's text.
//
// Pure; throws ArgumentError. Its message names an unknown parameter, unless that may be part of
// a password.
#pragma once
#include <string_view>

#include "redlock/config/server_parts.hpp"

namespace redlock {

// "timeout=0.5&dbindex=2&ssl[cafile]=/ca.pem": read like a form, so that '+' is a space. Each
// parameter may be given once.
void take_query(std::string_view text, ServerParts& parts);

}  // namespace redlock
