// Reads the fields one by one.
#include "border/server_fields.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "border/convert_auth.hpp"
#include "border/convert_tls.hpp"
#include "border/convert_value.hpp"
#include "border/guard.hpp"
#include "border/text.hpp"
#include "redlock/wire/field_names.hpp"
#include "redlock/wire/url.hpp"
#include "redlock/wire/url_text.hpp"

namespace redlock::php {

namespace {

// What has been read so far.
struct Reading {
  ServerParts parts;
  std::optional<ServerParts> url;
  std::vector<std::string_view> seen;
};

void take_fields(Reading& reading, HashTable* array);

[[noreturn]] void refuse_field(const std::string& shown) {
  throw ArgumentError("there is no server field " + shown +
                      "; valid are host, port, timeout, auth, database, tls, url, scheme, path, "
                      "username, password and others that docs/operations.md lists");
}

// true, or options; an empty array asks for TLS too.
void take_tls(ServerParts& parts, const zval* value) {
  if (Z_TYPE_P(value) == IS_ARRAY) {
    parts.tls = true;
    return take_tls_options(parts.tls_options, "tls", value);
  }
  parts.tls = switch_from("tls", value);
}

// Laravel's: what phpredis takes as its last argument, or the options of TLS themselves.
void take_context(ServerParts& parts, const zval* value) {
  if (Z_TYPE_P(value) != IS_ARRAY) refuse_type("context", "array", value);
  HashTable* context = Z_ARRVAL_P(value);
  zval* const stream = zend_hash_str_find_deref(context, ZEND_STRL("stream"));
  zval* const ssl = zend_hash_str_find_deref(context, ZEND_STRL("ssl"));
  zval* const auth = zend_hash_str_find_deref(context, ZEND_STRL("auth"));
  const std::uint32_t known = (stream != nullptr) + (ssl != nullptr) + (auth != nullptr);
  if (known == 0) return take_tls_options(parts.tls_options, "context", value);
  if (zend_hash_num_elements(context) != known) {
    throw ArgumentError("context must hold stream or ssl, and auth, or the options of TLS alone");
  }
  if (stream != nullptr) take_tls_options(parts.tls_options, "the stream in context", stream);
  if (ssl != nullptr) take_tls_options(parts.tls_options, "the ssl in context", ssl);
  if (!is_empty(auth)) take_auth(parts, "the auth in context", auth);
}

void take_options(Reading& reading, const zval* value) {
  if (Z_TYPE_P(value) != IS_ARRAY) refuse_type("options", "array", value);
  take_fields(reading, Z_ARRVAL_P(value));
}

// Whether it is a number, a text or a switch that is off, or nothing at all.
bool is_off(const zval* value) {
  if (is_empty(value) || Z_TYPE_P(value) == IS_FALSE) return true;
  if (Z_TYPE_P(value) == IS_LONG) return Z_LVAL_P(value) == 0;
  if (Z_TYPE_P(value) == IS_ARRAY) return zend_hash_num_elements(Z_ARRVAL_P(value)) == 0;
  return Z_TYPE_P(value) == IS_STRING && flag_word(view_of(Z_STR_P(value))) == false;
}

void take_foreign(std::string_view name, const zval* value) {
  switch (meaning_of(name)) {
    case FieldMeaning::idle:
      return;
    case FieldMeaning::several:
      if (is_off(value)) return;
      refuse_several(name);
    case FieldMeaning::prefix:
      if (is_empty(value)) return;
      refuse_prefix();
    case FieldMeaning::unknown:
      refuse_field(quoted(name));
  }
}

void take_number(ServerParts& parts, std::string_view name, const zval* value) {
  const std::optional<std::int64_t> number = whole_number_from(name, value);
  if (!number) return;
  if (name == "port") {
    parts.port = *number;
  } else {
    set_database(parts, *number);
  }
}

void take_seconds(ServerParts& parts, std::string_view name, const zval* value,
                  bool of_connecting) {
  const std::optional<double> seconds = number_from(name, value);
  if (seconds) set_timeout(parts, *seconds, of_connecting);
}

// Of the fields that are texts; nothing has no meaning. False: there is no such field.
bool take_text(Reading& reading, std::string_view name, const zval* value) {
  constexpr std::string_view kNames[] = {"scheme", "path", "url", "username"};
  if (std::ranges::find(kNames, name) == std::end(kNames)) return false;
  if (is_empty(value)) return true;
  std::string text = text_from(name, value);
  if (name == "scheme") {
    set_scheme(reading.parts, scheme_of(text));
  } else if (name == "path") {
    reading.parts.path = text;
  } else if (name == "url") {
    // It may hold a password.
    const Secret url(std::move(text));
    reading.url = parts_from_text(url);
  } else {
    set_user(reading.parts, text);
  }
  return true;
}

void take_field(Reading& reading, std::string_view name, const zval* value, bool by_position) {
  ServerParts& parts = reading.parts;
  if (take_text(reading, name, value)) return;
  const bool null = Z_TYPE_P(value) == IS_NULL;
  if (name == "host") {
    if (!null) set_host(parts, text_from(name, value));
  } else if (name == "port" || name == "database" || name == "dbindex") {
    take_number(parts, name, value);
  } else if (name == "timeout" || name == "connectTimeout") {
    // As a third element, and in phpredis, it is what bounds connecting.
    take_seconds(parts, name, value, by_position || name == "connectTimeout");
  } else if (name == "auth" || name == "password") {
    if (!null) take_auth(parts, name, value);
  } else if (name == "tls") {
    take_tls(parts, value);
  } else if (name == "ssl") {
    take_tls_options(parts.tls_options, name, value);
  } else if (name == "context") {
    if (!null) take_context(parts, value);
  } else if (name == "options") {
    if (!null) take_options(reading, value);
  } else {
    take_foreign(name, value);
  }
}

std::string_view field_name(zend_ulong index, const zend_string* key) {
  constexpr std::string_view kByPosition[] = {"host", "port", "timeout"};
  if (key != nullptr) return view_of(key);
  return index < std::size(kByPosition) ? kByPosition[index] : std::string_view();
}

void take_fields(Reading& reading, HashTable* array) {
  zend_ulong index = 0;
  zend_string* key = nullptr;
  zval* value = nullptr;
  ZEND_HASH_FOREACH_KEY_VAL(array, index, key, value) {
    const std::string_view name = field_name(index, key);
    // An empty key is no position, and a fourth position has meant several things to old clients.
    if (name.empty()) refuse_field(key_text(index, key));
    if (std::ranges::find(reading.seen, name) != reading.seen.end()) {
      throw ArgumentError(std::string(name) + " is given twice");
    }
    reading.seen.push_back(name);
    ZVAL_DEREF(value);
    take_field(reading, name, value, key == nullptr);
  }
  ZEND_HASH_FOREACH_END();
}

}  // namespace

bool is_server_field(std::string_view name) {
  constexpr std::string_view kOwn[] = {
      "host",    "port", "timeout", "connectTimeout", "auth",    "password", "username", "database",
      "dbindex", "tls",  "ssl",     "context",        "options", "url",      "scheme",   "path"};
  return std::ranges::find(kOwn, name) != std::end(kOwn) ||
         meaning_of(name) != FieldMeaning::unknown;
}

ServerParts parts_from_array(HashTable* array) {
  Reading reading;
  take_fields(reading, array);
  if (!reading.url) return std::move(reading.parts);
  return with_url(*std::move(reading.url), reading.parts);
}

}  // namespace redlock::php
