// What becomes of a manager's leases, told to the function that its option onEvent names.
//
// An event is noted where it is noticed, often in the middle of C++, and told when PHP can run
// code: at the next interrupt of the VM, which comes as soon as our method has returned, or at a
// destructor. By then the lock is what the event says. Nothing here throws, and nothing a handler
// does changes what comes of a lock: what it throws is logged as a core warning, or a full disk
// under a logger would free a lock. One thread.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "border/callable.hpp"
#include "border/zend.hpp"
#include "redlock/algorithm/resources.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/locks/server_plan.hpp"

namespace redlock::php {

struct Event {
  const char* name = nullptr;  // lives for ever
  Resources resources = Resource();
  std::string owner;  // empty: none was named
  std::optional<Duration> waited;
  std::optional<Duration> held;
  Duration remaining;
  std::vector<ServerTrouble> troubles;
  std::string reason;  // empty: there is none
};

// Of one manager.
class Events {
 public:
  Events() = default;
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() { leave_list(); }

  // From now on the callable that `manager` keeps is told; `how` it is called was found before.
  void tell_to(zend_object* manager, const zend_fcall_info_cache& how);
  // Whom the manager's leases keep, so that there is somebody to tell; null: nobody is to be told.
  [[nodiscard]] zend_object* manager() const { return manager_; }
  [[nodiscard]] bool telling() const { return telling_; }

  // What the handler does itself is not told to it: it would never come to an end. Without memory
  // for it, nobody is told.
  template <class Make>
  void note(Make make) noexcept {
    if (manager_ == nullptr || telling_) return;
    try {
      waiting_.push_back(make());
      join_list();
    } catch (...) {
    }
  }

  // Tells all that waits on this thread.
  static void tell_all();
  // A handler runs: interrupts of the VM are postponed until it has returned, since what they throw
  // would be taken for its own.
  [[nodiscard]] static bool postpones_interrupt();
  // What a fatal error in a handler left.
  static void begin_request();

 private:
  static Events* next_to_tell();
  bool tell_next();
  void call(zval* callable);
  void join_list();
  void leave_list();

  zend_object* manager_ = nullptr;
  zend_fcall_info_cache how_ = {};  // without a function: to be found at each call
  bool telling_ = false;
  std::vector<Event> waiting_;
  Event told_ = {};  // parked while Zend makes an array of it
  // In its thread's list of those with events that wait.
  bool listed_ = false;
  Events* before_ = nullptr;
  Events* behind_ = nullptr;
};

// The option onEvent, undefined where there is none. False: an exception is pending.
[[nodiscard]] bool find_handler(HashTable* options, Callable& handler);

}  // namespace redlock::php
