// A lock that is held: its token, until when it may be relied on, what extends it, and its way
// back.
//
// Made before the lock is asked for, with all that it takes, so that nothing can stand between the
// grant and the one who gives it back. In a child of a fork it is dead: the lock is the parent's.
// Its owner asks the servers and waits for them; what came of it is told here. An owner's signal
// handlers may extend, rotate, share or end it while a call about it, or a rotation, is under way.
// Invariants: what is over stays over; nothing here waits for a server, but a release, seldom. One
// thread.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "redlock/lease/lease_deadline.hpp"
#include "redlock/lease/lease_rotation.hpp"
#include "redlock/lease/release_outbox.hpp"
#include "redlock/lease/renewal_thread.hpp"
#include "redlock/locks/lock_manager.hpp"
#include "redlock/os/process.hpp"

namespace redlock {

// What the leases of one manager go on using; it must outlive them.
struct LeaseContext {
  LockManager& locks;
  ReleaseOutbox& outbox;
  RenewalThread& renewal;
};

class HeldLock {
 public:
  HeldLock(const LeaseContext& context, Resources resources, Duration ttl,
           LockMode mode = LockMode::exclusive);
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;

  // It is ours from now on: the servers granted it a moment ago, for its ttl.
  // Where it is a slot's, that is what it is about from now on.
  void begin(Token token, Instant until, std::optional<std::int64_t> fence = {},
             std::optional<Resources> slot = {}) noexcept;
  // The same of one that was taken elsewhere: for how long its servers keep it is not known.
  void attach(Token token, Instant until, std::optional<std::int64_t> fence = {}) noexcept;
  [[nodiscard]] bool begun() const { return !token_.empty(); }

  // For how long it may be relied on from now on; nothing before it has begun.
  [[nodiscard]] Duration left() noexcept;
  [[nodiscard]] bool forked() const { return fork_watch_.forked(); }
  [[nodiscard]] const Resources& resources() const { return resources_; }
  [[nodiscard]] const Token& token() const { return token_; }
  // Where it came with one: larger than that of every earlier holder; see algorithm/fence.
  [[nodiscard]] std::optional<std::int64_t> fence() const { return fence_; }
  [[nodiscard]] Duration ttl() const { return ttl_; }
  // When it was taken, or attached.
  [[nodiscard]] Instant taken_at() const { return taken_at_; }
  [[nodiscard]] const LeaseDeadline& deadline() const { return *deadline_; }
  // Whether others may share it with us.
  [[nodiscard]] LockMode mode() const { return mode_; }

  // The servers are about to be told to keep it for so long.
  void note_told(Duration ttl) noexcept { deadline_->note_told(ttl, now()); }
  // An extend was granted. False: it came too late.
  [[nodiscard]] bool prolong(Instant until) noexcept;
  // From now on it is renewed by this ttl, as if its latest extend had been the take.
  void set_ttl(Duration ttl) noexcept;
  // False: no majority has said that the lock is not ours. Else it is lost.
  bool note_denial(const Outcome& outcome) noexcept;
  // Others are given it too, and count on what they are told; for them it lives on.
  void share() noexcept;
  [[nodiscard]] bool is_shared() const { return shared_; }

  // The renewal thread extends it until then, or not at all, and tells of its loss. Throws what
  // RenewalThread::keep() throws, and then nothing has changed. Requires that it is not being
  // rotated.
  void begin_renewal(std::optional<Instant> renew_until, std::shared_ptr<LossListener> listener);
  // The same is wanted once it is not being rotated any more, or not at all.
  void want_extends(bool wanted) noexcept { extends_ = wanted; }
  void end_renewal() noexcept;
  [[nodiscard]] bool is_renewed() const { return renewed_; }
  // It is extended, also where a rotation has interrupted that.
  [[nodiscard]] bool extends() const { return extends_; }

  // May a server keep it for longer than that, or the renewal thread extend it by more? Whoever was
  // given it too counts on what he was told: then it cannot be made shorter.
  [[nodiscard]] bool is_shorter(Duration ttl) const noexcept;
  // Its rotation, step by step. Changes nothing yet; throws what LeaseRotation's throws.
  void prepare_rotation(Duration ttl);
  // What it has taken for its own by the next step. Requires that it is prepared.
  [[nodiscard]] const Token& next_token() const { return next_->token; }
  // From now on it has that token and is trusted for so long at most, and nothing keeps it alive.
  void take_next_token() noexcept;
  // Signal handlers may rotate it further before this one is collected. Where this throws it has
  // the old token again.
  [[nodiscard]] OperationId begin_rotation();
  Outcome collect_rotation(OperationId id);
  // An extend of the fresh token could be there before it.
  [[nodiscard]] bool is_being_rotated() const;
  // How often it has been given another token.
  [[nodiscard]] std::uint64_t token_number() const { return token_number_; }

  // Its promotion from shared to exclusive, step by step; it goes on being held, and may be
  // extended, meanwhile. Requires that none is prepared or under way, that it is held in shared
  // mode, and that nobody else was given it (is_shared()). Changes nothing yet; throws what
  // LockManager::begin_promotion() throws.
  void prepare_promotion(Duration ttl, bool fence);
  [[nodiscard]] OperationId begin_promotion();
  // Granted: it is exclusive, has another token and a deadline of its own, for that ttl, and
  // nothing keeps it alive. Else it is what it was, unless is_lost_promotion().
  Outcome collect_promotion(OperationId id);
  // It is shared from now on, whatever comes of the operation; under the same token and deadline.
  // Requires that it is held exclusively and that nobody else was given it.
  [[nodiscard]] OperationId begin_demotion();
  Outcome collect_demotion(OperationId id);

  enum class End { released, transferred };
  // Ends the deadline, and what extends it; sends nothing. Once.
  void end(End how) noexcept;
  [[nodiscard]] bool ended() const { return ended_; }
  // Sends its release without waiting for an answer; where there is no memory for that, the
  // outbox's next turn does. Once. Requires that it has ended.
  void send_release() noexcept;
  // That turn, where its release may not have begun.
  void owe_release() noexcept;

 private:
  // A rotation that has not begun, and its token; that before it, once the lock has that.
  struct Next {
    LeaseRotation rotation;
    Token token;
  };
  // A promotion that has not been collected.
  struct Promotion {
    Duration ttl;
    bool fence;
    Token held;
    std::shared_ptr<LeaseDeadline> deadline;  // its own, once it is granted
  };
  void take_promoted(Promotion&& promotion, Outcome& outcome) noexcept;
  [[nodiscard]] Instant now() const { return context_.locks.pool().clock().now(); }
  // As if it had been taken by its ttl.
  [[nodiscard]] Instant taken_before(Instant until) const;
  void stop_renewal() noexcept;

  const LeaseContext context_;
  Resources resources_;
  const ForkWatch fork_watch_;
  Token token_;
  std::uint64_t token_number_ = 0;
  std::optional<std::int64_t> fence_;
  LockMode mode_;
  Duration ttl_;
  Instant ttl_from_;  // as if it had been taken then, by its present ttl
  Instant taken_at_;
  std::shared_ptr<LeaseDeadline> deadline_;  // over until it has begun
  OutboxEntry way_back_;                     // until it is owed
  std::optional<Next> next_;
  std::vector<LeaseRotation> rotations_;  // under way, one inside the other
  std::optional<Promotion> promotion_;
  bool renewed_ = false;                    // known to the renewal thread
  std::optional<Instant> renew_until_;      // by the latest begin_renewal()
  std::shared_ptr<LossListener> listener_;  // the same
  bool extends_ = false;
  bool shared_ = false;
  bool ended_ = false;
};

}  // namespace redlock
