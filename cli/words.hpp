// Text for people and for programs: safe on a terminal, aligned, or as JSON.
#pragma once
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace redlock::cli {

// Bytes that would move a terminal's cursor are shown as \x1b and the like; what looks like UTF-8
// stays.
[[nodiscard]] std::string shown(std::string_view text);
// Whose a lock is, as it is shown: by his name, or by the token where he gave none.
[[nodiscard]] std::string name_of(std::string_view owner, std::string_view token);
// 'a', 'b' and 'c'.
[[nodiscard]] std::string quoted(std::span<const std::string> names, std::string_view last = "and");
// With spaces behind it, up to `width` characters; what is longer is cut.
[[nodiscard]] std::string padded(std::string_view text, std::size_t width);
// As a JSON string, in quotes. Bytes that are no UTF-8 are taken for Latin-1, which loses none.
[[nodiscard]] std::string json(std::string_view text);

// Standard output takes no more: a full disk.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// To standard output, at once. Throws OutputError: what is not said is not done.
void say(std::string_view text);
// To standard error: "redlock: …".
void complain(std::string_view text);

}  // namespace redlock::cli
