// Handles from and to PHP arrays.
#include "quorum/handle.hpp"

#include <cmath>
#include <string>

#include "border/convert_value.hpp"
#include "redlock/algorithm/fence.hpp"
#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/validity.hpp"

namespace redlock::php {

namespace {

zval* required(HashTable* array, std::string_view key) {
  zval* value = zend_hash_str_find_ind(array, key.data(), key.size());
  if (value == nullptr) {
    zend_argument_value_error(1, "must have the key \"%s\", which is missing", key.data());
    return nullptr;
  }
  ZVAL_DEREF(value);
  return value;
}

}  // namespace

bool parse_handle(HashTable* array, Handle& handle, bool takes_several) {
  zval* const resource = required(array, "resource");
  if (resource == nullptr) return false;
  zval* const token = required(array, "token");
  if (token == nullptr) return false;
  const bool several = takes_several && Z_TYPE_P(resource) == IS_ARRAY;
  if (Z_TYPE_P(resource) != IS_STRING && Z_TYPE_P(resource) != IS_LONG && !several) {
    zend_argument_type_error(1, "must have a string or int under \"resource\", %s given",
                             zend_zval_type_name(resource));
    return false;
  }
  if (Z_TYPE_P(token) != IS_STRING) {
    zend_argument_type_error(1, "must have a string under \"token\", %s given",
                             zend_zval_type_name(token));
    return false;
  }
  // It would act for all readers at once.
  if (zend_string_equals_cstr(Z_STR_P(token), kSharedMark.data(), kSharedMark.size())) {
    zend_argument_value_error(1, "must have a holder's token, not the mark of a shared lock");
    return false;
  }
  handle = {resource, Z_STR_P(token)};
  return true;
}

bool parse_validity(HashTable* array, double& validity_ms) {
  const zval* const value = required(array, "validity");
  if (value == nullptr) return false;
  if (Z_TYPE_P(value) != IS_LONG && Z_TYPE_P(value) != IS_DOUBLE) {
    zend_argument_type_error(1, "must have an int or float under \"validity\", %s given",
                             zend_zval_type_name(value));
    return false;
  }
  validity_ms = Z_TYPE_P(value) == IS_LONG ? static_cast<double>(Z_LVAL_P(value)) : Z_DVAL_P(value);
  if (!std::isfinite(validity_ms) || validity_ms > kTtlMax.as_ms()) {
    zend_argument_value_error(1, "must have a validity of at most 3153600000000 ms");
    return false;
  }
  return true;
}

bool parse_fence(HashTable* array, std::optional<std::int64_t>& fence) {
  zval* value = zend_hash_str_find_ind(array, ZEND_STRL("fence"));
  if (value == nullptr) return true;
  ZVAL_DEREF(value);
  if (Z_TYPE_P(value) == IS_NULL) return true;
  if (Z_TYPE_P(value) != IS_LONG) {
    zend_argument_type_error(1, "must have an int or null under \"fence\", %s given",
                             zend_zval_type_name(value));
    return false;
  }
  if (Z_LVAL_P(value) < 1 || Z_LVAL_P(value) > kFenceMax) {
    zend_argument_value_error(1, "must have a fence between 1 and 9007199254740991");
    return false;
  }
  fence = Z_LVAL_P(value);
  return true;
}

bool parse_shared(HashTable* array, bool& shared) {
  zval* value = zend_hash_str_find_ind(array, ZEND_STRL("shared"));
  if (value == nullptr) return true;
  ZVAL_DEREF(value);
  if (Z_TYPE_P(value) != IS_TRUE && Z_TYPE_P(value) != IS_FALSE) {
    zend_argument_type_error(1, "must have a bool under \"shared\", %s given",
                             zend_zval_type_name(value));
    return false;
  }
  shared = Z_TYPE_P(value) == IS_TRUE;
  const zval* const resource = required(array, "resource");
  if (!shared || resource == nullptr || Z_TYPE_P(resource) != IS_ARRAY) return resource != nullptr;
  zend_argument_value_error(1, "must have a single resource, as it is shared");
  return false;
}

void make_handle(zval* into, double validity_ms, zval* resource, std::string_view token,
                 std::optional<std::int64_t> fence, bool shared) {
  array_init_size(into, 3);
  add_assoc_double(into, "validity", validity_ms);
  Z_TRY_ADDREF_P(resource);
  add_assoc_zval(into, "resource", resource);
  add_assoc_stringl(into, "token", token.data(), token.size());
  if (fence) add_assoc_long(into, "fence", static_cast<zend_long>(*fence));
  if (shared) add_assoc_bool(into, "shared", true);
}

}  // namespace redlock::php
