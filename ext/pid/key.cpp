// Calls _getLockKey() where it is overridden.
#include "pid/key.hpp"

namespace redlock::php {

namespace {

zend_string* key_from_result(const zend_function* method, const zval* result) {
  ZVAL_DEREF(result);
  if (Z_TYPE_P(result) == IS_STRING) return zend_string_copy(Z_STR_P(result));
  if (Z_TYPE_P(result) == IS_LONG) return zend_long_to_str(Z_LVAL_P(result));
  zend_type_error("%s::_getLockKey(): Return value must be of type string, %s returned",
                  ZSTR_VAL(method->common.scope->name), zend_zval_type_name(result));
  return nullptr;
}

}  // namespace

zend_string* usual_key(const PidState& state, const Pid& pid) {
  if (pid.text != nullptr) {
    return zend_string_concat2(state.prefix.data(), state.prefix.size(), ZSTR_VAL(pid.text),
                               ZSTR_LEN(pid.text));
  }
  zend_string* const digits = zend_long_to_str(pid.number);
  zend_string* const key = zend_string_concat2(state.prefix.data(), state.prefix.size(),
                                               ZSTR_VAL(digits), ZSTR_LEN(digits));
  zend_string_release(digits);
  return key;
}

zend_string* key_of(zend_object* object, const PidState& state, const Pid& pid) {
  auto* const method = static_cast<zend_function*>(
      zend_hash_str_find_ptr(&object->ce->function_table, ZEND_STRL("_getlockkey")));
  if (method == nullptr || method->type == ZEND_INTERNAL_FUNCTION) return usual_key(state, pid);

  zval argument;
  if (pid.text != nullptr) {
    ZVAL_STR(&argument, pid.text);
  } else {
    ZVAL_LONG(&argument, pid.number);
  }
  zval result;
  ZVAL_UNDEF(&result);
  zend_call_known_instance_method_with_1_params(method, object, &result, &argument);
  if (EG(exception) != nullptr) {
    zval_ptr_dtor(&result);
    return nullptr;
  }
  zend_string* const key = key_from_result(method, &result);
  zval_ptr_dtor(&result);
  return key;
}

}  // namespace redlock::php
