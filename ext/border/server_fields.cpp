// Reads the fields one by one.
#include "border/server_fields.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "border/convert_auth.hpp"
#include "border/convert_tls.hpp"
#include "border/convert_value.hpp"
#include "border/guard.hpp"
#include "border/text.hpp"
#include "redlock/config/field_names.hpp"
#include "redlock/config/url.hpp"
#include "redlock/config/url_text.hpp"

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
    throw ArgumentError(
        "context must have only the keys stream, ssl and auth, or only options of TLS");
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
      refuse_field(in_quotes(name));
  }
}

// A field as it stands in an array.
struct Given {
  std::string_view name;
  const zval* value;
  bool by_position;
};

using Take = void (*)(Reading&, const Given&);

void take_number(Reading& reading, const Given& given) {
  const std::optional<std::int64_t> number = whole_number_from(given.name, given.value);
  if (!number) return;
  if (given.name == "port") {
    reading.parts.port = *number;
  } else {
    set_database(reading.parts, *number);
  }
}

void take_seconds(Reading& reading, const Given& given) {
  const std::optional<double> seconds = number_from(given.name, given.value);
  if (!seconds) return;
  if (given.name == "connectTimeout") return set_connect_timeout(reading.parts, *seconds);
  // A third element was written for clients that bound connecting alone with it.
  set_timeout(reading.parts, *seconds, given.by_position);
}

void take_host(Reading& reading, const Given& given) {
  set_host(reading.parts, text_from(given.name, given.value));
}
void take_credentials(Reading& reading, const Given& given) {
  take_auth(reading.parts, given.name, given.value);
}
void take_user(Reading& reading, const Given& given) {
  set_user(reading.parts, text_from(given.name, given.value));
}
void take_scheme(Reading& reading, const Given& given) {
  set_scheme(reading.parts, scheme_of(text_from(given.name, given.value)));
}
void take_path(Reading& reading, const Given& given) {
  reading.parts.path = text_from(given.name, given.value);
}
void take_url(Reading& reading, const Given& given) {
  // It may hold a password.
  const Secret url(text_from(given.name, given.value));
  reading.url = parts_from_text(url);
}
void take_tls_switch(Reading& reading, const Given& given) { take_tls(reading.parts, given.value); }
void take_ssl(Reading& reading, const Given& given) {
  take_tls_options(reading.parts.tls_options, given.name, given.value);
}
void take_stream_context(Reading& reading, const Given& given) {
  take_context(reading.parts, given.value);
}
void take_more_fields(Reading& reading, const Given& given) { take_options(reading, given.value); }

// What says nothing.
enum class Unset { nothing, null, empty };

struct Field {
  std::string_view name;
  Unset unset;
  Take take;
};

constexpr std::array<Field, 16> kFields{{{"host", Unset::null, take_host},
                                         {"port", Unset::nothing, take_number},
                                         {"timeout", Unset::nothing, take_seconds},
                                         {"connectTimeout", Unset::nothing, take_seconds},
                                         {"auth", Unset::null, take_credentials},
                                         {"password", Unset::null, take_credentials},
                                         {"username", Unset::empty, take_user},
                                         {"database", Unset::nothing, take_number},
                                         {"dbindex", Unset::nothing, take_number},
                                         {"tls", Unset::nothing, take_tls_switch},
                                         {"ssl", Unset::nothing, take_ssl},
                                         {"context", Unset::null, take_stream_context},
                                         {"options", Unset::null, take_more_fields},
                                         {"url", Unset::empty, take_url},
                                         {"scheme", Unset::empty, take_scheme},
                                         {"path", Unset::empty, take_path}}};

bool says_nothing(const Field& field, const zval* value) {
  if (field.unset == Unset::empty) return is_empty(value);
  return field.unset == Unset::null && Z_TYPE_P(value) == IS_NULL;
}

void take_field(Reading& reading, const Given& given) {
  const auto* const field = std::ranges::find(kFields, given.name, &Field::name);
  if (field == kFields.end()) return take_foreign(given.name, given.value);
  if (!says_nothing(*field, given.value)) field->take(reading, given);
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
    take_field(reading, {name, value, key == nullptr});
  }
  ZEND_HASH_FOREACH_END();
}

}  // namespace

bool is_server_field(std::string_view name) {
  const std::string lower = lower_case(name);
  const auto same = [&lower](const Field& field) { return lower_case(field.name) == lower; };
  // Of an environment: REDIS_PASSWORD.
  const auto ends = [&lower](std::string_view secret) { return lower.ends_with(secret); };
  return std::ranges::any_of(kFields, same) || ends("_password") || ends("_auth") ||
         meaning_of(name) != FieldMeaning::unknown || meaning_of(lower) != FieldMeaning::unknown;
}

ServerParts parts_from_array(HashTable* array) {
  Reading reading;
  take_fields(reading, array);
  if (!reading.url) return std::move(reading.parts);
  return with_url(*std::move(reading.url), reading.parts);
}

}  // namespace redlock::php
