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
#include "redlock/runtime/clock.hpp"
#include "redlock/runtime/process.hpp"
#include "redlock/runtime/trust.hpp"

namespace redlock::php {

class Hold {
 public:
  Hold(std::shared_ptr<Locks> locks, Resources resources, const LeaseTerms& terms)
      : locks_(std::move(locks)),
        resources_(std::move(resources)),
        terms_(terms),
        owner_(terms.owner),
        told_(!locks_->events.telling()) {
    terms_.owner = {};
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() { end(End::passed_on); }

  // It is ours from now on. Where there is no memory for that, it is given back.
  void begin(Token token, Instant taken_at, Instant trusted_until);
  // Others may be given it too, who ask for the same resource as the same owner.
  void make_reentrant(const std::shared_ptr<Hold>& self);
  [[nodiscard]] static std::shared_ptr<Hold> reentrant(const Locks& locks,
                                                       const Resources& resources,
                                                       std::string_view owner);
  // Has it kept alive, or its loss thrown, where `wanted` says so. Throws std::bad_alloc, and
  // std::system_error where there is no thread to be had.
  void keep(const LeaseTerms& wanted);

  // For how long it may be trusted from now on.
  [[nodiscard]] Duration left();
  [[nodiscard]] bool live() { return left() > Duration(); }
  // An extend was granted. False: it came too late.
  bool prolong(Instant until);
  // A majority of the servers says that it is not ours.
  void lose();

  enum class End { released, passed_on };
  // Ends the trust, and what keeps it; sends nothing.
  void end(End how);
  // Its release is on its way: to be told, where it was live until then.
  void note_release() noexcept;
  // Ends it, and sends its release without waiting for an answer.
  void give_back() noexcept;

  [[nodiscard]] bool forked() const { return fork_watch_.forked(); }
  [[nodiscard]] Locks& locks() const { return *locks_; }
  [[nodiscard]] const Resources& resources() const { return resources_; }
  [[nodiscard]] const Token& token() const { return token_; }
  [[nodiscard]] Duration ttl() const { return terms_.ttl; }
  [[nodiscard]] const std::string& owner() const { return owner_; }
  [[nodiscard]] bool kept_at_end() const { return terms_.kept_at_end; }
  // Why it was lost, where that is known.
  [[nodiscard]] Loss loss() const { return trust_ ? trust_->loss() : Loss::none; }
  [[nodiscard]] bool kept_alive() const { return extends_; }
  // Its loss is thrown in the middle of PHP code.
  [[nodiscard]] bool interrupts() const { return interrupts_; }

  // Something became of it that is to be told; of a call, with the servers' troubles.
  void note(const char* event, std::optional<Duration> waited = {},
            const std::vector<ServerTrouble>& troubles = {}, std::string_view reason = {}) noexcept;

  // The Lease objects that have a part in it.
  std::size_t users = 0;
  // One of them passed it on, so that the last one is not to release it unasked.
  bool passed_on = false;

 private:
  void note_loss();
  [[nodiscard]] bool known_to_keeper() const { return extends_ || alarm_; }

  const std::shared_ptr<Locks> locks_;
  const Resources resources_;
  LeaseTerms terms_;
  const std::string owner_;
  const bool told_;  // to the manager's handler
  ForkWatch fork_watch_;
  SystemClock clock_;
  Token token_;
  Instant taken_at_;
  std::shared_ptr<Trust> trust_;  // null until it is ours
  std::shared_ptr<LossAlarm> alarm_;
  bool extends_ = false;  // the keeper extends it
  bool interrupts_ = false;
  bool ended_ = false;
  bool loss_noted_ = false;
  std::optional<Duration> left_at_release_;
};

// "the lease on 'r' is lost: …": why it can be relied on no more.
[[nodiscard]] std::string describe_end(const Hold& hold, bool given_back);

}  // namespace redlock::php
