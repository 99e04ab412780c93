// The PHP object Lease: a part in a lock that is held.
//
// The lock is released when the object is freed, not when it is destructed: after a fatal error PHP
// calls no destructors but frees every object. The request is ending when PHP has said so and no
// code runs: a shutdown function that unsets a lease is not the end.
#pragma once
#include <memory>

#include "border/object.hpp"
#include "border/zend.hpp"
#include "lease/shared_lease.hpp"
#include "quorum/call.hpp"

namespace redlock::php {

// Behind one Lease object. When that goes, its part in the lock goes too, and with the last part
// the lock.
class LeaseState {
 public:
  LeaseState(std::shared_ptr<SharedLease> shared, zend_object* object)
      : shared_(std::move(shared)), object_(object) {
    shared_->users.push_back(object);
  }
  LeaseState(const LeaseState&) = delete;
  LeaseState& operator=(const LeaseState&) = delete;
  // Whoever says so wants it to outlive the request.
  ~LeaseState() {
    go();
    zval_ptr_dtor(&resource_);
    zval_ptr_dtor(&errors_);
  }

  // What its property shows, a string or an int; undefined before it has a name. The property
  // itself is not read: array_walk() and ArrayObject write to readonly ones.
  [[nodiscard]] zval* resource() { return &resource_; }
  void set_resource(const zval* resource) { ZVAL_COPY(&resource_, resource); }

  // Where acquire() returns it to: what takes it there and lets it go at once gives the lock back.
  void note_returned(zend_execute_data* to) noexcept {
    returned_to_ = to;
    returned_at_ = to->opline;
  }
  // Now, as its object goes: that is so.
  [[nodiscard]] bool dies_unused() const noexcept;

  [[nodiscard]] SharedLease& shared() const { return *shared_; }
  [[nodiscard]] Duration left() { return over_ ? Duration() : shared_->left(); }
  [[nodiscard]] bool live() { return left() > Duration(); }
  // Why it is not live.
  [[nodiscard]] std::string describe_end() const { return php::describe_end(*shared_, over_); }

  // What servers had against the latest question of this object: those of others through the same
  // manager, in handlers of signals and events too, leave it alone. Undefined: nothing.
  [[nodiscard]] const zval* errors() const { return &errors_; }
  // Both may run code of others, as PHP collects garbage when an array is let go of.
  void forget_errors() noexcept;
  void note_errors(const QuorumState& state);

  // The object goes.
  void go() noexcept;
  // Gives the part back, without waiting for an answer. A second time does nothing.
  void give_back() noexcept;
  // The same where the last part's release is sent by the caller: true then.
  [[nodiscard]] bool begin_release();
  // Ends the part while the lock lives on.
  void transfer() noexcept;

 private:
  [[nodiscard]] static bool request_ends();
  void set_errors(const zval& errors) noexcept;
  // True: it was the last part.
  bool leave() noexcept;

  const std::shared_ptr<SharedLease> shared_;
  zend_object* const object_;
  zval resource_{};
  zval errors_{};
  bool over_ = false;
  zend_execute_data* returned_to_ = nullptr;  // only compared
  const zend_op* returned_at_ = nullptr;
};

using LeaseObject = ObjectOf<LeaseState>;
extern zend_class_entry* lease_class;

// An object without a lock: `into` is one until its state is set.
void make_lease(zval* into);
// The manager has to live as long as the lease where somebody is told what becomes of that.
void keep_manager(const zval* lease, const Locks& locks);
// Its properties are set, once the lock is its own.
void name_lease(const zval* lease, const zval* resource);
// The lock has another token: all objects that have a part in it are to show that.
void rename_leases(const SharedLease& lease, zend_string* token) noexcept;
// The same of another fence.
void renumber_leases(const SharedLease& lease) noexcept;
// Has it kept alive as the terms say. False: it was given back, and an exception is pending.
[[nodiscard]] bool keep_lease(const zval* lease, const LeaseTerms& terms);

}  // namespace redlock::php
