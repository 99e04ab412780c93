// SHA-1 (FIPS 180-4), by which servers name scripts. Not for anything secret.
#pragma once
#include <string>
#include <string_view>

namespace redlock::sim {

// 40 lower-case hexadecimal digits.
[[nodiscard]] std::string sha1_hex(std::string_view message);

}  // namespace redlock::sim
