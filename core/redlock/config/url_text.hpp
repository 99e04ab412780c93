// The pieces that texts of servers consist of.
//
// Pure; throws ArgumentError, which never repeats the text.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace redlock {

// Undoes percent-encoding.
[[nodiscard]] std::string percent_decoded(std::string_view text);
// The same behind a '?', where a '+' is a space to everybody who reads forms.
[[nodiscard]] std::string form_decoded(std::string_view text);
// Decimal digits, maybe behind a '-', and nothing else.
[[nodiscard]] std::int64_t whole_number(std::string_view text, const char* complaint);
// Seconds, not judged.
[[nodiscard]] double decimal_seconds(std::string_view text);
// 1, true, on, yes or 0, false, off, no, in any letter case; nothing for any other word.
[[nodiscard]] std::optional<bool> flag_word(std::string_view text);
[[nodiscard]] std::string lower_case(std::string_view text);

struct Authority {
  std::string host;  // as it stands there; an address of version six without its brackets
  std::optional<std::int64_t> port;
};
// "host", "host:port", "[v6]" or "[v6]:port".
[[nodiscard]] Authority authority_of(std::string_view text);

}  // namespace redlock
