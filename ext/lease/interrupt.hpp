// Exceptions in the middle of running PHP code for leases that are lost.
//
// The thread that keeps leases asks the owner's thread for an interrupt of its VM, and there what
// is lost is thrown.
#pragma once
#include <atomic>

#include "border/zend.hpp"
#include "redlock/lease/renewal_scheduler.hpp"

namespace redlock::php {

class SharedLease;

// Of one lease whose loss is to be thrown, or told, once. Made, silenced and looked at by the
// owner's thread.
class LossAlarm final : public LossListener {
 public:
  // The lease must outlive its silence().
  explicit LossAlarm(SharedLease& of);
  LossAlarm(const LossAlarm&) = delete;
  LossAlarm& operator=(const LossAlarm&) = delete;

  void lost() noexcept override;
  // Nothing is thrown or told for it any more.
  void silence() noexcept;

  // That of one that was lost and not seen to yet, on this thread; null: there is none. It
  // is not given again.
  [[nodiscard]] static SharedLease* next_lost() noexcept;

 private:
  SharedLease& of_;
  zend_atomic_bool* const vm_interrupt_;
  std::atomic<bool>* const rung_;
  std::atomic<bool> lost_ = false;
  // The owner's: in its thread's list.
  LossAlarm* before_ = nullptr;
  LossAlarm* behind_ = nullptr;
  bool listed_ = true;
};

// Who asks for interrupts where PHP cannot bear them is told so, once in a process, in PHP's log.
void warn_of_jit();

// In MINIT, whose type of module it takes, and MSHUTDOWN. Ours comes before that of every extension
// that is loaded with PHP, whose exceptions it mends too.
void install_interrupts(int type);
void remove_interrupts();

}  // namespace redlock::php
