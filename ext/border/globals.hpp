// What the extension keeps per thread: its settings, and everything that holds connections.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "border/zend.hpp"
#include "redlock/lease/async_releases.hpp"
#include "redlock/lease/renewal_thread.hpp"
#include "redlock/locks/runtime.hpp"
#include "redlock/locks/stamp_lock_manager.hpp"
#include "redlock/net/server_counters.hpp"

namespace redlock::php {

// Made when the thread takes its first lock, deleted with the thread. The connections may
// outlive a request; the ledger, of the objects that have none of their own, is emptied at both
// ends of each. The renewal thread has a thread of its own, which ends before the rest does.
struct ThreadState {
  ServerBook book;
  Runtime runtime;
  StampLedger ledger;
  AsyncReleases releases;
  RenewalThread renewal_thread;   // runs from the first lease on that is kept alive
  std::vector<std::string> keys;  // of Testing::keys(), while PHP makes an array of them
};

// Throws std::bad_alloc and what the runtime throws.
ThreadState& thread_state();

}  // namespace redlock::php

ZEND_BEGIN_MODULE_GLOBALS(redlock)
redlock::php::ThreadState* thread;  // null until the first use
bool persistent;
bool global_names;
zend_long pool_idle_seconds;
bool waits_cancelled;  // until the end of the request
// What the two were when the request ended.
bool persistent_at_end;
zend_long idle_seconds_at_end;
ZEND_END_MODULE_GLOBALS(redlock)

ZEND_EXTERN_MODULE_GLOBALS(redlock)
#define REDLOCK_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(redlock, v)

#if defined(ZTS) && defined(COMPILE_DL_REDLOCK)
ZEND_TSRMLS_CACHE_EXTERN()
#endif
