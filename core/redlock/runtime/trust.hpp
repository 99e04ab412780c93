// How long a lease may be trusted: what its owner and the thread that keeps it alive both know.
//
// Invariant: trust that is over stays over, whoever noticed first, for its owner may have been
// told. All instants are the system clock's. Any thread.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "redlock/algorithm/renewal.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

class Trust {
 public:
  explicit Trust(Instant until) noexcept : until_ns_(until.since_epoch_ns()) {}
  Trust(const Trust&) = delete;
  Trust& operator=(const Trust&) = delete;

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
  // Its owner releases the lock: nothing of it may be left on the servers, nor come there again.
  void end() noexcept { until_ns_.store(kReleased); }
  [[nodiscard]] bool released() const noexcept { return until_ns_.load() == kReleased; }
  // It is over for its owner, but the lock lives on without it: its votes are good ones.
  void pass_on() noexcept { until_ns_.store(kPassedOn); }
  [[nodiscard]] bool passed_on() const noexcept { return until_ns_.load() == kPassedOn; }
  // Over by a loss, unless it was over before.
  void lose(Loss why) noexcept {
    std::int64_t until_ns = until_ns_.load();
    while (until_ns > kOver) {
      if (until_ns_.compare_exchange_weak(until_ns, kOver)) return loss_.store(why);
    }
  }
  // Why it is over, where the one who keeps it knew first; none otherwise.
  [[nodiscard]] Loss loss() const noexcept { return loss_.load(); }

 private:
  static constexpr std::int64_t kOver = 0;
  static constexpr std::int64_t kReleased = -1;
  static constexpr std::int64_t kPassedOn = -2;

  std::atomic<std::int64_t> until_ns_;
  std::atomic<Loss> loss_ = Loss::none;
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);
};

}  // namespace redlock
