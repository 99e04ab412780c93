// Who trusts what while a token is rotated.
#include "redlock/lease/lease_rotation.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/token_rotation.hpp"
#include "redlock/locks/server_plan.hpp"

namespace redlock {

LeaseRotation::LeaseRotation(LockManager& locks, const Resources& resources, const Token& held,
                             Duration ttl, const std::shared_ptr<LeaseDeadline>& lease_deadline)
    : locks_(&locks),
      resources_(resources),
      ttl_(ttl),
      held_(held),
      trust_until_then_(lease_deadline) {
  check_resources(resources);
  check_token(held);
  const LockPlan& plan = *locks.plan();
  check_ttl(ttl, plan.options);
  const auto kind = std::make_shared<const QuorumKind>(resources, ttl, plan.options.drift_factor,
                                                       std::string(owner_of(held)));
  fresh_ = kind->fresh_token(locks.pool().entropy());
  forget_held_ = std::make_shared<const Command>(kind->release(held));
  const Instant now = locks.pool().clock().now();
  lease_deadline_ = std::make_shared<LeaseDeadline>(
      std::min(now + kind->validity(Duration()), lease_deadline->until()), now + ttl);
  operation_ = std::make_unique<TokenRotation>(plan.servers.answer_times(), kind, held, fresh_,
                                               [lowered = lease_deadline_](Loss why) noexcept {
                                                 lowered->lose_with_successors(why);
                                                 return !lowered->lives_on();
                                               });
}

OperationId LeaseRotation::begin() {
  locks_->pool().give_up(held_);
  trust_until_then_->set_successor(lease_deadline_);
  try {
    id_ = locks_->begin(std::move(operation_), fresh_);
    return id_;
  } catch (...) {
    lease_deadline_->lose(Loss::silence);
    trust_until_then_->end();
    // Whoever gives the lock back from now on names the fresh token.
    locks_->forget(resources_, held_);
    throw;
  }
}

Outcome LeaseRotation::collect() {
  Outcome outcome;
  try {
    outcome = locks_->collect_extension(id_);
  } catch (...) {
    lease_deadline_->lose(Loss::silence);
    throw;
  }
  const bool granted = outcome.decision == Decision::granted;
  if (granted || outcome.decision == Decision::expired_unclaimed) {
    // Whoever hands it to the old token yet is to be told that nobody wants it.
    locks_->pool().note_given_up(forget_held_);
    // A majority has given it votes of its own.
    trust_until_then_->set_successor(nullptr);
    trust_until_then_->end();
    const Instant now = outcome.decided_at;
    if (granted) (void)lease_deadline_->prolong(now + outcome.validity, now);
    // A handler may have extended it beyond its short ttl, or released it.
    outcome.validity = lease_deadline_->left(now);
    outcome.decision =
        outcome.validity > Duration() ? Decision::granted : Decision::expired_unclaimed;
  }
  if (outcome.decision == Decision::granted) return outcome;
  lease_deadline_->lose(Loss::silence);
  if (!lease_deadline_->lives_on()) trust_until_then_->end();
  // The machine has left the fresh token on the servers, maybe behind a release that found none.
  if (!outcome.token.empty() && !lease_deadline_->lives_on()) locks_->forget(resources_, fresh_);
  return outcome;
}

}  // namespace redlock
