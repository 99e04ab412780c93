// How long a lease may be trusted: what its owner and the thread that keeps it alive both know. And
// for how long the servers may keep its lock, which is longer where their answers were lost.
//
// Invariant: a deadline that is over stays over, whoever noticed first, for its owner may have been
// told. All instants are the system clock's. Any thread, but for its successors: the owner's alone.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "redlock/algorithm/outcome.hpp"
#include "redlock/algorithm/renewal.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/algorithm/validity.hpp"

namespace redlock {

class LeaseDeadline {
 public:
  // Where it is not known what the servers were told, they may keep it for ever.
  explicit LeaseDeadline(Instant until, Instant told_until = Instant::never()) noexcept
      : until_ns_(until.since_epoch_ns()), told_until_ns_(told_until.since_epoch_ns()) {}
  LeaseDeadline(const LeaseDeadline&) = delete;
  LeaseDeadline& operator=(const LeaseDeadline&) = delete;

  // Of one that nobody has asked yet: from now on until then.
  void begin(Instant until, Instant told_until) noexcept {
    until_ns_.store(until.since_epoch_ns());
    told_until_ns_.store(told_until.since_epoch_ns());
  }
  // What is left of it; nothing where it is over. Who was told nothing once is told nothing for
  // good.
  [[nodiscard]] Duration left(Instant now) noexcept {
    std::int64_t until_ns = until_ns_.load();
    while (until_ns > kOver) {
      if (now.since_epoch_ns() < until_ns) return Instant::from_ns(until_ns) - now;
      if (until_ns_.compare_exchange_weak(until_ns, kOver)) break;
    }
    return {};
  }
  // Until when it lasts; Instant() where it is over.
  [[nodiscard]] Instant until() const noexcept {
    return Instant::from_ns(std::max(until_ns_.load(), kOver));
  }
  // Never shortens it. False where it is over.
  bool prolong(Instant until, Instant now) noexcept {
    std::int64_t until_ns = until_ns_.load();
    for (;;) {
      // What is over, however it came to that, was over before any moment of the clock.
      if (now.since_epoch_ns() >= until_ns) return false;
      const std::int64_t later_ns = std::max(until_ns, until.since_epoch_ns());
      if (until_ns_.compare_exchange_weak(until_ns, later_ns)) return true;
    }
  }
  // The servers are about to be told this ttl; one that is too long is told nobody.
  void note_told(Duration ttl, Instant now) noexcept {
    if (ttl > kTtlMax) return;
    const std::int64_t until_ns = (now + ttl).since_epoch_ns();
    std::int64_t told_ns = told_until_ns_.load();
    while (told_ns < until_ns && !told_until_ns_.compare_exchange_weak(told_ns, until_ns)) {
    }
  }
  // May a server keep the lock for longer than that?
  [[nodiscard]] bool may_outlast(Duration ttl, Instant now) const noexcept {
    return (now + ttl).since_epoch_ns() < told_until_ns_.load();
  }

  // Its owner releases the lock: nothing of it may be left on the servers, nor come there again.
  void end() noexcept { until_ns_.store(kReleased); }
  [[nodiscard]] bool released() const noexcept { return until_ns_.load() == kReleased; }
  // Its owner trusts the votes of another token from now on: nothing is extended or repaired for
  // these any more. But he rests on them until a majority has given him those, and then ends it.
  void supersede() noexcept { until_ns_.store(kSuperseded); }
  [[nodiscard]] bool superseded() const noexcept { return until_ns_.load() == kSuperseded; }
  // It is over for its owner, but the lock lives on without it: its votes are good ones.
  void transfer() noexcept { until_ns_.store(kTransferred); }
  [[nodiscard]] bool transferred() const noexcept { return until_ns_.load() == kTransferred; }
  // The same while its owner trusts it further: others may do so too from now on.
  void share() noexcept { shared_.store(true); }
  // Others may trust in its votes, whatever becomes of this.
  [[nodiscard]] bool lives_on() const noexcept {
    if (shared_.load() || transferred()) return true;
    return successor_ && (successor_->until_ns_.load() > kOver || successor_->lives_on());
  }
  // Over by a loss, unless it was over before.
  void lose(Loss why) noexcept {
    std::int64_t until_ns = until_ns_.load();
    while (until_ns > kOver) {
      if (until_ns_.compare_exchange_weak(until_ns, kOver)) return loss_.store(why);
    }
  }
  // What its owner trusts instead from now on, for the sake of the same votes; null: not of them
  // any more, for a majority has given it others.
  void set_successor(std::shared_ptr<LeaseDeadline> successor) noexcept {
    successor_ = std::move(successor);
  }
  // Over by a loss, and so is what was to follow.
  void lose_with_successors(Loss why) noexcept {
    lose(why);
    if (successor_) successor_->lose_with_successors(why);
  }
  // Why it is over, where the one who keeps it knew first; none otherwise.
  [[nodiscard]] Loss loss() const noexcept { return loss_.load(); }
  // What the servers said to the latest extend of the one who keeps it, one entry a server.
  void note_faults(const std::vector<NodeReport>& nodes) noexcept {
    for (std::size_t i = 0; i < nodes.size(); ++i) faults_[i].store(nodes[i].reply.fault);
  }
  // Requires that there are so many servers.
  [[nodiscard]] Fault fault_of(std::size_t server) const noexcept { return faults_[server].load(); }

 private:
  static constexpr std::int64_t kOver = 0;
  static constexpr std::int64_t kReleased = -1;
  static constexpr std::int64_t kTransferred = -2;
  static constexpr std::int64_t kSuperseded = -3;

  std::atomic<std::int64_t> until_ns_;
  std::atomic<std::int64_t> told_until_ns_;
  std::atomic<Loss> loss_ = Loss::none;
  std::atomic<bool> shared_ = false;
  std::array<std::atomic<Fault>, kNodesMax> faults_{};
  std::shared_ptr<LeaseDeadline> successor_;
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);
};

}  // namespace redlock
