// Reads ServerSpecs from PHP values.
#include "border/convert_server.hpp"

#include <algorithm>
#include <string>

#include "border/convert_value.hpp"
#include "border/guard.hpp"
#include "border/text.hpp"

namespace redlock::php {

namespace {

void take_auth(ServerFields& fields, const zval* value) {
  if (Z_TYPE_P(value) == IS_NULL) return;
  if (Z_TYPE_P(value) == IS_STRING) {
    fields.password = std::string(view_of(Z_STR_P(value)));
    return;
  }
  constexpr char kExpected[] = "auth must be a password or an array [user, password]";
  if (Z_TYPE_P(value) != IS_ARRAY) throw TypeMismatch(kExpected);
  HashTable* pair = Z_ARRVAL_P(value);
  const zval* user = zend_hash_index_find(pair, 0);
  const zval* password = zend_hash_index_find(pair, 1);
  if (zend_hash_num_elements(pair) != 2 || user == nullptr || password == nullptr) {
    throw ArgumentError(kExpected);
  }
  fields.user = text_from("the user in auth", user);
  fields.password = text_from("the password in auth", password);
}

[[noreturn]] void refuse_field(const std::string& shown) {
  throw ArgumentError("there is no server field " + shown +
                      "; valid are host, port, timeout, auth, database");
}

std::string_view field_name(zend_ulong index, const zend_string* key) {
  constexpr std::string_view kByPosition[] = {"host", "port", "timeout"};
  if (key != nullptr) return view_of(key);
  return index < std::size(kByPosition) ? kByPosition[index] : std::string_view();
}

void take_field(ServerFields& fields, std::string_view name, const zval* value) {
  if (name == "host") {
    fields.host = text_from(name, value);
  } else if (name == "port") {
    fields.port = whole_number_from(name, value);
  } else if (name == "timeout") {
    fields.timeout_seconds = number_from(name, value);
  } else if (name == "auth") {
    take_auth(fields, value);
  } else if (name == "database") {
    fields.database = whole_number_from(name, value);
  } else {
    refuse_field(quoted(name));
  }
}

ServerFields fields_from(HashTable* array) {
  ServerFields fields;
  zend_ulong index = 0;
  zend_string* key = nullptr;
  zval* value = nullptr;
  std::vector<std::string_view> seen;
  ZEND_HASH_FOREACH_KEY_VAL(array, index, key, value) {
    const std::string_view name = field_name(index, key);
    // An empty key is no position, and a fourth position has meant several things to old clients.
    if (name.empty()) refuse_field(key_text(index, key));
    if (std::ranges::find(seen, name) != seen.end()) {
      throw ArgumentError(std::string(name) + " is given twice");
    }
    seen.push_back(name);
    ZVAL_DEREF(value);
    take_field(fields, name, value);
    // As a third element it is what old configurations bound connecting with.
    if (name == "timeout") fields.timeout_of_connecting = key == nullptr;
  }
  ZEND_HASH_FOREACH_END();
  if (std::ranges::find(seen, "host") == seen.end()) throw ArgumentError("host is missing");
  return fields;
}

ServerSpec spec_from(const zval* value) {
  ZVAL_DEREF(value);
  if (Z_TYPE_P(value) == IS_STRING) return parse_server(view_of(Z_STR_P(value)));
  if (Z_TYPE_P(value) == IS_ARRAY) return make_server(fields_from(Z_ARRVAL_P(value)));
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

}  // namespace

ServerSpec server_from_array(std::string_view argument, HashTable* array) {
  return prefixed(valid_server(argument), [&] { return make_server(fields_from(array)); });
}

ServerSpec server_from_text(std::string_view argument, std::string_view text) {
  return prefixed(valid_server(argument), [&] { return parse_server(text); });
}

std::vector<ServerSpec> servers_from(std::string_view argument, HashTable* list) {
  const std::string prefix = std::string(argument) + " must contain valid servers: server ";
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
