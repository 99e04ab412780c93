// One server's address and credentials, parsed once and printed without secrets.
//
// Pure values; any thread.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "redlock/algorithm/time.hpp"
#include "redlock/config/guard_demands.hpp"
#include "redlock/config/secret.hpp"
#include "redlock/config/tls_options.hpp"

namespace redlock {

inline constexpr std::uint16_t kPortDefault = 6379;
inline constexpr Duration kTimeoutMax = Duration::seconds(3600);
inline constexpr std::size_t kHostBytesMax = 255;
inline constexpr std::size_t kUnixPathBytesMax = 107;  // sockaddr_un's room on Linux
inline constexpr std::size_t kCredentialBytesMax = 4096;
inline constexpr std::size_t kClientNameBytesMax = 256;
inline constexpr std::int64_t kDatabaseMax = 1'000'000;

// A server, option or argument that cannot be meant. what() names the field and never holds
// a password.
class ArgumentError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

struct Endpoint {
  // memory://NAME: a server in this process, with the name as its host. No port.
  bool in_memory = false;
  std::string host;  // empty for a unix socket
  std::uint16_t port = kPortDefault;
  std::string unix_path;  // empty for TCP
  std::string user;       // empty: AUTH with the password alone
  Secret password;        // empty: no AUTH
  std::uint32_t database = 0;
  std::string client_name;        // empty: no CLIENT SETNAME
  std::optional<TlsOptions> tls;  // nothing: plain
  GuardDemands guard;             // of those who acquire there

  // By every field: what differs in one is another connection.
  std::strong_ordering operator<=>(const Endpoint&) const = default;
  // "127.0.0.1:6379", "[::1]:6379", "unix:///run/redis.sock".
  [[nodiscard]] std::string display() const;
  // The same, for who only listens or asks.
  [[nodiscard]] Endpoint unguarded() const {
    Endpoint endpoint = *this;
    endpoint.guard = {};
    return endpoint;
  }
  // Equal for endpoints that name the same server, whatever their database or credentials.
  [[nodiscard]] std::string server_key() const;
};

// A server as a user names it: an endpoint and, maybe, how long it may take.
struct ServerSpec {
  Endpoint endpoint;
  std::optional<Duration> timeout;
  std::optional<Duration> connect_timeout = {};
  // `timeout` was written for a client that bounds connecting alone with it, and lets answers
  // take longer: it gives the server more than the usual times, never less.
  bool timeout_of_connecting = false;
};

// The parts of a server as they come out of an array; none has been checked yet.
struct ServerFields {
  bool in_memory = false;
  std::string host;  // a path beginning with '/' means a unix socket
  std::optional<std::int64_t> port;
  std::optional<double> timeout_seconds;  // 0 means the default
  bool timeout_of_connecting = false;
  std::optional<double> connect_timeout_seconds;  // the same
  std::optional<std::string> user;
  std::optional<Secret> password;
  std::optional<std::int64_t> database;
  std::optional<TlsOptions> tls;
};

// Throws ArgumentError.
[[nodiscard]] ServerSpec make_server(const ServerFields& fields);
// "host", "host:port", "[v6]:port", "redis://user:pass@host:port/db?timeout=0.5", "rediss://host"
// for TLS, "unix:///path?database=1", "/path", and what docs/operations.md lists of other clients.
// Percent-encoding is undone in URLs. Throws ArgumentError.
[[nodiscard]] ServerSpec parse_server(std::string_view text);
// Seconds, finite, above 0 and at most kTimeoutMax; 0 gives nothing. Throws ArgumentError that
// begins with `name`.
[[nodiscard]] std::optional<Duration> timeout_from_seconds(std::string_view name, double seconds);

}  // namespace redlock
