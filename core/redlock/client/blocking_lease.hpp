// A lock that is held, each of its calls waited for: what stands behind a Lease and its KeepAlive.
//
// Confined to its client's thread.
#pragma once
#include <memory>
#include <stop_token>
#include <string_view>

#include "redlock/client/shared.hpp"
#include "redlock/lease/held_lock.hpp"

namespace redlock {
inline namespace v0 {
namespace inner {

class BlockingLease {
 public:
  // All that it takes, before anything is taken.
  BlockingLease(std::shared_ptr<Shared> shared, Resources resources, Duration ttl, LockMode mode)
      : shared_(std::move(shared)),
        lock_(shared_->lease_context(), std::move(resources), ttl, mode) {}
  // For what waits for no server.
  [[nodiscard]] HeldLock& lock() { return lock_; }

  [[nodiscard]] const Resources& resources() const { return lock_.resources(); }
  [[nodiscard]] std::string_view token() const { return lock_.token().view(); }
  [[nodiscard]] Duration left() noexcept { return lock_.left(); }

  [[nodiscard]] bool extend(Duration ttl);
  [[nodiscard]] bool shorten(Duration ttl);
  [[nodiscard]] bool promote(Duration wait, const std::stop_token& stop);
  [[nodiscard]] bool demote();
  [[nodiscard]] bool confirm();
  // The troubles may be null.
  [[nodiscard]] bool release(std::vector<Trouble>* troubles);
  // Gives it back without waiting, unless that has been done.
  void drop() noexcept;
  // It is another's from now on.
  void detach() noexcept;
  // Its end gives nothing back any more; release() does.
  void leave_to_others() noexcept { left_to_others_ = true; }
  // As Lease::keep_alive() says; the token is that of the loss.
  [[nodiscard]] std::stop_token begin_renewal(Duration max);
  // What was begun with that token, unless it is over.
  void end_renewal(const std::stop_token& lost) noexcept;

 private:
  void note_denial(const Outcome& outcome) noexcept;
  void lose() noexcept;
  void keep_promoted();
  // By its present ttl. Throws what RenewalThread::keep() throws, and then nothing has changed.
  void keep(Instant renew_until);
  // False: that has been done, or it is not ours to give back.
  [[nodiscard]] bool end(HeldLock::End how) noexcept;

  const std::shared_ptr<Shared> shared_;
  HeldLock lock_;
  Instant renew_until_;  // while it is kept
  bool left_to_others_ = false;
  std::stop_source loss_{std::nostopstate};  // of what keeps it, or kept it last
};

}  // namespace inner
}  // namespace v0
}  // namespace redlock
