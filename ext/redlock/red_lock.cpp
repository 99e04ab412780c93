// RedLock: the quorum lock, each method parse, call, translate.
#include "redlock/red_lock.hpp"

#include "border/class_names.hpp"
#include "border/convert_option.hpp"
#include "border/convert_server.hpp"
#include "border/globals.hpp"
#include "border/guard.hpp"
#include "border/object.hpp"
#include "quorum/handle.hpp"
#include "quorum/options.hpp"
#include "redlock/call.hpp"
// The arginfo needs what is above.
#include "border/arginfo_attributes.hpp"
#include "redlock/red_lock_arginfo.h"

namespace {

using namespace redlock;
using namespace redlock::php;
using RedLockObject = ObjectOf<RedLockState>;

constexpr ArgumentPlace kConstructPlaces[] = {
    {"servers", 1},
    {"server", 1, "must name distinct servers"},
    {"retryDelay", 2},
    {"options", 4},
    {"driftFactor", 4, "must be valid"},
    {"timeout", 4, "must be valid"},
    {"connectTimeout", 4, "must be valid"},
    {"clientName", 4, "must be valid"},
};
RedLockState* make_state(HashTable* servers, const zend_string* text, zend_long retry_delay_ms,
                         zend_long retry_count, HashTable* options) {
  if (retry_delay_ms < 0) throw ArgumentError("retryDelay must be greater than or equal to 0");
  const std::vector<ServerSpec> specs = servers != nullptr
                                            ? servers_from("servers", servers)
                                            : servers_from_text("servers", view_of(text));
  LockOptions lock_options;
  lock_options.retry = RetryPolicy::jittered(retry_count, retry_delay_ms);
  for_each_option(options, [&lock_options](std::string_view name, const zval* value) {
    return take_lock_option(lock_options, name, value);
  });
  ThreadState& thread = thread_state();
  auto plan = std::make_shared<const LockPlan>(specs, std::move(lock_options), &thread.book);
  return new RedLockState(thread, std::move(plan), specs.size());
}

// The verbs on the handle in argument 1, or on the false that lock() gave instead of one: unlock()
// often stands in a `finally` where a TypeError would hide what came before it.
void call_on_handle(zval* return_value, zval* object, QuorumVerb verb, const zval* lock,
                    zend_long ttl_ms) {
  if (Z_TYPE_P(lock) != IS_ARRAY && Z_TYPE_P(lock) != IS_FALSE) {
    zend_argument_type_error(1, "must be of type array|false, %s given", zend_zval_type_name(lock));
    return;
  }
  RedLockState* const state = RedLockObject::initialised(object);
  if (state == nullptr) return;
  if (Z_TYPE_P(lock) == IS_FALSE) return answer_for_no_lock(return_value, *state);
  Handle handle;
  if (!parse_handle(Z_ARRVAL_P(lock), handle)) return;
  call_redlock(return_value, *state, {verb, handle.resource, handle.token, ttl_ms});
}

#if ZEND_DEBUG
// Its parameter is declared as subclasses of the userland class declare it, and takes false too:
// a debug build of PHP must not compare the two, so there it goes without the flag that it has
// types. In others the flag only tells that there are types to be freed, which is so here as well.
zend_function* unlock_method = nullptr;
#endif

}  // namespace

PHP_METHOD(RedLock, __construct) {
  HashTable* servers = nullptr;
  zend_string* text = nullptr;
  zend_long retry_delay_ms = 200;
  zend_long retry_count = 3;
  HashTable* options = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 4)
  Z_PARAM_ARRAY_HT_OR_STR(servers, text)
  Z_PARAM_OPTIONAL
  Z_PARAM_LONG(retry_delay_ms)
  Z_PARAM_LONG(retry_count)
  Z_PARAM_ARRAY_HT(options)
  ZEND_PARSE_PARAMETERS_END();

  if (!RedLockObject::is_new(ZEND_THIS)) RETURN_THROWS();
  RedLockState*& state = RedLockObject::state_of(Z_OBJ_P(ZEND_THIS));
  guarded(kConstructPlaces,
          [&] { state = make_state(servers, text, retry_delay_ms, retry_count, options); });
}

PHP_METHOD(RedLock, lock) {
  zend_string* name = nullptr;
  zend_long number = 0;
  zend_long ttl_ms = 0;
  ZEND_PARSE_PARAMETERS_START(2, 2)
  Z_PARAM_STR_OR_LONG(name, number)
  Z_PARAM_LONG(ttl_ms)
  ZEND_PARSE_PARAMETERS_END();

  RedLockState* const state = RedLockObject::initialised(ZEND_THIS);
  if (state == nullptr) RETURN_THROWS();
  zval resource;
  if (name != nullptr) {
    ZVAL_STR(&resource, name);
  } else {
    ZVAL_LONG(&resource, number);
  }
  call_redlock(return_value, *state, {QuorumVerb::lock, &resource, nullptr, ttl_ms});
}

PHP_METHOD(RedLock, unlock) {
  zval* lock = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_ZVAL(lock)
  ZEND_PARSE_PARAMETERS_END();
  call_on_handle(return_value, ZEND_THIS, QuorumVerb::unlock, lock, 0);
}

PHP_METHOD(RedLock, extend) {
  zval* lock = nullptr;
  zend_long ttl_ms = 0;
  ZEND_PARSE_PARAMETERS_START(2, 2)
  Z_PARAM_ZVAL(lock)
  Z_PARAM_LONG(ttl_ms)
  ZEND_PARSE_PARAMETERS_END();
  call_on_handle(return_value, ZEND_THIS, QuorumVerb::extend, lock, ttl_ms);
}

PHP_METHOD(RedLock, isHeld) {
  zval* lock = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_ZVAL(lock)
  ZEND_PARSE_PARAMETERS_END();
  call_on_handle(return_value, ZEND_THIS, QuorumVerb::check, lock, 0);
}

PHP_METHOD(RedLock, lastErrors) {
  ZEND_PARSE_PARAMETERS_NONE();
  const RedLockState* const state = RedLockObject::initialised(ZEND_THIS);
  if (state == nullptr) RETURN_THROWS();
  put_errors(return_value, *state);
}

void redlock::php::register_redlock() {
  zend_class_entry* const class_entry = register_class_RedLock();
  RedLockObject::install(class_entry);
  if (classes_are_global) zend_register_class_alias("RedLock\\RedLock", class_entry);
#if ZEND_DEBUG
  unlock_method = static_cast<zend_function*>(
      zend_hash_str_find_ptr(&class_entry->function_table, ZEND_STRL("unlock")));
  unlock_method->common.fn_flags &= ~static_cast<std::uint32_t>(ZEND_ACC_HAS_TYPE_HINTS);
#endif
}

void redlock::php::hand_back_redlock() {
#if ZEND_DEBUG
  unlock_method->common.fn_flags |= static_cast<std::uint32_t>(ZEND_ACC_HAS_TYPE_HINTS);
#endif
}
