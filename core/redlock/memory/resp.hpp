// The server's side of RESP: requests out of bytes, answers into bytes.
//
// Pure functions on buffers the caller owns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace redlock::memory {

using Arguments = std::vector<std::string_view>;

enum class ParseState {
  complete,
  incomplete,
  invalid,  // no array of bulk strings: the connection cannot go on
};

struct ParsedRequest {
  ParseState state = ParseState::incomplete;
  std::size_t size = 0;  // bytes that a complete request took, or an incomplete one takes at least
  std::string error;     // of an invalid one
};

// Reads one request from the front of `bytes`; `arguments` then point into them. An array of no
// elements is a complete request without arguments.
[[nodiscard]] ParsedRequest parse_request(std::string_view bytes, Arguments& arguments);

// What servers say to a text that is no number.
inline constexpr std::string_view kNoInteger = "ERR value is not an integer or out of range";
// Nothing when the text is no whole decimal number that fits.
[[nodiscard]] bool parse_integer(std::string_view text, std::int64_t& value);
[[nodiscard]] std::string lower_case(std::string_view text);
[[nodiscard]] bool equals_ignoring_case(std::string_view text, std::string_view lower);

void append_status(std::string& out, std::string_view text);
// `text` begins with the error's code and carries no '-'.
void append_error(std::string& out, std::string_view text);
void append_integer(std::string& out, std::int64_t value);
void append_bulk(std::string& out, std::string_view text);
void append_nil(std::string& out);
void append_array_header(std::string& out, std::size_t count);

}  // namespace redlock::memory
