// Parsing and printing of server addresses.
#include "redlock/config/endpoint.hpp"

#include <cmath>

#include "redlock/config/address_text.hpp"
#include "redlock/config/field_names.hpp"
#include "redlock/config/refusal.hpp"
#include "redlock/config/tls_draft.hpp"
#include "redlock/config/url.hpp"
#include "redlock/config/url_text.hpp"

namespace redlock {

namespace {

void check_host(const std::string& host) {
  if (host.empty()) refuse("host must not be empty");
  if (host.size() > kHostBytesMax) refuse("host must be at most 255 bytes long");
  for (const char c : host) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f) refuse("host must not contain spaces or control characters");
    // What is left of a URL without a scheme; the '@' may stand behind a password.
    if (c == '@' || c == '/') refuse("host must not contain '@' or '/'");
    if (c == ',') refuse_several_hosts();
  }
  if (host.find(':') != std::string::npos && !address_spelling(host)) {
    refuse(
        "host must not contain ':' unless it is an IPv6 address: a port is given as port, or in a "
        "text behind the host, as in [::1]:6379");
  }
  // Its other spellings would hide that two servers are one, and mostly it is a slip: a port alone.
  if (is_ipv4_shorthand(host)) {
    refuse("host must be an IPv4 address of four decimal numbers, or a name");
  }
  // No resolver knows it.
  if (host.ends_with('.') && address_spelling(host.substr(0, host.size() - 1))) {
    refuse("host must be an IP address without a dot behind it");
  }
}

void check_credential(std::string_view name, const std::string& value) {
  if (value.size() > kCredentialBytesMax) {
    refuse(std::string(name) + " must be at most 4096 bytes long");
  }
}

std::uint16_t checked_port(std::int64_t port) {
  if (port < 1 || port > 65535) {
    refuse("port must be between 1 and 65535, " + std::to_string(port) + " given");
  }
  return static_cast<std::uint16_t>(port);
}

// Names of servers in memory are for tests: any word.
void check_memory_name(const std::string& name) {
  if (name.size() > kHostBytesMax)
    refuse("the name behind memory:// must be at most 255 bytes long");
  for (const char c : name) {
    // Bytes of UTF-8 are below zero where char is signed.
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f ||
        std::string_view("@/,:").find(c) != std::string_view::npos) {
      refuse("the name behind memory:// must be one word without '@', '/', ',' and ':'");
    }
  }
}

Endpoint checked_address(const ServerFields& fields) {
  Endpoint endpoint;
  if (fields.in_memory) {
    // A port beside it says nothing, as beside a socket: configurations have the usual one.
    check_memory_name(fields.host);
    if (fields.password || fields.user) refuse("a server in memory has no password");
    if (fields.tls) refuse("a server in memory has no TLS");
    endpoint.in_memory = true;
    endpoint.host = fields.host;
    endpoint.port = 0;
    return endpoint;
  }
  if (fields.host.starts_with('/')) {
    if (fields.host.size() > kUnixPathBytesMax) {
      refuse("the path of a unix socket must be at most 107 bytes long");
    }
    if (fields.host.find('\0') != std::string::npos) {
      refuse("the path of a unix socket must not contain null bytes");
    }
    endpoint.unix_path = fields.host;
    return endpoint;
  }
  check_host(fields.host);
  endpoint.host = fields.host;
  endpoint.port = checked_port(fields.port.value_or(kPortDefault));
  return endpoint;
}

}  // namespace

std::string Endpoint::display() const {
  if (in_memory) return "memory://" + host;
  if (!unix_path.empty()) return "unix://" + unix_path;
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string Endpoint::server_key() const {
  if (in_memory) return "memory://" + host;
  if (!unix_path.empty()) return "unix://" + unix_path;
  std::string name = address_spelling(host).value_or(lower_case(host));
  if (name.ends_with('.')) name.pop_back();
  // They all lead to this machine; a port of it is one server.
  for (const std::string_view here : {"localhost", "::1", "0.0.0.0", "::"}) {
    if (name == here) name = "127.0.0.1";
  }
  return name + ":" + std::to_string(port);
}

std::optional<Duration> timeout_from_seconds(std::string_view name, double seconds) {
  const double max_seconds = static_cast<double>(kTimeoutMax.count_ms()) / 1000;
  if (!std::isfinite(seconds) || seconds < 0 || seconds > max_seconds) {
    refuse(std::string(name) + " must be a number of seconds between 0 and 3600");
  }
  if (seconds == 0) return std::nullopt;
  return Duration::ns(static_cast<std::int64_t>(std::ceil(seconds * 1e9)));
}

ServerSpec make_server(const ServerFields& fields) {
  ServerSpec server;
  server.endpoint = checked_address(fields);
  if (fields.timeout_seconds) {
    server.timeout = timeout_from_seconds("timeout", *fields.timeout_seconds);
    server.timeout_of_connecting = fields.timeout_of_connecting;
  }
  if (fields.connect_timeout_seconds) {
    server.connect_timeout =
        timeout_from_seconds("connectTimeout", *fields.connect_timeout_seconds);
  }
  server.endpoint.user = fields.user.value_or("");
  server.endpoint.password = fields.password.value_or("");
  check_credential("user", server.endpoint.user);
  check_credential("password", server.endpoint.password.text());
  if (!server.endpoint.user.empty() && server.endpoint.password.empty()) {
    refuse("a user needs a password");
  }
  const std::int64_t database = fields.database.value_or(0);
  if (database < 0 || database > kDatabaseMax) {
    refuse("database must be between 0 and 1000000, " + std::to_string(database) + " given");
  }
  server.endpoint.database = static_cast<std::uint32_t>(database);
  if (fields.tls) {
    if (!server.endpoint.unix_path.empty()) refuse("a unix socket has no TLS");
    check_tls(*fields.tls);
    server.endpoint.tls = fields.tls;
  }
  return server;
}

ServerSpec parse_server(std::string_view text) { return make_server(fields_from_text(text)); }

}  // namespace redlock
