// host:port, redis:// and the like.
#include "redlock/config/url.hpp"

#include <algorithm>
#include <utility>

#include "redlock/config/field_names.hpp"
#include "redlock/config/refusal.hpp"
#include "redlock/config/url_query.hpp"
#include "redlock/config/url_text.hpp"

namespace redlock {

namespace {

constexpr std::string_view kSchemeEnd = "://";
constexpr const char* kDatabaseComplaint = "database must be a number between 0 and 1000000";

void take_authority(std::string_view text, ServerParts& parts) {
  Authority authority = authority_of(text);
  parts.host = std::move(authority.host);
  parts.port = authority.port;
}

void take_credentials(std::string_view text, ServerParts& parts) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) set_user(parts, percent_decoded(text.substr(0, colon)));
  // Before the first colon there would be a user.
  const std::size_t begin = colon == std::string_view::npos ? 0 : colon + 1;
  set_password(parts, percent_decoded(text.substr(begin)));
}

// Cuts "user:password@" off the begin and "?query" off the end, and takes both.
std::string_view address_in(std::string_view text, ServerParts& parts) {
  const std::size_t question = text.find('?');
  const std::string_view query =
      question == std::string_view::npos ? std::string_view{} : text.substr(question + 1);
  text = text.substr(0, question);
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    take_credentials(text.substr(0, at), parts);
    text = text.substr(at + 1);
  }
  take_query(query, parts);
  return text;
}

// "/path" or "/path/database", as Symfony writes a socket behind redis://.
void take_socket(std::string_view text, ServerParts& parts) {
  const std::size_t slash = text.rfind('/');
  const std::string_view last = text.substr(slash + 1);
  if (slash > 0 && last.find_first_not_of("0123456789") == std::string_view::npos) {
    if (!last.empty()) set_database(parts, whole_number(last, kDatabaseComplaint));
    text = text.substr(0, slash);
  }
  parts.path = percent_decoded(text);
}

ServerParts from_server_url(Scheme scheme, std::string_view text) {
  ServerParts parts;
  parts.scheme = scheme;
  text = address_in(text, parts);
  const bool named_behind = parts.host || parts.path;
  // A path of digits alone is a database, and its host was forgotten.
  const bool socket = text.starts_with('/') && text.find_first_not_of("/0123456789") != text.npos;
  if (named_behind && !text.empty() && text != "/") refuse_several_hosts();
  if (!named_behind && socket) {
    take_socket(text, parts);
  } else if (!named_behind) {
    const std::size_t slash = text.find('/');
    take_authority(text.substr(0, slash), parts);
    parts.host = percent_decoded(*parts.host);
    if (slash != std::string_view::npos && slash + 1 < text.size()) {
      set_database(parts, whole_number(text.substr(slash + 1), kDatabaseComplaint));
    }
  }
  if (!parts.path) return parts;
  if (scheme == Scheme::tls) refuse("a unix socket has no TLS");
  if (scheme == Scheme::tcp) refuse("host must not be empty");
  parts.scheme = Scheme::socket;
  return parts;
}

// On this machine, or in this process: nothing but a name, of any characters.
ServerParts from_local_url(Scheme scheme, std::string_view text) {
  ServerParts parts;
  parts.scheme = scheme;
  text = address_in(text, parts);
  if (parts.host || parts.path) refuse_several_hosts();
  std::string name = percent_decoded(text);
  if (scheme == Scheme::memory) {
    parts.host = std::move(name);
    return parts;
  }
  if (!name.starts_with('/')) refuse("unix:// must be followed by an absolute path");
  parts.path = std::move(name);
  return parts;
}

ServerParts from_url(std::string_view scheme_name, std::string_view text) {
  const Scheme scheme = scheme_of(scheme_name);
  const bool local = scheme == Scheme::memory || scheme == Scheme::socket;
  return local ? from_local_url(scheme, text) : from_server_url(scheme, text);
}

// Whether it is "redis:?host[...]" or "redis:user:password@?host[...]", as Symfony writes it; a
// host may have the name redis.
bool is_short_form(std::string_view scheme_name, std::string_view rest) {
  const std::string name = lower_case(scheme_name);
  if (name != "redis" && name != "rediss" && name != "valkey" && name != "valkeys") return false;
  if (rest.starts_with("//")) return false;
  const std::size_t question = rest.find('?');
  return question == 0 || (question != std::string_view::npos && rest[question - 1] == '@');
}

}  // namespace

ServerParts parts_from_text(std::string_view text) {
  if (text.size() > kServerTextBytesMax) refuse("the server must be at most 16384 bytes long");
  ServerParts parts;
  if (text.starts_with('/')) {
    parts.scheme = Scheme::socket;
    parts.path = std::string(text);
    return parts;
  }
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view name = text.substr(0, colon);
    const std::string_view rest = text.substr(colon + 1);
    if (is_short_form(name, rest)) return from_url(name, rest);
    if (lower_case(name) == "unix" && rest.starts_with('/') && !rest.starts_with("//")) {
      return from_local_url(Scheme::socket, rest);
    }
  }
  if (const std::size_t end = text.find(kSchemeEnd); end != std::string_view::npos) {
    return from_url(text.substr(0, end), text.substr(end + kSchemeEnd.size()));
  }
  // Alone, an address of version six is one without brackets, too; a port has no place behind it.
  if (std::ranges::count(text, ':') > 1 && !text.starts_with('[')) {
    parts.host = std::string(text);
  } else {
    take_authority(text, parts);
  }
  return parts;
}

ServerFields fields_from_text(std::string_view text) { return fields_of(parts_from_text(text)); }

}  // namespace redlock
