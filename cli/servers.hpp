// Which servers: a list as people write it, in an argument, in the environment or in a file.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace redlock::cli {

inline constexpr char kServersVariable[] = "REDLOCK_SERVERS";

// "a,b,c", or "@file" with one a line, where empty lines and those that begin with # say nothing.
// Where `text` is empty, what the environment says. Throws std::invalid_argument where there are
// none, or the file cannot be read.
[[nodiscard]] std::vector<std::string> servers_from(const std::string& text);

}  // namespace redlock::cli
