// Reads users and passwords from PHP values.
#include "border/convert_auth.hpp"

#include <cstdint>
#include <string>

#include "border/convert_value.hpp"
#include "border/guard.hpp"

namespace redlock::php {

void take_auth(ServerParts& parts, std::string_view name, const zval* value) {
  if (Z_TYPE_P(value) == IS_STRING) return set_password(parts, text_from(name, value));
  const std::string expected =
      std::string(name) + " must be a password or an array [user, password]";
  if (Z_TYPE_P(value) != IS_ARRAY) throw TypeMismatch(expected);
  HashTable* pair = Z_ARRVAL_P(value);
  const std::uint32_t count = zend_hash_num_elements(pair);
  const zval* user = zend_hash_str_find(pair, ZEND_STRL("user"));
  const zval* password = zend_hash_str_find(pair, ZEND_STRL("pass"));
  if (user == nullptr && password == nullptr) {
    user = count == 2 ? zend_hash_index_find(pair, 0) : nullptr;
    password = zend_hash_index_find(pair, count == 2 ? 1 : 0);
  }
  if (password == nullptr || count != (user == nullptr ? 1U : 2U)) throw ArgumentError(expected);
  if (user != nullptr && Z_TYPE_P(user) != IS_NULL) {
    set_user(parts, text_from("the user in " + std::string(name), user));
  }
  if (Z_TYPE_P(password) != IS_NULL) {
    set_password(parts, text_from("the password in " + std::string(name), password));
  }
}

}  // namespace redlock::php
