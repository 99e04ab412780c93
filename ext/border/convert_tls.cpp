// Reads TlsDrafts from PHP values.
#include "border/convert_tls.hpp"

#include <array>
#include <string>

#include "border/convert_value.hpp"
#include "border/guard.hpp"
#include "border/text.hpp"

namespace redlock::php {

namespace {

void take_option(TlsDraft& draft, std::string_view name, const zval* value) {
  switch (tls_kind(name)) {
    case TlsKind::text:
      return draft.set_text(name, text_from(name, value));
    case TlsKind::flag:
      if (const std::optional<bool> on = switch_from(name, value)) draft.set_flag(name, *on);
      return;
    case TlsKind::methods:
      if (const std::optional<std::int64_t> methods = whole_number_from(name, value)) {
        draft.set_methods(name, *methods);
      }
      return;
    case TlsKind::idle:
      return;
    case TlsKind::unknown:
      refuse_tls_option(in_quotes(name));
  }
}

// The folder in which PHP stands: with threads, each has its own, and of what PHP 8.2 has for that
// only this can be called from C++. Empty where it is gone.
std::string folder() {
  std::array<char, MAXPATHLEN> buffer{};
#ifdef ZTS
  const char* const found = expand_filepath_with_mode(".", buffer.data(), nullptr, 0, CWD_EXPAND);
#else
  const char* const found = getcwd(buffer.data(), buffer.size());
#endif
  return found == nullptr ? std::string() : buffer.data();
}

void anchor(std::string_view name, std::string& path) {
  if (path.empty() || path.starts_with('/')) return;
  const std::string begin = folder();
  if (begin.empty()) {
    throw ArgumentError(std::string(name) +
                        " is a relative path, and the working directory is gone");
  }
  path = begin + '/' + path;
}

}  // namespace

void take_tls_options(TlsDraft& draft, std::string_view field, const zval* value) {
  ZVAL_DEREF(value);
  if (Z_TYPE_P(value) == IS_NULL) return;
  if (Z_TYPE_P(value) != IS_ARRAY) refuse_type(field, "array", value);
  if (draft.given()) throw ArgumentError("the options of TLS must not be given twice");
  zend_ulong index = 0;
  zend_string* key = nullptr;
  zval* option = nullptr;
  ZEND_HASH_FOREACH_KEY_VAL(Z_ARRVAL_P(value), index, key, option) {
    ZVAL_DEREF(option);
    if (key == nullptr) refuse_tls_option(key_text(index, key));
    // As an environment variable that is not set gives it.
    if (Z_TYPE_P(option) == IS_NULL && tls_kind(view_of(key)) != TlsKind::unknown) continue;
    take_option(draft, view_of(key), option);
  }
  ZEND_HASH_FOREACH_END();
}

void anchor_tls_paths(Endpoint& endpoint) {
  if (!endpoint.tls) return;
  anchor("cafile", endpoint.tls->cafile);
  anchor("capath", endpoint.tls->capath);
  anchor("local_cert", endpoint.tls->local_cert);
  anchor("local_pk", endpoint.tls->local_pk);
}

}  // namespace redlock::php
