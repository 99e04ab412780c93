// Reading the numbers that servers put in front of their words.
#pragma once
#include <charconv>
#include <string_view>
#include <system_error>

namespace redlock {

// The number at the beginning of `text` and the blank or the end behind it, which are taken off.
// False where there is none; the text is then of no use.
template <class Number>
[[nodiscard]] bool read_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.empty()) return true;
  if (text.front() != ' ') return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace redlock
