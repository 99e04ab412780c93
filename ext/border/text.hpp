// Text for people: bytes of unknown origin made printable, and kept where a bail-out is safe.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace redlock::php {

// Longer names are cut in messages.
inline constexpr std::size_t kShownBytesMax = 64;

// Printable ASCII as it is, every other byte as \xNN; cut after `bytes_max` bytes of `text`.
[[nodiscard]] std::string printable(std::string_view text, std::size_t bytes_max);
// 'text', printable and short.
[[nodiscard]] std::string in_quotes(std::string_view text);

// Copies what fits into a C string that owns nothing.
template <std::size_t N>
void park(char (&buffer)[N], std::string_view text) {
  const std::size_t size = std::min(text.size(), N - 1);
  text.copy(buffer, size);
  buffer[size] = '\0';
}

}  // namespace redlock::php
