// A lock that is held: what all Lease objects of one acquisition share.
//
// Made before the lock is asked for, so that nothing can stand between the grant and the one who
// gives it back. In a child of a fork it is dead: the lock is the parent's.
// Invariants: what is over stays over; nothing here waits for a server. One thread.
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
#include "redlock/lease/lease_deadline.hpp"
#include "redlock/lease/lease_rotation.hpp"
#include "redlock/os/clock.hpp"
#include "redlock/os/process.hpp"

namespace redlock::php {

class Hold {
 public:
  Hold(std::shared_ptr<Locks> locks, Resources resources, const LeaseTerms& terms)
      : locks_(std::move(locks)),
        resources_(std::move(resources)),
        terms_(terms),
        owner_(terms.owner),
        way_back_(1, UnsentRelease{resources_, {}}),
        told_(!locks_->events.telling()) {
    terms_.owner = {};
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() {
    end(End::transferred);
    leave_list();
  }

  // It is ours from now on. Where there is no memory for that, it is given back. The servers may
  // keep it until `told_until`.
  void begin(Token token, Instant taken_at, Instant valid_until, Instant told_until);
  // Others may be given it too, who ask for the same resource as the same owner.
  void make_reentrant(const std::shared_ptr<Hold>& self);
  [[nodiscard]] static std::shared_ptr<Hold> reentrant(const Locks& locks,
                                                       const Resources& resources,
                                                       std::string_view owner);
  // A lock that this thread holds on the same servers, and that nobody but it gives back; null:
  // there is none.
  [[nodiscard]] static Hold* held_here(const Locks& locks, const Resources& resources);
  // Has it kept alive, or its loss thrown, where `wanted` says so or it was before it was
  // shortened; while that is under way, from its end on. Throws std::bad_alloc, and
  // std::system_error where there is no thread to be had.
  void keep(const LeaseTerms& wanted);

  // For how long it may be trusted from now on.
  [[nodiscard]] Duration left();
  [[nodiscard]] bool live() { return left() > Duration(); }
  // Since it was taken, or attached. Requires that it is ours.
  [[nodiscard]] Duration held_for() { return clock_.now() - taken_at_; }
  // An extend was granted. False: it came too late.
  bool prolong(Instant until);
  // The servers are about to be told to keep it for so long.
  void note_told(Duration ttl) noexcept { lease_deadline_->note_told(ttl, clock_.now()); }
  // May a server keep it for longer than that, or the renewal thread extend it by more? Whoever was
  // given it too counts on what he was told: then it cannot be made shorter.
  [[nodiscard]] bool is_shorter(Duration ttl);

  // TokenRotation it, step by step. Changes nothing yet; throws what LeaseRotation's throws.
  void prepare_shortening(Duration ttl);
  // What it has taken for its own by the next step. Requires that it is prepared.
  [[nodiscard]] const Token& next_token() const { return next_->token; }
  // From now on it has that token and is trusted for so long at most, and nothing keeps it alive.
  void take_next_token() noexcept;
  // Signal handlers may shorten it further before this one is taken.
  [[nodiscard]] OperationId begin_shortening();
  Outcome collect_shortening(OperationId id);
  // No majority of the servers has it.
  void lose();

  enum class End { released, transferred };
  // Ends the deadline, and what keeps it; sends nothing.
  void end(End how);
  // Its release is on its way: to be told, where it was live until then.
  void note_release(const std::vector<ServerTrouble>& troubles = {}) noexcept;
  // Ends it, and sends its release without waiting for an answer; where there is no memory for
  // that, the manager's next call does, or its end.
  void give_back() noexcept;
  // The same of a release that may not have begun, once it has ended.
  void owe_release() noexcept;

  [[nodiscard]] bool forked() const { return fork_watch_.forked(); }
  [[nodiscard]] Locks& locks() const { return *locks_; }
  [[nodiscard]] const Resources& resources() const { return resources_; }
  [[nodiscard]] const Token& token() const { return token_; }
  // How often it has been given another one.
  [[nodiscard]] std::uint64_t token_number() const { return token_number_; }
  [[nodiscard]] Duration ttl() const { return terms_.ttl; }
  [[nodiscard]] const std::string& owner() const { return owner_; }
  [[nodiscard]] bool kept_at_end() const { return terms_.kept_at_end; }
  // Why it was lost, where that is known.
  [[nodiscard]] Loss loss() const { return lease_deadline_ ? lease_deadline_->loss() : Loss::none; }
  [[nodiscard]] bool kept_alive() const { return extends_; }
  // Its loss is thrown in the middle of PHP code.
  [[nodiscard]] bool interrupts() const { return interrupts_; }

  // Something became of it that is to be told; of a call, with the servers' troubles.
  void note(const char* event, std::optional<Duration> waited = {},
            const std::vector<ServerTrouble>& troubles = {}, std::string_view reason = {}) noexcept;

  // The Lease objects that have a part in it.
  std::vector<zend_object*> users;
  // One of them passed it on, so that the last one is not to release it unasked.
  [[nodiscard]] bool transferred() const { return transferred_; }
  void note_transferred() noexcept;

 private:
  // A shortening that has not begun.
  struct Next {
    LeaseRotation rotation;
    Token token;
  };
  void join_list();
  void leave_list();
  void note_loss();
  // What kept the thread from extending it.
  void add_faults(std::vector<ServerTrouble>& troubles) const;
  [[nodiscard]] bool is_being_shortened() const;

  const std::shared_ptr<Locks> locks_;
  const Resources resources_;
  LeaseTerms terms_;
  const std::string owner_;
  OutboxEntry way_back_;  // until it is owed
  const bool told_;       // to the manager's handler
  ForkWatch fork_watch_;
  SystemClock clock_;
  Token token_;
  std::uint64_t token_number_ = 0;
  std::optional<Next> next_;
  std::vector<LeaseRotation> rotations_;  // under way, one inside the other
  Instant taken_at_;
  Instant ttl_from_;  // as if it had been taken then, by its present ttl
  std::shared_ptr<LeaseDeadline> lease_deadline_;  // null until it is ours
  std::shared_ptr<LossAlarm> alarm_;
  bool known_to_renewal_ = false;
  // What is wanted of the renewal thread, also while it is being shortened.
  bool extends_ = false;
  bool interrupts_ = false;
  bool transferred_ = false;
  bool ended_ = false;
  bool loss_noted_ = false;
  std::optional<Duration> left_at_release_;
  // In its thread's list of locks that are held or were.
  bool listed_ = false;
  Hold* before_ = nullptr;
  Hold* behind_ = nullptr;
};

// "the lease on 'r' is lost: …": why it can be relied on no more.
[[nodiscard]] std::string describe_end(const Hold& hold, bool given_back);

}  // namespace redlock::php
