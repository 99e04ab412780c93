// Assertions about our own code that stay on in release builds.
//
// For programmer errors alone: nothing that a user passes or a server answers may
// reach one. A lock that has lost its bookkeeping must not go on handing out locks.
#pragma once

namespace redlock {

// Prints what failed and where to stderr, then aborts.
[[noreturn]] void invariant_broken(const char* condition, const char* file, int line) noexcept;

}  // namespace redlock

#define REDLOCK_INVARIANT(condition)                   \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::redlock::invariant_broken(#condition, __FILE__, __LINE__))
