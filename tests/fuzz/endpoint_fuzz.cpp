// Server texts: what is accepted keeps its bounds and survives being written out and read again;
// no message and no printed form ever holds the password.
#include <string>

#include "input.hpp"
#include "redlock/wire/endpoint.hpp"
#include "require.hpp"

namespace redlock::fuzz {

namespace {

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789aBcDeF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kHexDigits[byte >> 4U];
    encoded += kHexDigits[byte & 15U];
  }
  return encoded;
}

std::string url_of(const Endpoint& endpoint) {
  std::string credentials;
  if (!endpoint.user.empty()) credentials = percent_encoded(endpoint.user) + ':';
  if (!endpoint.password.empty()) credentials += percent_encoded(endpoint.password) + '@';
  const std::string database = std::to_string(endpoint.database);
  if (!endpoint.unix_path.empty()) {
    return "unix://" + credentials + percent_encoded(endpoint.unix_path) + "?database=" + database;
  }
  return "redis://" + credentials + percent_encoded(endpoint.host) + ':' +
         std::to_string(endpoint.port) + '/' + database;
}

void check_bounds(const ServerSpec& server) {
  const Endpoint& endpoint = server.endpoint;
  REQUIRE(endpoint.host.empty() != endpoint.unix_path.empty());
  REQUIRE(endpoint.host.size() <= kHostBytesMax);
  REQUIRE(endpoint.unix_path.size() <= kUnixPathBytesMax);
  REQUIRE(endpoint.unix_path.find('\0') == std::string::npos);
  REQUIRE(endpoint.port != 0);
  REQUIRE(endpoint.database <= kDatabaseMax);
  REQUIRE(endpoint.user.empty() || !endpoint.password.empty());
  REQUIRE(endpoint.user.size() <= kCredentialBytesMax);
  REQUIRE(endpoint.password.size() <= kCredentialBytesMax);
  REQUIRE(!server.timeout || (*server.timeout > Duration() && *server.timeout <= kTimeoutMax));
}

void check_printing(const Endpoint& endpoint) {
  Endpoint other = endpoint;
  other.password = "another";
  other.user = "someone";
  REQUIRE(endpoint.display() == other.display());
  REQUIRE(endpoint.server_key() == other.server_key());
}

void check_accepted(const ServerSpec& server) {
  check_bounds(server);
  check_printing(server.endpoint);
  REQUIRE(parse_server(url_of(server.endpoint)).endpoint == server.endpoint);
}

void try_any(std::string_view text) {
  try {
    check_accepted(parse_server(text));
  } catch (const ArgumentError& error) {
    REQUIRE(*error.what() != '\0');
  }
}

// All that may be shown of a text that holds the given password.
std::string shown(std::string_view before, std::string_view password, std::string_view after) {
  std::string text("redis://");
  text.append(before).append(":").append(password).append("@").append(after);
  try {
    const Endpoint endpoint = parse_server(text).endpoint;
    return endpoint.display() + ' ' + endpoint.server_key();
  } catch (const ArgumentError& error) {
    return error.what();
  }
}

void try_two_passwords(std::string_view before, std::string_view after) {
  REQUIRE(shown(before, "sentinel", after) == shown(before, "watchman", after));
}

}  // namespace

void try_texts(Input input) {
  const std::size_t form = input.choice(4);
  if (form == 0) {
    const std::string_view before = input.text(input.choice(32));
    return try_two_passwords(before, input.text(std::string_view::npos));
  }
  const std::string_view rest = input.text(std::string_view::npos);
  if (form == 1) return try_any(rest);
  try_any((form == 2 ? "redis://" : "unix://") + std::string(rest));
}

}  // namespace redlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  redlock::fuzz::try_texts(redlock::fuzz::Input(data, size));
  return 0;
}
