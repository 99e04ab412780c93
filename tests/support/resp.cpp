// A strict reader of requests.
#include "support/resp.hpp"

#include <charconv>
#include <stdexcept>

namespace redlock::test {

namespace {

// Reads "<mark><number>\r\n" at `position` and moves behind it; nothing while incomplete.
std::optional<std::size_t> take_header(std::string_view bytes, char mark, std::size_t& position) {
  if (position >= bytes.size()) return std::nullopt;
  if (bytes[position] != mark) throw std::runtime_error("no request: " + std::string(bytes));
  const std::size_t end = bytes.find("\r\n", position);
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t number = 0;
  const char* last = bytes.data() + end;
  const auto [stop, error] = std::from_chars(bytes.data() + position + 1, last, number);
  if (error != std::errc() || stop != last) throw std::runtime_error("no number in a request");
  position = end + 2;
  return number;
}

}  // namespace

std::optional<Arguments> take_request(std::string& bytes) {
  std::size_t position = 0;
  const auto count = take_header(bytes, '*', position);
  if (!count) return std::nullopt;
  Arguments arguments;
  for (std::size_t i = 0; i < *count; ++i) {
    const auto size = take_header(bytes, '$', position);
    if (!size || position + *size + 2 > bytes.size()) return std::nullopt;
    arguments.push_back(bytes.substr(position, *size));
    position += *size + 2;
  }
  bytes.erase(0, position);
  return arguments;
}

std::vector<Arguments> take_requests(std::string& bytes) {
  std::vector<Arguments> requests;
  while (auto request = take_request(bytes)) requests.push_back(std::move(*request));
  return requests;
}

std::string request(const Arguments& arguments) {
  std::string bytes = "*" + std::to_string(arguments.size()) + "\r\n";
  for (const std::string& argument : arguments) bytes += bulk(argument);
  return bytes;
}

std::string integer(std::int64_t value) { return ":" + std::to_string(value) + "\r\n"; }

std::string bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}

std::string error(std::string_view text) { return "-" + std::string(text) + "\r\n"; }

}  // namespace redlock::test
