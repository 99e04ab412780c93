// PidLock: the timestamp lock, each method parse, call, translate.
#include "pid/pid_lock.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "border/class_names.hpp"
#include "border/convert_server.hpp"
#include "border/convert_value.hpp"
#include "border/globals.hpp"
#include "border/guard.hpp"
#include "border/object.hpp"
#include "border/wait.hpp"
#include "pid/call.hpp"
#include "pid/key.hpp"
#include "pid/options.hpp"
// The arginfo needs what is above.
#include "border/arginfo_attributes.hpp"
#include "pid/pid_lock_arginfo.h"

namespace {

using namespace redlock;
using namespace redlock::php;
using PidLockObject = ObjectOf<PidState>;

// As the documents have it.
constexpr double kTakeBufferSeconds = 0.001;
constexpr double kReleaseBufferSeconds = 0.003;

constexpr ArgumentPlace kConstructPlaces[] = {
    {"server", 1},
    {"options", 2},
    {"driftFactor", 2, "must be valid"},
    {"timeout", 2, "must be valid"},
    {"connectTimeout", 2, "must be valid"},
    {"clientName", 2, "must be valid"},
};
constexpr ArgumentPlace kCallPlaces[] = {{"resource", 1, "must give a usable key"},
                                         {"lock_timeout", 2},
                                         {"sleep_time", 3},
                                         {"retry_times", 4},
                                         {"buffer_time", 5}};
constexpr ArgumentPlace kReleasePlaces[] = {{"resource", 1, "must give a usable key"},
                                            {"buffer_time", 2}};

// Both null: the usual server.
PidState* make_state(const zend_string* text, HashTable* array, HashTable* options) {
  const std::string_view server = text == nullptr ? "127.0.0.1:6379" : view_of(text);
  const ServerSpec spec =
      array == nullptr ? server_from_text("server", server) : server_from_array("server", array);
  PidOptions pid_options;
  take_pid_options(pid_options, options);
  ThreadState& thread = thread_state();
  return new PidState(thread, spec, std::move(pid_options));
}

// Calls use(state, key); the key is the object's own affair and may be user code.
template <class Use>
void with_key(zval* object, const Pid& pid, Use use) {
  static_assert(std::is_trivially_destructible_v<Use>);
  PidState* const state = PidLockObject::initialised(object);
  if (state == nullptr) return;
  zend_string* const key = key_of(Z_OBJ_P(object), *state, pid);
  if (key == nullptr) return;
  use(*state, key);
  zend_string_release(key);
}

double seconds_of(const zval* value, double usual) {
  if (value == nullptr) return usual;
  return Z_TYPE_P(value) == IS_LONG ? static_cast<double>(Z_LVAL_P(value)) : Z_DVAL_P(value);
}

struct Times {
  double lock_timeout = 0;
  double sleep_time = 0;
  double buffer_time = 0;
};

OperationId begin_lock(StampLockManager& manager, const Resources& keys, const Times& seconds,
                       zend_long retry_times) {
  if (retry_times < 0) throw ArgumentError("retry_times must be greater than or equal to 0");
  if (seconds.lock_timeout <= 0) throw ArgumentError("lock_timeout must be greater than 0");
  const Duration lease = lease_from("lock_timeout", seconds.lock_timeout, kTtlMax);
  const Duration pause = duration_from("sleep_time", seconds.sleep_time, kPauseMax);
  const Duration buffer = lease_from("buffer_time", seconds.buffer_time, kTtlMax);
  const zend_long attempts =
      retry_times < std::numeric_limits<zend_long>::max() ? retry_times + 1 : retry_times;
  const RetryPolicy once = RetryPolicy::exact(1, Duration());
  return manager.begin_lock(keys, lease, buffer,
                            waits_are_cancelled() ? once : RetryPolicy::spread(attempts, pause));
}

void take(zval* return_value, PidState& state, const zend_string* key, const Times& seconds,
          zend_long retry_times) {
  PidCall call(state, PidVerb::take, key);
  call.waits = retry_times > 0;
  const bool begun = begin(call, kCallPlaces, [&](const Resources& keys) {
    return begin_lock(state.manager, keys, seconds, retry_times);
  });
  if (!begun || !complete(call)) return;
  if (call.decision == Decision::granted) RETURN_LONG(1);
  if (is_refusal(call.decision)) RETURN_LONG(0);
  throw_trouble(call);
}

// Always true, unless the times are none, or user code that ran meanwhile threw.
void release(zval* return_value, PidState& state, const zend_string* key, double buffer_time) {
  PidCall call(state, PidVerb::release, key);
  const bool begun = begin(call, kReleasePlaces, [&](const Resources& keys) {
    const Duration margin = lease_from("buffer_time", buffer_time, kTtlMax);
    call.entry = state.manager.entry_of(keys);
    return state.manager.begin_release(keys, margin).value_or(0);
  });
  if (!begun || (call.id != 0 && !complete(call))) return;
  RETURN_TRUE;
}

void check(zval* return_value, PidState& state, const zend_string* key) {
  PidCall call(state, PidVerb::check, key);
  const bool begun = begin(call, kCallPlaces, [&](const Resources& keys) {
    call.entry = state.manager.entry_of(keys);
    return state.manager.begin_check(keys).value_or(0);
  });
  if (!begun) return;
  if (call.id == 0) RETURN_FALSE;
  if (!complete(call)) return;
  if (call.decision == Decision::unreachable || call.decision == Decision::aborted) {
    return throw_trouble(call);
  }
  RETURN_BOOL(call.decision == Decision::granted);
}

}  // namespace

PHP_METHOD(PidLock, __construct) {
  HashTable* array = nullptr;
  zend_string* text = nullptr;
  HashTable* options = nullptr;
  ZEND_PARSE_PARAMETERS_START(0, 2)
  Z_PARAM_OPTIONAL
  Z_PARAM_ARRAY_HT_OR_STR(array, text)
  Z_PARAM_ARRAY_HT(options)
  ZEND_PARSE_PARAMETERS_END();

  if (!PidLockObject::is_new(ZEND_THIS)) RETURN_THROWS();
  PidState*& state = PidLockObject::state_of(Z_OBJ_P(ZEND_THIS));
  guarded(kConstructPlaces, [&] { state = make_state(text, array, options); });
}

PHP_METHOD(PidLock, getPidLock) {
  Pid pid;
  zval* lock_timeout = nullptr;
  zval* sleep_time = nullptr;
  zend_long retry_times = 0;
  zval* buffer_time = nullptr;
  ZEND_PARSE_PARAMETERS_START(2, 5)
  Z_PARAM_STR_OR_LONG(pid.text, pid.number)
  Z_PARAM_NUMBER(lock_timeout)
  Z_PARAM_OPTIONAL
  Z_PARAM_NUMBER(sleep_time)
  Z_PARAM_LONG(retry_times)
  Z_PARAM_NUMBER(buffer_time)
  ZEND_PARSE_PARAMETERS_END();

  const Times times{seconds_of(lock_timeout, 0), seconds_of(sleep_time, 0),
                    seconds_of(buffer_time, kTakeBufferSeconds)};
  with_key(ZEND_THIS, pid, [&](PidState& state, const zend_string* key) {
    take(return_value, state, key, times, retry_times);
  });
}

PHP_METHOD(PidLock, releasePidLock) {
  Pid pid;
  zval* buffer_time = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 2)
  Z_PARAM_STR_OR_LONG(pid.text, pid.number)
  Z_PARAM_OPTIONAL
  Z_PARAM_NUMBER(buffer_time)
  ZEND_PARSE_PARAMETERS_END();

  const double margin = seconds_of(buffer_time, kReleaseBufferSeconds);
  with_key(ZEND_THIS, pid, [&](PidState& state, const zend_string* key) {
    release(return_value, state, key, margin);
  });
}

PHP_METHOD(PidLock, holdsPidLock) {
  Pid pid;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_STR_OR_LONG(pid.text, pid.number)
  ZEND_PARSE_PARAMETERS_END();
  with_key(ZEND_THIS, pid,
           [&](PidState& state, const zend_string* key) { check(return_value, state, key); });
}

PHP_METHOD(PidLock, remainingPidLock) {
  Pid pid;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_STR_OR_LONG(pid.text, pid.number)
  ZEND_PARSE_PARAMETERS_END();
  with_key(ZEND_THIS, pid, [&](PidState& state, const zend_string* key) {
    Duration left;
    const bool known = guarded({}, [&] { left = state.manager.remaining(keys_of(key)); });
    if (known) RETVAL_DOUBLE(std::max(left, Duration()).as_ms() / 1e3);
  });
}

PHP_METHOD(PidLock, lastErrors) {
  ZEND_PARSE_PARAMETERS_NONE();
  const PidState* const state = PidLockObject::initialised(ZEND_THIS);
  if (state == nullptr) RETURN_THROWS();
  array_init(return_value);
  for (const ServerTrouble& trouble : state->troubles) {
    add_assoc_stringl_ex(return_value, trouble.server.data(), trouble.server.size(),
                         trouble.reason.data(), trouble.reason.size());
  }
}

PHP_METHOD(PidLock, _getLockKey) {
  Pid pid;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_STR_OR_LONG(pid.text, pid.number)
  ZEND_PARSE_PARAMETERS_END();
  const PidState* const state = PidLockObject::initialised(ZEND_THIS);
  if (state == nullptr) RETURN_THROWS();
  RETURN_STR(usual_key(*state, pid));
}

void redlock::php::register_pid_lock() {
  zend_class_entry* const class_entry = register_class_PidLock();
  PidLockObject::install(class_entry);
  if (classes_are_global) zend_register_class_alias("RedLock\\PidLock", class_entry);
}
