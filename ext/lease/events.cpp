// Handlers are called with whatever is pending put aside, and what they throw goes to PHP's log.
#include "lease/events.hpp"

#include <utility>

#include "border/milliseconds.hpp"
#include "border/object.hpp"
#include "lease/locks.hpp"

namespace redlock::php {

namespace {

thread_local Events* first_waiting = nullptr;
// How many handlers run, one inside the other.
thread_local int handlers_running = 0;
thread_local bool interrupt_postponed = false;

void request_interrupt() { zend_atomic_bool_store_ex(&EG(vm_interrupt), true); }

bool leaves_the_request(zend_object* thrown) {
  return thrown != nullptr && (zend_is_unwind_exit(thrown) || zend_is_graceful_exit(thrown));
}

// No error handler sees a core warning: one that makes exceptions of warnings would make one of
// this.
void report(zend_object* thrown) {
  zend_class_entry* const base =
      instanceof_function(thrown->ce, zend_ce_exception) ? zend_ce_exception : zend_ce_error;
  zval room[3];
  const zval* const message =
      zend_read_property(base, thrown, ZEND_STRL("message"), true, &room[0]);
  const zval* const file = zend_read_property(base, thrown, ZEND_STRL("file"), true, &room[1]);
  const zval* const line = zend_read_property(base, thrown, ZEND_STRL("line"), true, &room[2]);
  zend_error(E_CORE_WARNING, "RedLock\\LockManager: onEvent threw %s: %s, in %s:" ZEND_LONG_FMT,
             ZSTR_VAL(thrown->ce->name), Z_TYPE_P(message) == IS_STRING ? Z_STRVAL_P(message) : "",
             Z_TYPE_P(file) == IS_STRING ? Z_STRVAL_P(file) : "",
             Z_TYPE_P(line) == IS_LONG ? Z_LVAL_P(line) : 0);
}

// What is pending while handlers are called, and the frame they are called from.
struct Aside {
  zend_object* exception;
  const zend_op* before_exception;
  zend_execute_data* frame;
  const zend_op* opline;
  zend_execute_data none;  // where no code runs an exception would be fatal
};

void put_aside(Aside& aside) {
  aside.exception = EG(exception);
  aside.before_exception = EG(opline_before_exception);
  aside.frame = EG(current_execute_data);
  aside.opline = aside.frame != nullptr ? aside.frame->opline : nullptr;
  aside.none = {};
  if (aside.frame == nullptr) EG(current_execute_data) = &aside.none;
  EG(exception) = nullptr;
}

void put_back(const Aside& aside) {
  EG(current_execute_data) = aside.frame;
  zend_object* const thrown = EG(exception);
  if (thrown != nullptr && aside.frame != nullptr) {
    // The handler ended the request; what was pending is of no interest any more.
    if (aside.exception == nullptr) return;
    // The frame is at its exception already, and must be told where in its own code that was.
    if (aside.opline == EG(exception_op)) EG(opline_before_exception) = aside.before_exception;
    OBJ_RELEASE(aside.exception);
    return;
  }
  EG(exception) = nullptr;
  if (thrown != nullptr) OBJ_RELEASE(thrown);
  if (aside.frame != nullptr) aside.frame->opline = aside.opline;
  EG(opline_before_exception) = aside.before_exception;
  EG(exception) = aside.exception;
}

// The handler's own exception. One that ends the request stays.
void settle_exception() {
  zend_object* const thrown = EG(exception);
  if (thrown == nullptr || leaves_the_request(thrown)) return;
  GC_ADDREF(thrown);
  zend_clear_exception();
  report(thrown);
  OBJ_RELEASE(thrown);
}

void add_text(zval* into, const char* name, const std::string& text) {
  text.empty() ? add_assoc_null(into, name)
               : add_assoc_stringl(into, name, text.data(), text.size());
}

// One by its name; several as a list of theirs.
void put_resources(zval* into, const Resources& resources) {
  if (resources.single()) {
    const std::string_view name = resources.only().view();
    return add_assoc_stringl(into, "resource", name.data(), name.size());
  }
  zval names;
  array_init(&names);
  for (const Resource& one : resources.all()) {
    add_next_index_stringl(&names, one.view().data(), one.view().size());
  }
  add_assoc_zval(into, "resource", &names);
}

void put_facts(zval* into, const Event& of) {
  array_init(into);
  put_resources(into, of.resources);
  add_text(into, "owner", of.owner);
  put_milliseconds(into, "waited", of.waited);
  put_milliseconds(into, "held", of.held);
  add_assoc_double(into, "remaining", of.remaining.as_ms());
  zval faults;
  array_init(&faults);
  for (const ServerTrouble& trouble : of.troubles) {
    const std::string_view word = to_string(trouble.fault);
    add_assoc_stringl_ex(&faults, trouble.server.data(), trouble.server.size(), word.data(),
                         word.size());
  }
  add_assoc_zval(into, "faults", &faults);
  add_text(into, "reason", of.reason);
}

}  // namespace

void Events::tell_to(zend_object* manager, const zend_fcall_info_cache& how) {
  manager_ = manager;
  how_ = how;
}

void Events::join_list() {
  request_interrupt();
  if (listed_) return;
  listed_ = true;
  before_ = nullptr;
  behind_ = first_waiting;
  if (behind_ != nullptr) behind_->before_ = this;
  first_waiting = this;
}

void Events::leave_list() {
  if (!listed_) return;
  listed_ = false;
  (before_ != nullptr ? before_->behind_ : first_waiting) = behind_;
  if (behind_ != nullptr) behind_->before_ = before_;
}

Events* Events::next_to_tell() {
  Events* events = first_waiting;
  while (events != nullptr && events->telling_) events = events->behind_;
  return events;
}

bool Events::tell_next() {
  zval* const callable = ObjectOf<std::shared_ptr<Locks>>::kept_by(manager_);
  if (waiting_.empty() || Z_ISUNDEF_P(callable)) {
    waiting_.clear();
    leave_list();
    return false;
  }
  told_ = std::move(waiting_.front());
  waiting_.erase(waiting_.begin());
  return true;
}

void Events::call(zval* callable) {
  zval arguments[2];
  zval result;
  ZVAL_STRING(&arguments[0], told_.name);
  put_facts(&arguments[1], told_);
  telling_ = true;
  ++handlers_running;
  zend_fiber_switch_block();
  volatile bool bailed = false;
  zend_try { call_held(callable, how_, &result, 2, arguments); }
  zend_catch { bailed = true; }
  zend_end_try();
  zend_fiber_switch_unblock();
  if (bailed) {
    --handlers_running;
    telling_ = false;
    zend_bailout();
  }
  zval_ptr_dtor(&result);
  zval_ptr_dtor(&arguments[0]);
  zval_ptr_dtor(&arguments[1]);
  settle_exception();
  --handlers_running;
  telling_ = false;
}

void Events::tell_all() {
  // What ends the request may run no more code here.
  if (next_to_tell() == nullptr || leaves_the_request(EG(exception))) return;
  Aside aside;
  put_aside(aside);
  while (Events* const events = next_to_tell()) {
    if (!events->tell_next()) continue;
    // It keeps the locks, and them the events.
    zend_object* const manager = events->manager_;
    GC_ADDREF(manager);
    events->call(ObjectOf<std::shared_ptr<Locks>>::kept_by(manager));
    OBJ_RELEASE(manager);
    if (EG(exception) != nullptr) break;
  }
  put_back(aside);
  if (!interrupt_postponed || handlers_running > 0) return;
  interrupt_postponed = false;
  request_interrupt();
}

bool Events::postpones_interrupt() {
  if (handlers_running == 0) return false;
  interrupt_postponed = true;
  return true;
}

void Events::begin_request() {
  handlers_running = 0;
  interrupt_postponed = false;
}

bool find_handler(HashTable* options, Callable& handler) {
  ZVAL_UNDEF(&handler.copy);
  const zval* value =
      options == nullptr ? nullptr : zend_hash_str_find(options, ZEND_STRL("onEvent"));
  if (value == nullptr) return true;
  ZVAL_DEREF(value);
  if (Z_TYPE_P(value) == IS_NULL) return true;
  char* error = nullptr;
  const Judged judged = hold_callable(handler, value, error);
  if (judged == Judged::not_callable) {
    zend_argument_type_error(2, "must be valid: onEvent must be a callable or null: %s", error);
    efree(error);
  }
  return judged == Judged::callable;
}

}  // namespace redlock::php
