// What a configuration says of one server, piece by piece, before it is known what the pieces mean
// together.
//
// Pure values; every function throws ArgumentError, which names the field and holds no value.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "redlock/config/endpoint.hpp"
#include "redlock/config/tls_draft.hpp"

namespace redlock {

// How a server is reached.
enum class Scheme {
  redis,   // also valkey: plain, unless something else asks for TLS
  tcp,     // plain, whatever else
  tls,     // also rediss, valkeys
  socket,  // unix: the path of one on this machine
  memory,  // in this process
};
// By its name, in any letter case. Throws for a name that is none.
[[nodiscard]] Scheme scheme_of(std::string_view name);

struct ServerParts {
  std::optional<Scheme> scheme;
  std::optional<std::string> host;
  std::optional<std::int64_t> host_port;  // that stood with the host
  std::optional<std::string> path;        // of a unix socket
  std::optional<std::int64_t> port;
  std::optional<double> timeout_seconds;
  bool timeout_of_connecting = false;
  std::optional<double> connect_timeout_seconds;
  std::optional<std::string> user;
  std::optional<Secret> password;
  std::optional<std::int64_t> database;
  std::optional<bool> tls;  // asked for by name
  TlsDraft tls_options;
};

// What may be said in several ways is said once, or with the same value.
void set_scheme(ServerParts& parts, Scheme scheme);
// A host as a field: it may begin with a scheme, and then end with a port. "[v6]" is an address.
void set_host(ServerParts& parts, std::string_view text);
void set_database(ServerParts& parts, std::int64_t database);
void set_timeout(ServerParts& parts, double seconds, bool of_connecting);
void set_connect_timeout(ServerParts& parts, double seconds);
// Empty ones are none.
void set_user(ServerParts& parts, std::string user);
void set_password(ServerParts& parts, Secret password);

// What `url` leaves open, the fields beside it say; it has a host or a path itself.
[[nodiscard]] ServerParts with_url(ServerParts url, const ServerParts& beside);
[[nodiscard]] ServerFields fields_of(const ServerParts& parts);

}  // namespace redlock
