// Reads ServerSpecs from PHP values.
#include "border/convert_server.hpp"

#include <algorithm>
#include <string>

#include "border/convert_tls.hpp"
#include "border/convert_value.hpp"
#include "border/guard.hpp"
#include "border/server_fields.hpp"
#include "redlock/config/url.hpp"

namespace redlock::php {

namespace {

ServerSpec spec_of(const ServerParts& parts) {
  ServerSpec server = make_server(fields_of(parts));
  anchor_tls_paths(server.endpoint);
  return server;
}

ServerSpec spec_from_text(std::string_view text) { return spec_of(parts_from_text(text)); }
ServerSpec spec_from_array(HashTable* array) { return spec_of(parts_from_array(array)); }

ServerSpec spec_from(const zval* value) {
  ZVAL_DEREF(value);
  if (Z_TYPE_P(value) == IS_STRING) return spec_from_text(view_of(Z_STR_P(value)));
  if (Z_TYPE_P(value) == IS_ARRAY) return spec_from_array(Z_ARRVAL_P(value));
  throw TypeMismatch(std::string("a server must be of type array or string, ") +
                     zend_zval_type_name(value) + " given");
}

// Says whose trouble it is.
template <class Body>
auto prefixed(const std::string& prefix, Body body) {
  try {
    return body();
  } catch (const TypeMismatch& mismatch) {
    throw TypeMismatch(prefix + mismatch.what());
  } catch (const ArgumentError& error) {
    throw ArgumentError(prefix + error.what());
  }
}

std::string valid_server(std::string_view argument) {
  return std::string(argument) + " must be a valid server: ";
}

// Of one of several, before its number.
std::string place_in(std::string_view argument) {
  return std::string(argument) + " must contain valid servers: server ";
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t first = std::min(text.find_first_not_of(kSpaces), text.size());
  return text.substr(first, text.find_last_not_of(kSpaces) + 1 - first);
}

void check_keys(std::string_view argument, HashTable* list) {
  zend_string* key = nullptr;
  ZEND_HASH_FOREACH_STR_KEY(list, key) {
    if (key == nullptr || !is_server_field(view_of(key))) continue;
    throw ArgumentError(std::string(argument) + " must be a list of servers, and " +
                        key_text(0, key) +
                        " is a field of one: write [[...]], an array for each server in the list");
  }
  ZEND_HASH_FOREACH_END();
}

}  // namespace

ServerSpec server_from_array(std::string_view argument, HashTable* array) {
  return prefixed(valid_server(argument), [&] { return spec_from_array(array); });
}

ServerSpec server_from_text(std::string_view argument, std::string_view text) {
  return prefixed(valid_server(argument), [&] { return spec_from_text(text); });
}

std::vector<ServerSpec> servers_from_text(std::string_view argument, std::string_view text) {
  if (text.find(',') == std::string_view::npos) return {server_from_text(argument, text)};
  const std::string prefix = place_in(argument);
  std::vector<ServerSpec> servers;
  // An empty place is refused too: it is a variable that is not set, and a list without it would
  // have another majority than everybody else's.
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view one = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    servers.push_back(prefixed(prefix + std::to_string(servers.size() + 1) + ": ",
                               [&] { return spec_from_text(one); }));
  }
  return servers;
}

std::vector<ServerSpec> servers_from(std::string_view argument, HashTable* list) {
  check_keys(argument, list);
  const std::string prefix = place_in(argument);
  std::vector<ServerSpec> servers;
  zval* value = nullptr;
  ZEND_HASH_FOREACH_VAL(list, value) {
    servers.push_back(prefixed(prefix + std::to_string(servers.size() + 1) + ": ",
                               [&] { return spec_from(value); }));
  }
  ZEND_HASH_FOREACH_END();
  return servers;
}

}  // namespace redlock::php
