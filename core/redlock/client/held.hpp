// A lock that is held: what its lease and what keeps it alive both know.
//
// Both know one deadline, which the renewal thread prolongs while it keeps the lease. It remembers
// in which process it was taken, and does nothing in another. Confined to its client's thread.
#pragma once
#include <memory>
#include <stop_token>
#include <string_view>

#include "redlock/client/shared.hpp"
#include "redlock/lease/lease_deadline.hpp"
#include "redlock/os/process.hpp"

namespace redlock {
inline namespace v0 {
namespace inner {

// Hears of a loss from the renewal thread.
class LossWatch final : public LossListener {
 public:
  explicit LossWatch(std::stop_source loss) noexcept : loss_(std::move(loss)) {}
  void lost() noexcept override { (void)loss_.request_stop(); }

 private:
  std::stop_source loss_;
};

class Held {
 public:
  // All that it takes, before anything is taken: what is granted must find room.
  Held(std::shared_ptr<Shared> shared, Resource resource, Duration ttl);
  // It was taken. The servers may keep it until `told_until`.
  void begin(Outcome granted, Instant told_until) noexcept;

  [[nodiscard]] std::string_view resource() const { return resource_.view(); }
  [[nodiscard]] std::string_view token() const { return token_.view(); }
  [[nodiscard]] Duration left() noexcept;

  [[nodiscard]] bool extend(Duration ttl);
  [[nodiscard]] bool shorten(Duration ttl);
  [[nodiscard]] bool confirm();
  // The troubles may be null.
  [[nodiscard]] bool release(std::vector<Trouble>* troubles);
  // Gives it back without waiting, unless that has been done.
  void drop() noexcept;
  // As Lease::keep_alive() says; the token is that of the loss.
  [[nodiscard]] std::stop_token begin_renewal(Duration max);
  // What was begun with that token, unless it is over.
  void end_renewal(const std::stop_token& lost) noexcept;

 private:
  void end_renewal() noexcept;
  void note_denial(const Outcome& outcome) noexcept;
  // May a server keep it for longer than that, or the renewal thread extend it by more?
  [[nodiscard]] bool is_shorter(Duration ttl) noexcept;
  // By its present ttl. Throws what RenewalThread::keep() throws, and then nothing has changed.
  void keep(Instant keep_until);
  void end_lease_deadline() noexcept;
  void send_release() noexcept;

  std::shared_ptr<Shared> shared_;
  const Resource resource_;
  Token token_;
  const ForkWatch watch_;
  Duration ttl_;
  std::shared_ptr<LeaseDeadline> lease_deadline_;
  bool kept_ = false;
  Instant keep_until_;                       // while it is kept
  std::stop_source loss_{std::nostopstate};  // of what keeps it, or kept it last
  OutboxEntry way_back_;                     // until it is released
  bool released_ = false;
};

}  // namespace inner
}  // namespace v0
}  // namespace redlock
