// A lock that is held: what its lease and what keeps it alive both know.
//
// How long it may be trusted stands in one place at a time: its own, or, while it is kept alive,
// the one that the keeper's thread prolongs. It remembers in which process it was taken, and does
// nothing in another. Confined to its client's thread.
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "redlock/client/shared.hpp"
#include "redlock/runtime/process.hpp"
#include "redlock/runtime/trust.hpp"

namespace redlock {
inline namespace v0 {
namespace inner {

// Hears of a loss from the keeper's thread, until the keeping ends: to that thread a lease that was
// given up a moment ago looks like one that is over.
class LossWatch final : public LossListener {
 public:
  explicit LossWatch(std::stop_source loss) noexcept : loss_(std::move(loss)) {}
  void lost() noexcept override {
    if (!ended_) (void)loss_.request_stop();
  }
  void end() noexcept { ended_ = true; }

 private:
  std::stop_source loss_;
  std::atomic<bool> ended_ = false;
};

class Held {
 public:
  // `taken` is granted.
  Held(std::shared_ptr<Shared> shared, Resource resource, Duration ttl, const Outcome& taken);

  [[nodiscard]] std::string_view resource() const { return resource_.view(); }
  [[nodiscard]] std::string_view token() const { return token_.view(); }
  [[nodiscard]] Duration left() noexcept;

  [[nodiscard]] bool extend(Duration ttl);
  [[nodiscard]] bool confirm();
  [[nodiscard]] bool release();
  // Gives it back without waiting, unless that has been done.
  void drop() noexcept;
  // As Lease::keep_alive() says; the token is that of the loss.
  [[nodiscard]] std::stop_token begin_keeping(Duration max);
  void end_keeping(Stop how = Stop::lives_on) noexcept;

 private:
  [[nodiscard]] Trust& trust() noexcept { return kept_ ? *kept_ : *own_; }
  void note_denial(const Outcome& outcome) noexcept;
  // From now on, in place of whatever keeps it. Throws what Keeper::keep() throws, and then nothing
  // has changed.
  void keep(Instant keep_until);
  // The keeper is done with it; gives until when it may be trusted still.
  Instant let_go(Stop how) noexcept;
  void end_trust() noexcept;

  std::shared_ptr<Shared> shared_;
  const Resource resource_;
  const Token token_;
  const ForkWatch watch_;
  Duration ttl_;
  std::optional<Trust> own_;  // always there, so that it can be made anew without memory
  std::shared_ptr<Trust> kept_;
  std::shared_ptr<LossWatch> watched_;  // as long as it is kept
  Instant keep_until_;
  std::stop_source loss_{std::nostopstate};  // since it was kept for the first time
  bool released_ = false;
};

}  // namespace inner
}  // namespace v0
}  // namespace redlock
