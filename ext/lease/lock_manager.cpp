// LockManager: gives leases, each method parse, call, translate.
#include "lease/lock_manager.hpp"

#include "border/convert_server.hpp"
#include "border/convert_value.hpp"
#include "border/exceptions.hpp"
#include "border/globals.hpp"
#include "border/guard.hpp"
#include "border/milliseconds.hpp"
#include "border/object.hpp"
#include "border/text.hpp"
#include "border/wait.hpp"
#include "lease/acquire.hpp"
#include "lease/interfaces.hpp"
#include "lease/object.hpp"
#include "lease/server_stats.hpp"
#include "lease/stats.hpp"
#include "quorum/resources.hpp"
// The arginfo needs what is above.
#include "border/arginfo_attributes.hpp"
#include "lease/lock_manager_arginfo.h"

namespace {

using namespace redlock;
using namespace redlock::php;
using LockManagerObject = ObjectOf<std::shared_ptr<Locks>>;

constexpr zend_long kTtlMsDefault = 30'000;

constexpr ArgumentPlace kConstructPlaces[] = {
    {"servers", 1},
    {"server", 1, "must name distinct servers"},
    {"options", 2},
    {"retryDelay", 2, "must be valid"},
    {"driftFactor", 2, "must be valid"},
    {"timeout", 2, "must be valid"},
    {"connectTimeout", 2, "must be valid"},
    {"clientName", 2, "must be valid"},
    {"replicas", 2, "must be valid"},
};
constexpr ArgumentPlace kAcquirePlaces[] = {
    {"resource", 1}, {"resources", 1}, {"ttl", 2}, {"wait", 3}, {"options", 4}};
constexpr ArgumentPlace kPermitPlaces[] = {
    {"resource", 1}, {"permits", 2}, {"ttl", 3}, {"wait", 4}, {"options", 5}};
constexpr ArgumentPlace kSynchronizedPlaces[] = {
    {"resource", 1}, {"resources", 1}, {"ttl", 3}, {"wait", 4}, {"options", 5}};

std::vector<ServerSpec> specs_from(HashTable* list, const zend_string* text) {
  if (list != nullptr) return servers_from("servers", list);
  return servers_from_text("servers", view_of(text));
}

std::shared_ptr<Locks> make_locks(HashTable* list, const zend_string* text, HashTable* options) {
  const std::vector<ServerSpec> specs = specs_from(list, text);
  ManagerOptions of_manager;
  take_manager_options(of_manager, options);
  std::vector<std::string> names;
  for (const ServerSpec& spec : specs) names.push_back(spec.endpoint.display());
  ThreadState& thread = thread_state();
  auto plan = std::make_shared<const LockPlan>(specs, std::move(of_manager.lock), &thread.book);
  auto locks = std::make_shared<Locks>(thread, std::move(plan), std::move(names));
  locks->retry_delay_ms = of_manager.retry_delay_ms;
  locks->in_line = of_manager.in_line;
  locks->renew_max = of_manager.renew_max;
  return locks;
}

Locks* locks_of(zval* object) {
  const std::shared_ptr<Locks>* const locks = LockManagerObject::initialised(object);
  return locks == nullptr ? nullptr : locks->get();
}

void set_resource(zval* resource, zend_string* name, zend_long number) {
  if (name != nullptr) {
    ZVAL_STR(resource, name);
  } else {
    ZVAL_LONG(resource, number);
  }
}

// A string or an int, as PHP's own rules of types have it, or an array of those, of which it makes
// a copy. False: an exception is pending.
bool parse_resources(zval* argument, zval* resource) {
  if (Z_TYPE_P(argument) == IS_ARRAY) return copy_resources(resource, Z_ARRVAL_P(argument), 1);
  zend_string* name = nullptr;
  zend_long number = 0;
  if (!zend_parse_arg_str_or_long(argument, &name, &number, nullptr, false, 1)) {
    if (EG(exception) == nullptr) {
      zend_argument_type_error(1, "must be of type array|string|int, %s given",
                               zend_zval_type_name(argument));
    }
    return false;
  }
  set_resource(resource, name, number);
  return true;
}

void free_copy(zval* resource) {
  if (Z_TYPE_P(resource) == IS_ARRAY) zval_ptr_dtor(resource);
}

// Judged once no code of others runs any more for the sake of other arguments. False: an exception
// is pending.
bool hold_function(Callable& into, const zval* argument) {
  char* error = nullptr;
  const Judged judged = hold_callable(into, argument, error);
  if (judged == Judged::not_callable) {
    zend_argument_type_error(2, "must be a valid callback, %s", error);
    efree(error);
  }
  return judged == Judged::callable;
}

struct Argument {
  zval* value;  // null: it was left out
  uint32_t position;
};

// False: an exception is pending.
bool parse_times(Argument ttl, Argument wait, zend_long& ttl_ms, zend_long& wait_ms,
                 bool& waits_for_ever) {
  if (ttl.value != nullptr && !parse_milliseconds(ttl.value, ttl.position, ttl_ms)) return false;
  return wait.value == nullptr ||
         parse_milliseconds_or_null(wait.value, wait.position, wait_ms, waits_for_ever);
}

// Calls it with the lease, and gives back what is left of that, whatever became of the call.
void call_with_lease(zval* return_value, Callable& function, zval* lease) {
  zval result;
  const zend_result called = call_held(&function.copy, function.how, &result, 1, lease);
  LeaseObject::state_of(Z_OBJ_P(lease))->give_back();
  zval_ptr_dtor(lease);
  if (called == SUCCESS && Z_TYPE(result) != IS_UNDEF) {
    if (Z_ISREF(result)) zend_unwrap_reference(&result);
    RETURN_COPY_VALUE(&result);
  }
}

// What a method that gives a lease to its caller was passed; what is null was left out.
struct LeaseArguments {
  zval* resource;
  zval* ttl;
  zval* wait;
  HashTable* options;
  std::size_t permits = 0;  // which comes before the ttl
};

void acquire_for_caller(INTERNAL_FUNCTION_PARAMETERS, std::string_view method,
                        const LeaseArguments& passed, LockMode mode = LockMode::exclusive) {
  zend_long ttl_ms = kTtlMsDefault;
  zend_long wait_ms = 0;
  bool waits_for_ever = false;
  const bool of_permits = passed.permits > 0;
  const uint32_t ttl_at = of_permits ? 3 : 2;
  const auto places = of_permits ? std::span(kPermitPlaces) : std::span(kAcquirePlaces);
  if (!parse_times({passed.ttl, ttl_at}, {passed.wait, ttl_at + 1}, ttl_ms, wait_ms,
                   waits_for_ever)) {
    return;
  }
  const std::shared_ptr<Locks>* const locks = LockManagerObject::initialised(ZEND_THIS);
  if (locks == nullptr) return;
  const Acquired acquired = acquire(return_value, *locks,
                                    {method, places, passed.resource, ttl_ms, wait_ms,
                                     waits_for_ever, false, passed.options, mode, passed.permits});
  zend_execute_data* const caller = EX(prev_execute_data);
  if (acquired != Acquired::granted || caller == nullptr || caller->func == nullptr) return;
  if (!ZEND_USER_CODE(caller->func->type)) return;
  LeaseObject::state_of(Z_OBJ_P(return_value))->note_returned(caller);
}

void acquire_one(INTERNAL_FUNCTION_PARAMETERS, std::string_view method, LockMode mode) {
  zend_string* name = nullptr;
  zend_long number = 0;
  zval* ttl = nullptr;
  zval* wait = nullptr;
  HashTable* options = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 4)
  Z_PARAM_STR_OR_LONG(name, number)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(ttl)
  Z_PARAM_ZVAL(wait)
  Z_PARAM_ARRAY_HT(options)
  ZEND_PARSE_PARAMETERS_END();
  zval resource;
  set_resource(&resource, name, number);
  acquire_for_caller(INTERNAL_FUNCTION_PARAM_PASSTHRU, method, {&resource, ttl, wait, options},
                     mode);
}

// With it go the events that nobody could be told of yet, as while exit() unwinds.
void destruct_manager(zend_object* /*object*/) { Events::tell_all(); }

}  // namespace

PHP_METHOD(RedLock_LockManager, __construct) {
  HashTable* list = nullptr;
  zend_string* text = nullptr;
  HashTable* options = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 2)
  Z_PARAM_ARRAY_HT_OR_STR(list, text)
  Z_PARAM_OPTIONAL
  Z_PARAM_ARRAY_HT(options)
  ZEND_PARSE_PARAMETERS_END();

  zend_object* const object = Z_OBJ_P(ZEND_THIS);
  Callable handler;
  if (!find_handler(options, handler)) RETURN_THROWS();
  const bool made = LockManagerObject::is_new(ZEND_THIS) && guarded(kConstructPlaces, [&] {
                      std::shared_ptr<Locks>*& locks = LockManagerObject::state_of(object);
                      locks = new std::shared_ptr<Locks>(make_locks(list, text, options));
                      if (!Z_ISUNDEF(handler.copy)) (*locks)->events.tell_to(object, handler.how);
                    });
  if (made) {
    ZVAL_COPY_VALUE(LockManagerObject::kept_by(object), &handler.copy);
  } else {
    zval_ptr_dtor(&handler.copy);
  }
}

PHP_METHOD(RedLock_LockManager, acquire) {
  acquire_one(INTERNAL_FUNCTION_PARAM_PASSTHRU, "RedLock\\LockManager::acquire()",
              LockMode::exclusive);
}

PHP_METHOD(RedLock_LockManager, acquireShared) {
  acquire_one(INTERNAL_FUNCTION_PARAM_PASSTHRU, "RedLock\\LockManager::acquireShared()",
              LockMode::shared);
}

PHP_METHOD(RedLock_LockManager, acquireAll) {
  HashTable* names = nullptr;
  zval* ttl = nullptr;
  zval* wait = nullptr;
  HashTable* options = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 4)
  Z_PARAM_ARRAY_HT(names)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(ttl)
  Z_PARAM_ZVAL(wait)
  Z_PARAM_ARRAY_HT(options)
  ZEND_PARSE_PARAMETERS_END();
  zval resources;
  if (!copy_resources(&resources, names, 1)) RETURN_THROWS();
  acquire_for_caller(INTERNAL_FUNCTION_PARAM_PASSTHRU, "RedLock\\LockManager::acquireAll()",
                     {&resources, ttl, wait, options});
  zval_ptr_dtor(&resources);
}

PHP_METHOD(RedLock_LockManager, acquirePermit) {
  zend_string* name = nullptr;
  zend_long number = 0;
  zend_long permits = 0;
  zval* ttl = nullptr;
  zval* wait = nullptr;
  HashTable* options = nullptr;
  ZEND_PARSE_PARAMETERS_START(2, 5)
  Z_PARAM_STR_OR_LONG(name, number)
  Z_PARAM_LONG(permits)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(ttl)
  Z_PARAM_ZVAL(wait)
  Z_PARAM_ARRAY_HT(options)
  ZEND_PARSE_PARAMETERS_END();
  if (permits < 1 || permits > static_cast<zend_long>(kPermitsMax)) {
    zend_argument_value_error(2, "must be between 1 and %zu", kPermitsMax);
    RETURN_THROWS();
  }
  zval resource;
  set_resource(&resource, name, number);
  acquire_for_caller(INTERNAL_FUNCTION_PARAM_PASSTHRU, "RedLock\\LockManager::acquirePermit()",
                     {&resource, ttl, wait, options, static_cast<std::size_t>(permits)});
}

PHP_METHOD(RedLock_LockManager, synchronized) {
  zval* argument = nullptr;
  zval* callable = nullptr;
  zval* ttl = nullptr;
  zval* wait = nullptr;
  zend_long ttl_ms = kTtlMsDefault;
  zend_long wait_ms = 0;
  bool waits_for_ever = true;
  HashTable* options = nullptr;
  ZEND_PARSE_PARAMETERS_START(2, 5)
  Z_PARAM_ZVAL(argument)
  Z_PARAM_ZVAL(callable)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(ttl)
  Z_PARAM_ZVAL(wait)
  Z_PARAM_ARRAY_HT(options)
  ZEND_PARSE_PARAMETERS_END();
  if (!parse_times({ttl, 3}, {wait, 4}, ttl_ms, wait_ms, waits_for_ever)) RETURN_THROWS();

  const std::shared_ptr<Locks>* const locks = LockManagerObject::initialised(ZEND_THIS);
  zval resource;
  Callable function;
  if (locks == nullptr || !parse_resources(argument, &resource)) RETURN_THROWS();
  if (!hold_function(function, callable)) {
    free_copy(&resource);
    RETURN_THROWS();
  }
  const AcquireRequest request{"RedLock\\LockManager::synchronized()",
                               kSynchronizedPlaces,
                               &resource,
                               ttl_ms,
                               wait_ms,
                               waits_for_ever,
                               true,
                               options};
  zval lease;
  ZVAL_UNDEF(&lease);
  const Acquired acquired = acquire(&lease, *locks, request);
  if (acquired == Acquired::granted) call_with_lease(return_value, function, &lease);
  if (acquired == Acquired::refused) throw_not_acquired(**locks, request);
  free_copy(&resource);
  zval_ptr_dtor(&function.copy);
}

PHP_METHOD(RedLock_LockManager, attach) {
  HashTable* handle = nullptr;
  HashTable* options = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 2)
  Z_PARAM_ARRAY_HT(handle)
  Z_PARAM_OPTIONAL
  Z_PARAM_ARRAY_HT(options)
  ZEND_PARSE_PARAMETERS_END();
  const std::shared_ptr<Locks>* const locks = LockManagerObject::initialised(ZEND_THIS);
  if (locks == nullptr) RETURN_THROWS();
  attach(return_value, *locks, handle, options);
}

// A signal handler calls it, in the middle of a wait or a moment before, and knows no manager.
PHP_METHOD(RedLock_LockManager, cancelWaits) {
  bool cancel = true;
  ZEND_PARSE_PARAMETERS_START(0, 1)
  Z_PARAM_OPTIONAL
  Z_PARAM_BOOL(cancel)
  ZEND_PARSE_PARAMETERS_END();
  cancel_waits(cancel);
}

PHP_METHOD(RedLock_LockManager, stats) {
  ZEND_PARSE_PARAMETERS_NONE();
  Locks* const locks = locks_of(ZEND_THIS);
  std::size_t listeners = 0;
  if (locks == nullptr ||
      !guarded({}, [&] { listeners = locks->manager.pool().listener_count(); })) {
    RETURN_THROWS();
  }
  put_stats(return_value);
  add_assoc_long(return_value, "listeners", static_cast<zend_long>(listeners));
  zval servers;
  put_server_stats(&servers);
  add_assoc_zval(return_value, "servers", &servers);
}

PHP_METHOD(RedLock_LockManager, lastErrors) {
  ZEND_PARSE_PARAMETERS_NONE();
  const Locks* const locks = locks_of(ZEND_THIS);
  if (locks == nullptr) RETURN_THROWS();
  put_errors(return_value, *locks);
}

void redlock::php::register_lock_manager() {
  zend_class_entry* const class_entry = register_class_RedLock_LockManager(lock_manager_interface);
  LockManagerObject::install_keeping(class_entry, destruct_manager);
#ifdef ZEND_ACC_NODISCARD
  // Among the strings that PHP knows from 8.6 on.
  zend_string* const name = zend_string_init_interned(ZEND_STRL("NoDiscard"), true);
  for (const std::string_view giver : {"acquire", "acquireshared", "acquireall", "acquirepermit"}) {
    auto* const method = static_cast<zend_function*>(
        zend_hash_str_find_ptr(&class_entry->function_table, giver.data(), giver.size()));
    method->common.fn_flags |= ZEND_ACC_NODISCARD;
    zend_add_function_attribute(method, name, 0);
  }
  zend_string_release(name);
#endif
}
