// Testing: each method parse, call.
#include "testing/testing.hpp"

#include <string>
#include <vector>

#include "border/convert_server.hpp"
#include "border/globals.hpp"
#include "border/guard.hpp"
#include "border/zend.hpp"
#include "redlock/os/memory_servers.hpp"
// The arginfo needs what is above.
#include "testing/testing_arginfo.h"

namespace {

using namespace redlock;
using namespace redlock::php;

struct Listed {
  zval* first = nullptr;
  uint32_t count = 0;
  uint32_t before = 0;  // arguments that stand before them
};

// Throws ArgumentError, naming the argument by `name`.
std::vector<std::string> names_of(const Listed& listed, const char* name) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < listed.count; ++i) {
    const zend_string* const text = Z_STR(listed.first[i]);
    const Endpoint endpoint = server_from_text(name, {ZSTR_VAL(text), ZSTR_LEN(text)}).endpoint;
    if (!endpoint.in_memory) {
      throw ArgumentError(std::string(name) + " must name servers of memory://, and " +
                          endpoint.display() + " is not one");
    }
    names.push_back(endpoint.host);
  }
  return names;
}

// Checked before it is called, so that C++ sees strings only. False: an exception is pending.
bool are_strings(const Listed& listed) {
  for (uint32_t i = 0; i < listed.count; ++i) {
    if (Z_TYPE(listed.first[i]) == IS_STRING) continue;
    zend_argument_type_error(listed.before + i + 1, "must be of type string, %s given",
                             zend_zval_type_name(&listed.first[i]));
    return false;
  }
  return true;
}

template <class Deed>
void with_names(const Listed& listed, const Deed& deed) {
  const ArgumentPlace places[] = {{"servers", listed.before + 1}};
  if (!are_strings(listed)) return;
  (void)guarded(places, [&] { deed(names_of(listed, "servers")); });
}

void change_mood(INTERNAL_FUNCTION_PARAMETERS, memory::Mood mood) {
  (void)return_value;
  Listed listed;
  ZEND_PARSE_PARAMETERS_START(0, -1)
  Z_PARAM_VARIADIC('*', listed.first, listed.count)
  ZEND_PARSE_PARAMETERS_END();
  with_names(listed, [mood](memory::Names names) { memory::set_mood(names, mood); });
}

}  // namespace

PHP_METHOD(RedLock_Testing, __construct) { ZEND_PARSE_PARAMETERS_NONE(); }

PHP_METHOD(RedLock_Testing, advance) {
  zend_long ms = 0;
  Listed listed;
  listed.before = 1;
  ZEND_PARSE_PARAMETERS_START(1, -1)
  Z_PARAM_LONG(ms)
  Z_PARAM_VARIADIC('*', listed.first, listed.count)
  ZEND_PARSE_PARAMETERS_END();
  if (ms < 0 || ms > memory::kAheadMsMax) {
    zend_argument_value_error(1, "must be between 0 and %" PRId64, memory::kAheadMsMax);
    RETURN_THROWS();
  }
  with_names(listed, [ms](memory::Names names) { memory::advance(names, ms); });
}

PHP_METHOD(RedLock_Testing, takeAway) {
  zend_string* name = nullptr;
  zend_long number = 0;
  Listed listed;
  listed.before = 1;
  ZEND_PARSE_PARAMETERS_START(1, -1)
  Z_PARAM_STR_OR_LONG(name, number)
  Z_PARAM_VARIADIC('*', listed.first, listed.count)
  ZEND_PARSE_PARAMETERS_END();
  with_names(listed, [&](memory::Names names) {
    const std::string key =
        name == nullptr ? std::to_string(number) : std::string(ZSTR_VAL(name), ZSTR_LEN(name));
    memory::take_away(names, key);
  });
}

PHP_METHOD(RedLock_Testing, keys) {
  Listed listed;
  ZEND_PARSE_PARAMETERS_START(0, -1)
  Z_PARAM_VARIADIC('*', listed.first, listed.count)
  ZEND_PARSE_PARAMETERS_END();
  std::vector<std::string>* keys = nullptr;
  with_names(listed, [&keys](memory::Names names) {
    thread_state().keys = memory::keys(names);
    keys = &thread_state().keys;
  });
  if (keys == nullptr) RETURN_THROWS();
  array_init(return_value);
  for (const std::string& key : *keys) add_next_index_stringl(return_value, key.data(), key.size());
  keys->clear();
}

PHP_METHOD(RedLock_Testing, silence) {
  change_mood(INTERNAL_FUNCTION_PARAM_PASSTHRU, memory::Mood::silent);
}

PHP_METHOD(RedLock_Testing, refuse) {
  change_mood(INTERNAL_FUNCTION_PARAM_PASSTHRU, memory::Mood::refuses);
}

PHP_METHOD(RedLock_Testing, restore) {
  change_mood(INTERNAL_FUNCTION_PARAM_PASSTHRU, memory::Mood::serves);
}

PHP_METHOD(RedLock_Testing, forget) {
  Listed listed;
  ZEND_PARSE_PARAMETERS_START(0, -1)
  Z_PARAM_VARIADIC('*', listed.first, listed.count)
  ZEND_PARSE_PARAMETERS_END();
  with_names(listed, [](memory::Names names) { memory::forget(names); });
}

PHP_METHOD(RedLock_Testing, reset) {
  ZEND_PARSE_PARAMETERS_NONE();
  (void)guarded({}, [] { memory::forget_all(); });
}

void redlock::php::register_testing() { register_class_RedLock_Testing(); }
