// RESP2, as servers read and write it.
#include "redlock/memory/resp.hpp"

#include <array>
#include <charconv>

namespace redlock::memory {

namespace {

constexpr std::int64_t kArgumentsMax = 1024 * 1024;
constexpr std::int64_t kBulkBytesMax = 512 * 1024 * 1024;

enum class Line { whole, partial };

// The text up to the next CRLF; `at` moves behind it.
Line read_line(std::string_view bytes, std::size_t& at, std::string_view& line) {
  const std::size_t end = bytes.find('\r', at);
  if (end == std::string_view::npos || end + 1 >= bytes.size()) return Line::partial;
  line = bytes.substr(at, end - at);
  at = end + 2;
  return Line::whole;
}

// A mark and a small number, as nearly all lines are; `at` moves behind it. False: it is not one,
// or not whole.
bool read_small(std::string_view bytes, std::size_t& at, char mark, std::int64_t& value) {
  constexpr std::size_t kDigitsMax = 4;
  if (at >= bytes.size() || bytes[at] != mark) return false;
  std::size_t end = at + 1;
  std::int64_t number = 0;
  for (; end < bytes.size() && end - at <= kDigitsMax; ++end) {
    if (bytes[end] < '0' || bytes[end] > '9') break;
    number = 10 * number + (bytes[end] - '0');
  }
  if (end + 1 >= bytes.size() || bytes[end] != '\r') return false;
  if (end == at + 1 || bytes[at + 1] == '0') return false;
  value = number;
  at = end + 2;
  return true;
}

// Of a request that goes beyond its first `size` bytes.
ParsedRequest incomplete(std::size_t size) { return {ParseState::incomplete, size + 1, {}}; }

ParsedRequest invalid(std::string error) { return {ParseState::invalid, 0, std::move(error)}; }

void append_number(std::string& out, char mark, std::int64_t value) {
  std::array<char, 24> text;
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  out.push_back(mark);
  out.append(text.data(), result.ptr);
  out.append("\r\n");
}

}  // namespace

bool parse_integer(std::string_view text, std::int64_t& value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return false;
  // Redis takes neither leading zeros nor "-0".
  const std::string_view digits = text.substr(text.front() == '-' ? 1 : 0);
  return digits.front() != '0' || text == "0";
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower[i]) return false;
  }
  return true;
}

ParsedRequest parse_request(std::string_view bytes, Arguments& arguments) {
  arguments.clear();
  std::size_t at = 0;
  std::string_view line;
  std::int64_t count = 0;
  if (!read_small(bytes, at, '*', count)) {
    if (bytes.empty() || read_line(bytes, at, line) == Line::partial) {
      return incomplete(bytes.size());
    }
    if (line.empty() || line.front() != '*') return invalid("ERR Protocol error: expected '*'");
    if (!parse_integer(line.substr(1), count) || count > kArgumentsMax) {
      return invalid("ERR Protocol error: invalid multibulk length");
    }
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (at < bytes.size() && bytes[at] != '$') {
      return invalid(std::string("ERR Protocol error: expected '$', got '") + bytes[at] + "'");
    }
    std::int64_t size = 0;
    if (!read_small(bytes, at, '$', size)) {
      if (read_line(bytes, at, line) == Line::partial) return incomplete(bytes.size());
      if (!parse_integer(line.substr(1), size) || size < 0 || size > kBulkBytesMax) {
        return invalid("ERR Protocol error: invalid bulk length");
      }
    }
    const auto length = static_cast<std::size_t>(size);
    if (bytes.size() - at < length + 2) return incomplete(at + length + 1);
    arguments.push_back(bytes.substr(at, length));
    at += length + 2;
  }
  return {ParseState::complete, at, {}};
}

void append_status(std::string& out, std::string_view text) {
  out.push_back('+');
  out.append(text);
  out.append("\r\n");
}

void append_error(std::string& out, std::string_view text) {
  out.push_back('-');
  out.append(text);
  out.append("\r\n");
}

void append_integer(std::string& out, std::int64_t value) { append_number(out, ':', value); }

void append_bulk(std::string& out, std::string_view text) {
  append_number(out, '$', static_cast<std::int64_t>(text.size()));
  out.append(text);
  out.append("\r\n");
}

void append_nil(std::string& out) { out.append("$-1\r\n"); }

void append_array_header(std::string& out, std::size_t count) {
  append_number(out, '*', static_cast<std::int64_t>(count));
}

}  // namespace redlock::memory
