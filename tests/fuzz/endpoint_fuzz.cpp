// Server texts: what is accepted keeps its bounds and survives being written out and read again;
// no message and no printed form ever holds the password.
#include <array>
#include <string>

#include "input.hpp"
#include "redlock/config/endpoint.hpp"
#include "redlock/config/tls_draft.hpp"
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

std::string query_of(const TlsOptions& tls) {
  std::string query;
  const auto add = [&](std::string_view name, std::string_view value) {
    query.append("ssl[").append(name).append("]=").append(percent_encoded(value)) += '&';
  };
  add("cafile", tls.cafile);
  add("capath", tls.capath);
  add("local_cert", tls.local_cert);
  add("local_pk", tls.local_pk);
  add("passphrase", tls.passphrase);
  add("peer_name", tls.peer_name);
  add("ciphers", tls.ciphers);
  add("verify_peer", tls.verify_peer ? "1" : "0");
  add("verify_peer_name", tls.verify_peer_name ? "1" : "0");
  return query;
}

std::string url_of(const Endpoint& endpoint) {
  std::string credentials;
  if (!endpoint.user.empty()) credentials = percent_encoded(endpoint.user) + ':';
  if (!endpoint.password.empty()) credentials += percent_encoded(endpoint.password) + '@';
  const std::string database = std::to_string(endpoint.database);
  if (!endpoint.unix_path.empty()) {
    return "unix://" + credentials + percent_encoded(endpoint.unix_path) + "?database=" + database;
  }
  return (endpoint.tls ? "rediss://" : "redis://") + credentials + percent_encoded(endpoint.host) +
         ':' + std::to_string(endpoint.port) + '/' + database +
         (endpoint.tls ? '?' + query_of(*endpoint.tls) : std::string());
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

void check_tls_bounds(const Endpoint& endpoint) {
  if (!endpoint.tls) return;
  REQUIRE(endpoint.unix_path.empty());
  for (const std::string_view text :
       {std::string_view(endpoint.tls->cafile), std::string_view(endpoint.tls->capath),
        std::string_view(endpoint.tls->local_cert), std::string_view(endpoint.tls->local_pk),
        std::string_view(endpoint.tls->passphrase), std::string_view(endpoint.tls->peer_name),
        std::string_view(endpoint.tls->ciphers)}) {
    REQUIRE(text.size() <= kTlsTextBytesMax);
    REQUIRE(text.find('\0') == std::string_view::npos);
  }
}

void check_printing(const Endpoint& endpoint) {
  Endpoint other = endpoint;
  other.password = "another";
  other.user = "someone";
  if (other.tls) other.tls->passphrase = "another";
  REQUIRE(endpoint.display() == other.display());
  REQUIRE(endpoint.server_key() == other.server_key());
}

void check_accepted(const ServerSpec& server) {
  check_bounds(server);
  check_tls_bounds(server.endpoint);
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

// All that may be shown of a text.
std::string shown(const std::string& text) {
  try {
    const Endpoint endpoint = parse_server(text).endpoint;
    return endpoint.display() + ' ' + endpoint.server_key();
  } catch (const ArgumentError& error) {
    return error.what();
  }
}

void try_two_secrets(const std::string& before, const std::string& after) {
  REQUIRE(shown(before + "sentinel" + after) == shown(before + "watchman" + after));
}

}  // namespace

void try_texts(Input input) {
  constexpr std::array<std::string_view, 6> kBegins{"",          "redis://", "unix://",
                                                    "rediss://", "tls://h?", "redis:u:p@?"};
  const std::size_t form = input.choice(8);
  if (form == 0 || form == 7) {
    const std::string before(input.text(input.choice(32)));
    const std::string after(input.text(std::string_view::npos));
    // A passphrase ends where the next parameter begins.
    return form == 0 ? try_two_secrets("redis://" + before + ':', '@' + after)
                     : try_two_secrets("rediss://" + before + "h?ssl[passphrase]=", '&' + after);
  }
  try_any(std::string(kBegins[form - 1]) + std::string(input.text(std::string_view::npos)));
}

}  // namespace redlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  redlock::fuzz::try_texts(redlock::fuzz::Input(data, size));
  return 0;
}
