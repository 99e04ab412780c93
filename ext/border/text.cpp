// Escaping and shortening.
#include "border/text.hpp"

namespace redlock::php {

std::string printable(std::string_view text, std::size_t bytes_max) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string shown;
  for (const char c : text.substr(0, bytes_max)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      shown += c;
    } else {
      shown += "\\x";
      shown += kDigits[byte >> 4];
      shown += kDigits[byte & 15];
    }
  }
  if (text.size() > bytes_max) shown += "...";
  return shown;
}

std::string in_quotes(std::string_view text) { return "'" + printable(text, kShownBytesMax) + "'"; }

}  // namespace redlock::php
