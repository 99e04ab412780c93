// Numbers, words, percent signs and hosts of texts.
#include "redlock/config/url_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "redlock/config/endpoint.hpp"
#include "redlock/config/field_names.hpp"
#include "redlock/config/refusal.hpp"

namespace redlock {

namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text, bool plus_is_space) {
  std::string decoded;
  // In one piece: it may be a password.
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(plus_is_space && text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    if (i + 2 >= text.size()) refuse("a '%' in the URL must be followed by two hex digits");
    const int upper = hex_value(text[i + 1]);
    const int lower = hex_value(text[i + 2]);
    if (upper < 0 || lower < 0) refuse("a '%' in the URL must be followed by two hex digits");
    decoded.push_back(static_cast<char>(upper * 16 + lower));
    i += 2;
  }
  return decoded;
}

}  // namespace

std::string percent_decoded(std::string_view text) { return decoded(text, false); }
std::string form_decoded(std::string_view text) { return decoded(text, true); }

std::int64_t whole_number(std::string_view text, const char* complaint) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) refuse(complaint);
  return value;
}

// Digits, maybe with a point among them. Not by from_chars(), which libc++ has for a double since
// LLVM 20 only.
double decimal_seconds(std::string_view text) {
  constexpr const char* kComplaint = "timeout must be a number of seconds between 0 and 3600";
  constexpr int kDigitsMax = 15;  // of a double each of them is exact
  std::int64_t digits = 0;
  int count = 0;
  double unit = 1;
  bool behind_point = false;
  for (const char c : text) {
    if (c == '.' && !behind_point) {
      behind_point = true;
      continue;
    }
    if (c < '0' || c > '9' || (count == kDigitsMax && !behind_point)) refuse(kComplaint);
    if (count == kDigitsMax) continue;
    digits = digits * 10 + (c - '0');
    if (digits > 0) ++count;
    if (behind_point) unit *= 10;
  }
  if (text.empty() || text == ".") refuse(kComplaint);
  return static_cast<double>(digits) / unit;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

std::optional<bool> flag_word(std::string_view text) {
  constexpr std::array<std::string_view, 4> kOn{"1", "true", "on", "yes"};
  constexpr std::array<std::string_view, 4> kOff{"0", "false", "off", "no"};
  const std::string word = lower_case(text);
  if (std::ranges::find(kOn, word) != kOn.end()) return true;
  if (std::ranges::find(kOff, word) != kOff.end()) return false;
  return std::nullopt;
}

Authority authority_of(std::string_view text) {
  if (text.find(',') != std::string_view::npos) refuse_several_hosts();
  std::string_view host = text;
  std::optional<std::string_view> port;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) refuse("an address in brackets must end with ']'");
    host = text.substr(1, close - 1);
    const std::string_view rest = text.substr(close + 1);
    if (!rest.empty() && rest.front() != ':') refuse("only a port may follow ']'");
    if (!rest.empty()) port = rest.substr(1);
  } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    if (text.find(':', colon + 1) != std::string_view::npos) {
      refuse("an IPv6 address must stand in brackets, with its port behind them: [::1]:6379");
    }
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  Authority authority;
  authority.host = std::string(host);
  if (port) authority.port = whole_number(*port, "port must be a number between 1 and 65535");
  return authority;
}

}  // namespace redlock
