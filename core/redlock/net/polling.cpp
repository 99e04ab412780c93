// Nodes first, then listeners.
#include "redlock/net/polling.hpp"

#include <algorithm>
#include <span>

namespace redlock {

bool Polling::gather(Scope scope, Instant now) {
  interests_.clear();
  const auto is_wanted = [&](const Node& node) {
    return scope == Scope::all || !node.idle() || node.unanswered_bytes() > 0 ||
           listeners_.listens_to(node);
  };
  const bool buffered = live_.add_interests(is_wanted, now, interests_);
  return listeners_.add_interests(scope, interests_) || buffered;
}

Woken Polling::wait(Scope scope, Instant deadline, Instant now) {
  const bool buffered = gather(scope, now);
  const Woken woken = transport_.wait(interests_, buffered ? Instant() : deadline);
  return buffered && woken == Woken::deadline ? Woken::ready : woken;
}

void Polling::on_ready(Instant now) noexcept {
  const std::size_t nodes = live_.on_ready(interests_, now);
  listeners_.on_ready(std::span(interests_).subspan(nodes), now);
}

std::optional<Watch> Polling::watch(Instant deadline, Instant now) {
  const bool buffered = gather(Scope::wanted, now);
  std::optional<Watch> watch = transport_.watch(interests_);
  if (watch) watch->until = buffered ? Instant() : std::min(watch->until, deadline);
  return watch;
}

}  // namespace redlock
