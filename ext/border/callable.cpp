// Copies before it asks Zend.
#include "border/callable.hpp"

namespace redlock::php {

namespace {

// Of an array only its two parts can be references, and where it has others it is no callable.
void copy_callable(zval* into, const zval* value) {
  ZVAL_DEREF(value);
  ZVAL_COPY(into, value);
  if (Z_TYPE_P(value) != IS_ARRAY) return;
  zval* const whose = zend_hash_index_find(Z_ARRVAL_P(value), 0);
  zval* const method = zend_hash_index_find(Z_ARRVAL_P(value), 1);
  if (whose == nullptr || method == nullptr || zend_hash_num_elements(Z_ARRVAL_P(value)) != 2)
    return;
  zval_ptr_dtor(into);
  array_init_size(into, 2);
  for (zval* const part : {whose, method}) {
    zval copy;
    ZVAL_COPY_DEREF(&copy, part);
    add_next_index_zval(into, &copy);
  }
}

// In a method a class's name may stand for the object at hand, which only the callable keeps then.
void keep_object(Callable& callable) {
  zend_object* const object = callable.how.object;
  const bool named = Z_TYPE(callable.copy) == IS_STRING ||
                     (Z_TYPE(callable.copy) == IS_ARRAY &&
                      Z_TYPE_P(zend_hash_index_find(Z_ARRVAL(callable.copy), 0)) == IS_STRING);
  if (object == nullptr || !named) return;
  zval method;
  ZVAL_STR_COPY(&method, callable.how.function_handler->common.function_name);
  zval own;
  ZVAL_OBJ_COPY(&own, object);
  zval_ptr_dtor(&callable.copy);
  array_init_size(&callable.copy, 2);
  add_next_index_zval(&callable.copy, &own);
  add_next_index_zval(&callable.copy, &method);
}

}  // namespace

Judged hold_callable(Callable& into, const zval* value, char*& error) {
  error = nullptr;
  copy_callable(&into.copy, value);
  zend_fcall_info info = empty_fcall_info;
  into.how = empty_fcall_info_cache;
  const bool found =
      zend_fcall_info_init(&into.copy, 0, &info, &into.how, nullptr, &error) == SUCCESS;
  const bool thrown = EG(exception) != nullptr;
  if (found) keep_object(into);
  // What a method is called by that does not exist is good for one call.
  const bool passing =
      found && (into.how.function_handler->common.fn_flags & ZEND_ACC_CALL_VIA_TRAMPOLINE) != 0;
  if (passing) zend_release_fcall_info_cache(&into.how);
  if (passing) into.how = empty_fcall_info_cache;
  if (found && !thrown) return Judged::callable;
  if (thrown && error != nullptr) {
    efree(error);
    error = nullptr;
  }
  zval_ptr_dtor(&into.copy);
  return thrown ? Judged::thrown : Judged::not_callable;
}

zend_result call_held(zval* callable, const zend_fcall_info_cache& how, zval* result,
                      std::uint32_t count, zval* arguments) {
  ZVAL_UNDEF(result);
  zend_fcall_info info = empty_fcall_info;
  info.size = sizeof info;
  ZVAL_COPY_VALUE(&info.function_name, callable);
  info.retval = result;
  info.params = arguments;
  info.param_count = count;
  zend_fcall_info_cache cache = how;
  return zend_call_function(&info, cache.function_handler != nullptr ? &cache : nullptr);
}

}  // namespace redlock::php
