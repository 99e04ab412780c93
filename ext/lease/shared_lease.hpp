// A lock that is held, as PHP has it: what all Lease objects of one acquisition share.
//
// The lock itself is lease/held_lock's affair. This is the list of a thread's locks, who may be
// given one once more, and what is counted, told and thrown when it goes. Made before the lock is
// asked for. One thread.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lease/interrupt.hpp"
#include "lease/locks.hpp"
#include "lease/options.hpp"
#include "redlock/lease/held_lock.hpp"

namespace redlock::php {

class SharedLease final : public LockChange, public std::enable_shared_from_this<SharedLease> {
 public:
  SharedLease(std::shared_ptr<Locks> locks, Resources resources, const LeaseTerms& terms);
  SharedLease(const SharedLease&) = delete;
  SharedLease& operator=(const SharedLease&) = delete;
  ~SharedLease();

  // Others may be given it too, who ask for the same resource in the same mode as the same owner.
  void make_reentrant();
  [[nodiscard]] static std::shared_ptr<SharedLease> reentrant(const Locks& locks,
                                                              const Resources& resources,
                                                              std::string_view owner,
                                                              LockMode mode);
  // A lock that this thread holds on the same servers, that nobody but it gives back and that is in
  // the way of another one of this mode; null: there is none.
  [[nodiscard]] static SharedLease* held_here(const Locks& locks, const Resources& resources,
                                              LockMode mode, const SharedLease* but = nullptr);
  // Has it kept alive, or its loss thrown, where `wanted` says so or it was before it was
  // shortened; while that is under way, from its end on. Throws std::bad_alloc, and
  // std::system_error where there is no thread to be had.
  void keep(const LeaseTerms& wanted);

  // For how long it may be trusted from now on. What is over is counted, and told.
  [[nodiscard]] Duration left() noexcept;
  [[nodiscard]] bool live() { return left() > Duration(); }
  // Since it was taken, or attached. Requires that it is ours.
  [[nodiscard]] Duration held_for() const { return now() - lock_.taken_at(); }
  // An extend was granted. False: it came too late.
  [[nodiscard]] bool prolong(Instant until) { return live() && lock_.prolong(until); }
  // Where no majority of the servers has it, it is lost.
  void note_denial(const Outcome& outcome) noexcept;
  // Its Lease objects show the next token, which is `shown`, from the moment on when the lock has
  // it; nothing is thrown or told of the renewal before.
  void show_next(zend_string* shown) { next_shown_ = shown; }
  OperationId begin_change() override;
  Outcome collect_change(OperationId id) override { return lock_.collect_rotation(id); }

  // It has become exclusive: its Lease objects show its token and fence, and nothing is thrown or
  // told of the renewal before.
  void show_promotion();
  // A promotion is asked for.
  bool promoting = false;

  // Ends the deadline, and what keeps it; sends nothing.
  void end(HeldLock::End how) noexcept;
  // Its release is on its way: to be told, where it was live until then.
  void note_release(const std::vector<ServerTrouble>& troubles = {}) noexcept;
  // Ends it, and sends its release without waiting for an answer; where there is no memory for
  // that, the manager's next call does, or its end.
  void give_back() noexcept;

  // What is asked and said of the lock itself: nothing of that is counted or told.
  [[nodiscard]] HeldLock& lock() { return lock_; }
  [[nodiscard]] const HeldLock& lock() const { return lock_; }
  [[nodiscard]] Locks& locks() const { return *locks_; }
  [[nodiscard]] const Resources& resources() const { return lock_.resources(); }
  [[nodiscard]] const std::string& owner() const { return owner_; }
  [[nodiscard]] bool kept_at_end() const { return kept_at_end_; }
  // Its loss is thrown in the middle of PHP code.
  [[nodiscard]] bool interrupts() const { return interrupts_; }

  // Something became of it that is to be told; of a call, with the servers' troubles.
  void note(const char* event, std::optional<Duration> waited = {},
            const std::vector<ServerTrouble>& troubles = {}, std::string_view reason = {}) noexcept;

  // The Lease objects that have a part in it.
  std::vector<zend_object*> users;
  // One of them passed it on, so that the last one is not to release it unasked.
  void note_transferred() noexcept;

 private:
  [[nodiscard]] Instant now() const { return locks_->manager.pool().clock().now(); }
  void note_loss() noexcept;
  // What kept the thread from extending it.
  void add_faults(std::vector<ServerTrouble>& troubles) const;

  const std::shared_ptr<Locks> locks_;
  HeldLock lock_;
  const std::string owner_;
  const bool kept_at_end_;
  const bool told_;  // to the manager's handler
  std::shared_ptr<LossAlarm> alarm_;
  bool interrupts_ = false;  // also while it is being shortened
  bool loss_noted_ = false;
  std::optional<Duration> left_at_release_;
  zend_string* next_shown_ = nullptr;  // borrowed, while a rotation begins
  // In its thread's list of locks that are held, or are not yet or no more.
  SharedLease* before_ = nullptr;
  SharedLease* behind_;
};

// "the lease on 'r' is lost: …": why it can be relied on no more.
[[nodiscard]] std::string describe_end(const SharedLease& lease, bool given_back);

}  // namespace redlock::php
