// Puts the pieces together, and refuses those that contradict each other.
#include "redlock/config/server_parts.hpp"

#include <utility>

#include "redlock/config/refusal.hpp"
#include "redlock/config/url_text.hpp"

namespace redlock {

namespace {

template <class T>
void fill(std::optional<T>& value, const std::optional<T>& from) {
  if (!value) value = from;
}

// redis:// leaves it to others whether there is TLS.
std::optional<Scheme> agreed(std::optional<Scheme> one, std::optional<Scheme> other) {
  if (!one || *one == Scheme::redis) return other ? other : one;
  if (!other || *other == Scheme::redis || one == other) return one;
  refuse("scheme must not be given twice with different values");
}

std::string unix_path(const ServerParts& parts) {
  std::string path = parts.path ? *parts.path : parts.host.value_or("");
  if (!path.starts_with('/')) refuse("the scheme unix needs the absolute path of a socket");
  return path;
}

bool encrypted(const ServerParts& parts) {
  const bool by_scheme = parts.scheme == Scheme::tls;
  const bool asked = parts.tls.value_or(by_scheme);
  if (asked && parts.scheme == Scheme::tcp) refuse("tls must not be asked for with the scheme tcp");
  if (!asked && by_scheme) refuse("tls must not be false with a scheme that means TLS");
  return asked;
}

}  // namespace

Scheme scheme_of(std::string_view name) {
  const std::string lower = lower_case(name);
  if (lower == "redis" || lower == "valkey") return Scheme::redis;
  if (lower == "rediss" || lower == "valkeys" || lower == "tls") return Scheme::tls;
  if (lower == "tcp") return Scheme::tcp;
  if (lower == "unix") return Scheme::socket;
  if (lower == "memory") return Scheme::memory;
  if (lower.ends_with("+sentinel") || lower.ends_with("+cluster")) {
    refuse("the scheme is that of a cluster or Sentinel, which cannot be used yet");
  }
  refuse("the scheme must be redis, rediss, valkey, valkeys, tcp, tls, unix or memory");
}

void set_scheme(ServerParts& parts, Scheme scheme) { parts.scheme = agreed(parts.scheme, scheme); }

void set_host(ServerParts& parts, std::string_view text) {
  constexpr std::string_view kEnd = "://";
  const std::size_t end = text.find(kEnd);
  if (end != std::string_view::npos) {
    const Scheme scheme = scheme_of(text.substr(0, end));
    set_scheme(parts, scheme);
    text = text.substr(end + kEnd.size());
    if (scheme == Scheme::socket || scheme == Scheme::memory) {
      (scheme == Scheme::socket ? parts.path : parts.host) = std::string(text);
      return;
    }
  }
  if (end == std::string_view::npos && !text.starts_with('[')) {
    parts.host = std::string(text);
    return;
  }
  if (text.find_first_of("@/") != std::string_view::npos) {
    refuse("host must not contain '@' or '/': a whole URL is given as url");
  }
  Authority authority = authority_of(text);
  parts.host = std::move(authority.host);
  parts.host_port = authority.port;
}

void set_database(ServerParts& parts, std::int64_t database) {
  if (parts.database.value_or(database) != database) refuse("database must not be given twice");
  parts.database = database;
}

void set_timeout(ServerParts& parts, double seconds, bool of_connecting) {
  if (parts.timeout_seconds) refuse("timeout must not be given twice");
  parts.timeout_seconds = seconds;
  parts.timeout_of_connecting = of_connecting;
}

void set_connect_timeout(ServerParts& parts, double seconds) {
  if (parts.connect_timeout_seconds) refuse("connectTimeout must not be given twice");
  parts.connect_timeout_seconds = seconds;
}

void set_user(ServerParts& parts, std::string user) {
  if (user.empty()) return;
  if (parts.user) refuse("the user must not be given twice");
  parts.user = std::move(user);
}

void set_password(ServerParts& parts, Secret password) {
  if (password.empty()) return;
  if (parts.password) refuse("the password must not be given twice");
  parts.password = std::move(password);
}

ServerParts with_url(ServerParts url, const ServerParts& beside) {
  url.scheme = agreed(url.scheme, beside.scheme);
  fill(url.port, beside.port);
  if (!url.timeout_seconds) url.timeout_of_connecting = beside.timeout_of_connecting;
  fill(url.timeout_seconds, beside.timeout_seconds);
  fill(url.connect_timeout_seconds, beside.connect_timeout_seconds);
  fill(url.user, beside.user);
  fill(url.password, beside.password);
  fill(url.database, beside.database);
  fill(url.tls, beside.tls);
  if (url.tls_options.given() && beside.tls_options.given()) {
    refuse("the options of TLS must not be given twice");
  }
  if (beside.tls_options.given()) url.tls_options = beside.tls_options;
  return url;
}

ServerFields fields_of(const ServerParts& parts) {
  ServerFields fields;
  fields.in_memory = parts.scheme == Scheme::memory;
  if (parts.scheme == Scheme::socket) {
    fields.host = unix_path(parts);
  } else {
    if (parts.path) refuse("path needs the scheme unix");
    if (!parts.host) refuse("host is missing");
    fields.host = *parts.host;
  }
  if (parts.port && parts.host_port) refuse("port must not be given twice");
  fields.port = parts.port ? parts.port : parts.host_port;
  fields.timeout_seconds = parts.timeout_seconds;
  fields.timeout_of_connecting = parts.timeout_of_connecting;
  fields.connect_timeout_seconds = parts.connect_timeout_seconds;
  fields.user = parts.user;
  fields.password = parts.password;
  fields.database = parts.database;
  if (encrypted(parts)) {
    fields.tls = parts.tls_options.options();
  } else if (parts.tls_options.given()) {
    refuse(
        "options of TLS are given for a connection without TLS: its scheme must be tls or rediss");
  }
  return fields;
}

}  // namespace redlock
