// A lock that is held: what its lease and what keeps it alive both know.
//
// How long it may be trusted stands in one place at a time: its own, or, while it is kept alive,
// the one that the keeper's thread prolongs. It remembers in which process it was taken, and does
// nothing in another. Confined to its client's thread.
#pragma once
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

// Tells of a loss, once and for good. Any thread.
class LossSignal final : public LossListener {
 public:
  void lost() noexcept override { (void)source_.request_stop(); }
  [[nodiscard]] bool told() const noexcept { return source_.stop_requested(); }
  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

 private:
  std::stop_source source_;
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
  void end_keeping() noexcept;

 private:
  [[nodiscard]] Trust& trust() noexcept { return kept_ ? *kept_ : *own_; }
  void note_denial(const Outcome& outcome) noexcept;
  void end_trust() noexcept;

  std::shared_ptr<Shared> shared_;
  const Resource resource_;
  const Token token_;
  const ForkWatch watch_;
  Duration ttl_;
  Instant taken_at_;          // before the first byte of the attempt left
  std::optional<Trust> own_;  // always there, so that it can be made anew without memory
  std::shared_ptr<Trust> kept_;
  std::shared_ptr<LossSignal> signal_;  // since it was kept alive for the first time
  bool released_ = false;
};

}  // namespace inner
}  // namespace v0
}  // namespace redlock
