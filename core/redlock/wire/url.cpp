// host:port, redis:// and unix:// texts.
#include "redlock/wire/url.hpp"

#include <charconv>
#include <cmath>

namespace redlock {

namespace {

[[noreturn]] void refuse(const char* message) { throw ArgumentError(message); }

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  // In one piece: it may be a password.
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
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

std::int64_t whole_number(std::string_view text, const char* complaint) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) refuse(complaint);
  return value;
}

double decimal_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    refuse("timeout must be a number of seconds between 0 and 3600");
  }
  return value;
}

constexpr const char* kPortComplaint = "port must be a number between 1 and 65535";
constexpr const char* kDatabaseComplaint = "database must be a number between 0 and 1000000";

// "host", "host:port", "[v6]", "[v6]:port", or a bare v6 address.
// The host is as it stands in `text`.
void take_authority(std::string_view text, ServerFields& fields) {
  std::string_view host = text;
  std::string_view port;
  bool has_port = false;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) refuse("an address in brackets must end with ']'");
    host = text.substr(1, close - 1);
    const std::string_view rest = text.substr(close + 1);
    if (!rest.empty() && rest.front() != ':') refuse("only a port may follow ']'");
    has_port = !rest.empty();
    if (has_port) port = rest.substr(1);
  } else if (const std::size_t colon = text.find(':');
             colon != std::string_view::npos &&
             text.find(':', colon + 1) == std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    has_port = true;
  }
  fields.host = std::string(host);
  if (has_port) fields.port = whole_number(port, kPortComplaint);
}

void take_credentials(std::string_view text, ServerFields& fields) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    fields.password = percent_decoded(text);
    return;
  }
  fields.user = percent_decoded(text.substr(0, colon));
  fields.password = percent_decoded(text.substr(colon + 1));
}

void take_query(std::string_view text, ServerFields& fields) {
  while (!text.empty()) {
    const std::size_t end = text.find('&');
    const std::string_view pair = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    const std::size_t equals = pair.find('=');
    const std::string_view name = pair.substr(0, equals);
    const std::string value =
        equals == std::string_view::npos ? std::string{} : percent_decoded(pair.substr(equals + 1));
    if (name == "timeout") {
      fields.timeout_seconds = decimal_number(value);
    } else if (name == "database") {
      fields.database = whole_number(value, kDatabaseComplaint);
    } else {
      refuse("only timeout and database may stand behind '?' in the URL");
    }
  }
}

// Cuts "?query" off the end and takes it.
std::string_view without_query(std::string_view text, ServerFields& fields) {
  const std::size_t question = text.find('?');
  if (question == std::string_view::npos) return text;
  take_query(text.substr(question + 1), fields);
  return text.substr(0, question);
}

ServerFields from_redis_url(std::string_view text) {
  ServerFields fields;
  text = without_query(text, fields);
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    take_credentials(text.substr(0, at), fields);
    text = text.substr(at + 1);
  }
  const std::size_t slash = text.find('/');
  take_authority(text.substr(0, slash), fields);
  fields.host = percent_decoded(fields.host);
  if (slash != std::string_view::npos && slash + 1 < text.size()) {
    fields.database = whole_number(text.substr(slash + 1), kDatabaseComplaint);
  }
  return fields;
}

ServerFields from_unix_url(std::string_view text) {
  ServerFields fields;
  text = without_query(text, fields);
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    take_credentials(text.substr(0, at), fields);
    text = text.substr(at + 1);
  }
  fields.host = percent_decoded(text);
  if (!fields.host.starts_with('/')) refuse("unix:// must be followed by an absolute path");
  return fields;
}

}  // namespace

ServerFields fields_from_text(std::string_view text) {
  constexpr std::string_view kRedisScheme = "redis://";
  constexpr std::string_view kUnixScheme = "unix://";
  if (text.size() > kServerTextBytesMax) refuse("the server must be at most 16384 bytes long");
  if (text.starts_with(kRedisScheme)) return from_redis_url(text.substr(kRedisScheme.size()));
  if (text.starts_with(kUnixScheme)) return from_unix_url(text.substr(kUnixScheme.size()));
  if (text.find("://") != std::string_view::npos) {
    refuse("the URL's scheme must be redis:// or unix://");
  }
  ServerFields fields;
  if (text.starts_with('/')) {
    fields.host = std::string(text);
  } else {
    take_authority(text, fields);
  }
  return fields;
}

}  // namespace redlock
