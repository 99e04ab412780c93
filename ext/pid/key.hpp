// The Redis key of a pid: prefix and pid, unless a subclass says otherwise.
#pragma once
#include "border/zend.hpp"
#include "pid/call.hpp"

namespace redlock::php {

// The pid as the caller passed it: `text`, or `number` where text is null. Borrowed.
struct Pid {
  zend_string* text = nullptr;
  zend_long number = 0;
};

// What PidLock's own _getLockKey() says. A new reference.
[[nodiscard]] zend_string* usual_key(const PidState& state, const Pid& pid);
// What the object's _getLockKey() says. A new reference, or null with an exception pending.
[[nodiscard]] zend_string* key_of(zend_object* object, const PidState& state, const Pid& pid);

}  // namespace redlock::php
