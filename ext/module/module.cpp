// The module: settings, life and death of a thread's connections, phpinfo().
//
// A request ends in post-deactivate: code of users runs after RSHUTDOWN (session handlers, stream
// wrappers, destructors), and may release locks.
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "border/class_names.hpp"
#include "border/exceptions.hpp"
#include "border/globals.hpp"
#include "border/guard.hpp"
#include "lease/events.hpp"
#include "lease/interfaces.hpp"
#include "lease/interrupt.hpp"
#include "lease/lease.hpp"
#include "lease/lock_manager.hpp"
#include "module/info.hpp"
#include "module/php_redlock.h"
#include "pid/pid_lock.hpp"
#include "redlock/os/memory_servers.hpp"
#include "redlock/red_lock.hpp"
#include "redlock/version.hpp"
#include "testing/testing.hpp"

ZEND_DECLARE_MODULE_GLOBALS(redlock)

#ifdef COMPILE_DL_REDLOCK
#ifdef ZTS
ZEND_TSRMLS_CACHE_DEFINE()
#endif
extern "C" {
ZEND_GET_MODULE(redlock)
}
#endif

static_assert(std::string_view(PHP_REDLOCK_VERSION) == redlock::kVersion);

namespace {

using redlock::Duration;
using redlock::Pool;

// Ten years, far from where seconds overflow.
constexpr zend_long kIdleSecondsMax = 315'360'000;

Duration idle_limit() { return Duration::seconds(REDLOCK_G(pool_idle_seconds)); }

ZEND_INI_MH(update_idle_seconds) {
  zend_long seconds = 0;
  double fraction = 0;
  const bool whole = is_numeric_string(ZSTR_VAL(new_value), ZSTR_LEN(new_value), &seconds,
                                       &fraction, false) == IS_LONG;
  if (!whole || seconds < 0 || seconds > kIdleSecondsMax) return FAILURE;
  if (OnUpdateLong(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage) == FAILURE) return FAILURE;
  redlock::php::ThreadState* const thread = REDLOCK_G(thread);
  if (thread != nullptr) thread->runtime.pool().set_idle_limit(idle_limit());
  return SUCCESS;
}

PHP_INI_BEGIN()
STD_PHP_INI_BOOLEAN("redlock.persistent", "1", PHP_INI_ALL, OnUpdateBool, persistent,
                    zend_redlock_globals, redlock_globals)
STD_PHP_INI_BOOLEAN("redlock.global_names", "1", PHP_INI_SYSTEM, OnUpdateBool, global_names,
                    zend_redlock_globals, redlock_globals)
STD_PHP_INI_ENTRY("redlock.pool_idle_seconds", "60", PHP_INI_ALL, update_idle_seconds,
                  pool_idle_seconds, zend_redlock_globals, redlock_globals)
PHP_INI_END()

// Connections that nobody used for `idle` go; at the end of a request also all of them, when
// they may not outlive it. Those that stay have removals put on their way first.
void tidy_pool(bool keep, Duration idle) noexcept {
  redlock::php::ThreadState* const thread = REDLOCK_G(thread);
  if (thread == nullptr) return;
  try {
    Pool& pool = thread->runtime.pool();
    thread->ledger.clear();
    pool.abort_all();
    keep ? pool.deliver() : pool.close_all();
    pool.close_idle(idle);
  } catch (...) {
    // Out of memory: the next request tidies.
  }
}

PHP_GINIT_FUNCTION(redlock) {
#if defined(COMPILE_DL_REDLOCK) && defined(ZTS)
  ZEND_TSRMLS_CACHE_UPDATE();
#endif
  memset(redlock_globals, 0, sizeof(*redlock_globals));
}

PHP_GSHUTDOWN_FUNCTION(redlock) {
  delete redlock_globals->thread;
  redlock_globals->thread = nullptr;
}

PHP_MINIT_FUNCTION(redlock) {
  REGISTER_INI_ENTRIES();
  redlock::php::classes_are_global = REDLOCK_G(global_names);
  redlock::php::register_exceptions();
  redlock::php::register_redlock();
  redlock::php::register_pid_lock();
  redlock::php::register_interfaces();
  redlock::php::register_lease();
  redlock::php::register_lock_manager();
  redlock::php::register_testing();
  redlock::php::install_interrupts(type);
  return SUCCESS;
}

PHP_MSHUTDOWN_FUNCTION(redlock) {
  redlock::php::remove_interrupts();
  if (type == MODULE_PERSISTENT) redlock::php::hand_back_redlock();
  UNREGISTER_INI_ENTRIES();
  return SUCCESS;
}

zend_result ZEND_MODULE_ACTIVATE_N(redlock)(int, int) {
#if defined(COMPILE_DL_REDLOCK) && defined(ZTS)
  ZEND_TSRMLS_CACHE_UPDATE();
#endif
  redlock::php::Events::begin_request();
  REDLOCK_G(waits_cancelled) = false;
  tidy_pool(true, idle_limit());
  return SUCCESS;
}

// User code still runs after this: session handlers and streams are closed, and objects
// destroyed, and each may release a lock. By the time that the last of it has run, the settings
// have been reset.
zend_result ZEND_MODULE_DEACTIVATE_N(redlock)(int, int) {
  REDLOCK_G(persistent_at_end) = REDLOCK_G(persistent);
  REDLOCK_G(idle_seconds_at_end) = REDLOCK_G(pool_idle_seconds);
  return SUCCESS;
}

zend_result ZEND_MODULE_POST_ZEND_DEACTIVATE_N(redlock)() {
  tidy_pool(REDLOCK_G(persistent_at_end), Duration::seconds(REDLOCK_G(idle_seconds_at_end)));
  redlock::memory::forget_all();
  return SUCCESS;
}

PHP_MINFO_FUNCTION(redlock) {
  redlock::php::print_info();
  DISPLAY_INI_ENTRIES();
}

}  // namespace

redlock::php::ThreadState& redlock::php::thread_state() {
  if (REDLOCK_G(thread) == nullptr) {
    REDLOCK_G(thread) = new ThreadState();
    REDLOCK_G(thread)->runtime.pool().set_idle_limit(idle_limit());
  }
  return *REDLOCK_G(thread);
}

zend_module_entry redlock_module_entry = {
    STANDARD_MODULE_HEADER,
    "redlock",
    nullptr,
    PHP_MINIT(redlock),
    PHP_MSHUTDOWN(redlock),
    PHP_RINIT(redlock),
    PHP_RSHUTDOWN(redlock),
    PHP_MINFO(redlock),
    PHP_REDLOCK_VERSION,
    PHP_MODULE_GLOBALS(redlock),
    PHP_GINIT(redlock),
    PHP_GSHUTDOWN(redlock),
    ZEND_MODULE_POST_ZEND_DEACTIVATE_N(redlock),
    STANDARD_MODULE_PROPERTIES_EX,
};
