// Takes a server's textual form apart, without judging the parts.
#pragma once
#include <string_view>

#include "redlock/config/server_parts.hpp"

namespace redlock {

inline constexpr std::size_t kServerTextBytesMax = 16 * 1024;

// The forms that parse_server() documents. Throws ArgumentError when the text has none of them;
// messages never repeat the text, which may hold a password.
[[nodiscard]] ServerParts parts_from_text(std::string_view text);
[[nodiscard]] ServerFields fields_from_text(std::string_view text);

}  // namespace redlock
