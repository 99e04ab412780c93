// A held lock that is made to end sooner: its token is rotated, and its deadline gets a successor.
//
// Its owner takes token and deadline for his own, and lets go of the old ones, before it begins:
// the deadline ends with the new ttl already. A signal handler may rotate what is being rotated:
// where the outer rotation fails, the inner one's deadline ends with it. One thread.
#pragma once
#include <memory>

#include "redlock/algorithm/operation.hpp"
#include "redlock/lease/lease_deadline.hpp"
#include "redlock/locks/lock_manager.hpp"

namespace redlock {

class LeaseRotation {
 public:
  // Borrows the manager. Throws what LockManager::begin_extend() throws, and what the entropy
  // throws; nothing is sent yet.
  LeaseRotation(LockManager& locks, const Resources& resources, const Token& held, Duration ttl,
                const std::shared_ptr<LeaseDeadline>& lease_deadline);

  // What is being asked about the old token will not be granted. Where this throws, the deadline
  // has ended; and it ends before anything is removed for the lock's sake. Of a lock that was
  // passed on by then nothing is removed.
  [[nodiscard]] OperationId begin();
  // Where it is not granted the deadline is over, unless somebody else has ended or replaced it,
  // and the lock is given back, unless it was passed on. So is it where this throws.
  Outcome collect();

  [[nodiscard]] OperationId id() const { return id_; }  // since it began
  [[nodiscard]] Duration ttl() const { return ttl_; }
  [[nodiscard]] const Token& held() const { return held_; }
  [[nodiscard]] const Token& fresh() const { return fresh_; }
  [[nodiscard]] const std::shared_ptr<LeaseDeadline>& lease_deadline() const {
    return lease_deadline_;
  }

 private:
  LockManager* locks_;
  Resources resources_;
  Duration ttl_;
  Token held_;
  Token fresh_;
  std::shared_ptr<LeaseDeadline> trust_until_then_;
  std::shared_ptr<LeaseDeadline> lease_deadline_;
  SharedCommand forget_held_;
  std::unique_ptr<Operation> operation_;  // until it has begun
  OperationId id_ = 0;
};

}  // namespace redlock
