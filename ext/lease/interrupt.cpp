// A thread's list of alarms, and what the VM calls when it is interrupted.
#include "lease/interrupt.hpp"

#include "border/exceptions.hpp"
#include "border/guard.hpp"
#include "border/jit.hpp"
#include "border/text.hpp"
#include "border/throw_place.hpp"
#include "lease/shared_lease.hpp"

namespace redlock::php {

namespace {

thread_local LossAlarm* first_alarm = nullptr;
// One of them may be lost.
thread_local std::atomic<bool> any_rung = false;

void (*interrupt_of_others)(zend_execute_data*) = nullptr;

// What is thrown already stays in front: its handler was written for it. The loss is behind it.
void throw_behind(zend_object* pending, const char* message) {
  EG(exception) = nullptr;
  zend_throw_exception(lease_lost_exception_class, message, 0);
  zend_object* const loss = EG(exception);
  EG(exception) = pending;
  zend_exception_set_previous(pending, loss);
}

void throw_losses() {
  char message[256];
  while (SharedLease* const lease = LossAlarm::next_lost()) {
    // Counts it, and notes it for those who are told.
    (void)lease->left();
    if (!lease->interrupts()) continue;
    if (!guarded({}, [&] { park(message, describe_end(*lease, false)); })) return;
    if (EG(exception) == nullptr) {
      zend_throw_exception(lease_lost_exception_class, message, 0);
    } else if (!zend_is_unwind_exit(EG(exception)) && !zend_is_graceful_exit(EG(exception))) {
      throw_behind(EG(exception), message);
    }
  }
}

zend_result (*post_startup_of_others)() = nullptr;

void serve(zend_execute_data* frame) {
  if (interrupt_of_others != nullptr) interrupt_of_others(frame);
  // Never asks for another interrupt: while an exception is pending the VM would come back here at
  // once, and never to its handler. Where no code runs there is nothing to throw into.
  if (EG(current_execute_data) == nullptr) return;
  if (any_rung) {
    any_rung = false;
    throw_losses();
  }
  Events::tell_all();
}

[[gnu::noinline]] void serve_for(const void* asker, zend_execute_data* frame) {
  if (Events::postpones_interrupt()) return;
  const ThrowPlace place(frame, asker);
  serve(frame);
  place.settle();
}

// Nothing else, so that no compiler splits it, and the address stays that of its caller.
void interrupted(zend_execute_data* frame) { serve_for(__builtin_return_address(0), frame); }

zend_result install() {
  interrupt_of_others = zend_interrupt_function;
  zend_interrupt_function = interrupted;
  return post_startup_of_others != nullptr ? post_startup_of_others() : SUCCESS;
}

}  // namespace

LossAlarm::LossAlarm(SharedLease& of)
    : of_(of), vm_interrupt_(&EG(vm_interrupt)), rung_(&any_rung), behind_(first_alarm) {
  if (behind_ != nullptr) behind_->before_ = this;
  first_alarm = this;
}

void LossAlarm::lost() noexcept {
  lost_ = true;
  *rung_ = true;
  zend_atomic_bool_store_ex(vm_interrupt_, true);
}

void LossAlarm::silence() noexcept {
  if (!listed_) return;
  listed_ = false;
  (before_ != nullptr ? before_->behind_ : first_alarm) = behind_;
  if (behind_ != nullptr) behind_->before_ = before_;
}

SharedLease* LossAlarm::next_lost() noexcept {
  for (LossAlarm* alarm = first_alarm; alarm != nullptr; alarm = alarm->behind_) {
    if (!alarm->lost_) continue;
    alarm->silence();
    // In a child it was the parent's.
    if (!alarm->of_.lock().forked()) return &alarm->of_;
  }
  return nullptr;
}

void warn_of_jit() {
  static std::atomic_flag told;
  const bool heard = (EG(error_reporting) & E_CORE_WARNING) != 0;
  if (!heard || !jit_is_on() || told.test_and_set()) return;
  zend_error(
      E_CORE_WARNING,
      "RedLock\\LockManager: the option interrupt is unsafe while opcache.jit is on: PHP's machine "
      "code may skip the exception, or crash, in %s:%u",
      zend_get_executed_filename(), zend_get_executed_lineno());
}

void install_interrupts(int type) {
  if (type == MODULE_TEMPORARY) return (void)install();
  post_startup_of_others = zend_post_startup_cb;
  zend_post_startup_cb = install;
}

void remove_interrupts() {
  if (zend_interrupt_function == interrupted) zend_interrupt_function = interrupt_of_others;
}

}  // namespace redlock::php
