// Escaping and padding.
#include "cli/words.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <system_error>

namespace redlock::cli {

namespace {

bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7f; }
bool continues(unsigned char byte) { return (byte & 0xc0U) == 0x80; }

// How many bytes the UTF-8 character at `at` has; 0: it is none, or a control character of Latin-1.
std::size_t utf8_size(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned first = byte(0);
  std::size_t size = 1;
  if (first >= 0xc2 && first < 0xe0) size = 2;
  if (first >= 0xe0 && first < 0xf0) size = 3;
  if (first >= 0xf0 && first < 0xf5) size = 4;
  if (size == 1) return first < 0x80 ? 1 : 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (!continues(static_cast<unsigned char>(byte(i)))) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool too_high = first == 0xf4 && second >= 0x90;
  const bool control = first == 0xc2 && second < 0xa0;
  return overlong || surrogate || too_high || control ? 0 : size;
}

std::string escaped(const char* format, unsigned char byte) {
  std::array<char, 8> buffer{};
  const int size = std::snprintf(buffer.data(), buffer.size(), format, byte);
  return {buffer.data(), static_cast<std::size_t>(size)};
}

}  // namespace

std::string shown(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t size = is_control(byte) ? 0 : utf8_size(text, at);
    out += size > 0 ? std::string(text.substr(at, size)) : escaped("\\x%02x", byte);
    at += size > 0 ? size : 1;
  }
  return out;
}

std::string name_of(std::string_view owner, std::string_view token) {
  return shown(owner.empty() ? token : owner);
}

std::string quoted(std::span<const std::string> names, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) (text += i + 1 < names.size() ? "," : " " + std::string(last)) += " ";
    text += "'" + names[i] + "'";
  }
  return text;
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size() && columns < width; ++columns) {
    const std::size_t size = std::max<std::size_t>(utf8_size(text, at), 1);
    out += text.substr(at, size);
    at += size;
  }
  return out.append(width - columns, ' ');
}

std::string json(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t size = utf8_size(text, at);
    if (byte == '"' || byte == '\\') {
      (out += '\\') += text[at];
    } else if (size == 0 || is_control(byte)) {
      out += escaped("\\u%04x", byte);
    } else {
      out += text.substr(at, size);
    }
    at += size > 0 ? size : 1;
  }
  return out += '"';
}

void say(std::string_view text) {
  errno = 0;
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (whole && std::fflush(stdout) == 0) return;
  throw OutputError("standard output cannot be written: " +
                    std::generic_category().message(errno != 0 ? errno : EIO));
}

void complain(std::string_view text) {
  const std::string line = "redlock: " + shown(text) + "\n";
  // Whoever reads it may have stopped reading, and locks are not to wait for that.
  constexpr int kPatienceMs = 100;
  pollfd there{STDERR_FILENO, POLLOUT, 0};
  if (poll(&there, 1, kPatienceMs) <= 0) return;
  (void)!write(STDERR_FILENO, line.data(), std::min<std::size_t>(line.size(), PIPE_BUF));
}

}  // namespace redlock::cli
