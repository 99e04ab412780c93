// Subscribing, signs of life, and the end.
#include "redlock/net/listener.hpp"

#include <algorithm>
#include <exception>
#include <new>

#include "redlock/net/connection_upkeep.hpp"

namespace redlock {

template class Connection<Subscription>;

namespace {

constexpr std::string_view kClosedAtSubscribe = "the server closed the connection at SUBSCRIBE";
constexpr std::string_view kTurnedAway =
    "the server closes each connection to listen on before the TLS handshake: maxclients reached?";

}  // namespace

void Listener::attend(Instant now, Events& pushes) noexcept {
  if (may_open(now) && now >= open_at_) subscribe(now);
  if (is_heard() && now - alive_at() >= ping_every()) ping(now);
  flush(now, pushes);
}

void Listener::subscribe(Instant now) noexcept {
  try {
    channel_ = std::string(kChannelPrefix) + std::string(random_token(entropy_).view());
    open(now, channel_, closed_at_subscribe_);
  } catch (const std::exception&) {
    // No memory, or no randomness.
    open_at_ = now + kBackoffMax;
    note_unsubscribed(Fault::closed, {});
  }
}

void Listener::ping(Instant now) noexcept {
  try {
    conversation().ping(now + timeout());
  } catch (const std::bad_alloc&) {
    shut_down();
  }
}

void Listener::look(Instant since, Instant now, Events& pushes) noexcept {
  if (has_conversation()) on_ready(true, true, now, pushes);
  const bool broke = closing();
  review(now);
  if (broke) skip_backoff();
  // What had not been sent may just have been.
  const bool forgotten = now - std::min(since, alive_at()) >= idle_limit_;
  if (has_conversation() && (forgotten || overdue(now))) {
    shut_down();
    review(now);
  }
  if (may_open(now) && now >= open_at_) subscription_state_ = {};
}

Instant Listener::next_event() const {
  if (closing()) return Instant::never();
  if (!has_conversation()) return std::max(retry_at(), open_at_);
  if (const auto deadline = next_deadline()) return *deadline;
  return alive_at() + ping_every();
}

void Listener::review(Instant now) noexcept {
  if (is_heard()) return note_heard();
  if (!closing()) {
    if (!subscription_state_.channel.empty()) note_unsubscribed(Fault::closed, {});
    return;
  }
  note_end(now);
  let_go(now);
}

// A server that ends does so at any moment, at this one too; a proxy that knows no SUBSCRIBE does
// again, and has answered PING before.
void Listener::note_end(Instant now) noexcept {
  const Subscription& ended = conversation();
  const bool by_server = ended.fault() == Fault::closed && !stream_usable();
  const bool before = closed_at_subscribe_;
  closed_at_subscribe_ = by_server && ended.awaits_confirmation();
  if (ended.refused() || (closed_at_subscribe_ && before)) open_at_ = now + kRefusedFor;
  if (!closed_at_subscribe_) return note_unsubscribed(ended.fault(), ended.reason());
  note_unsubscribed(before ? Fault::rejected : Fault::closed, kClosedAtSubscribe);
}

void Listener::shut_down() noexcept {
  Events unheard;
  try {
    if (has_conversation()) hang_up(unheard);
  } catch (const std::bad_alloc&) {
    // It is closing all the same.
  }
  if (closing()) let_go(Instant());
  skip_backoff();
}

void Listener::let_go(Instant now) noexcept {
  try {
    close(now);
  } catch (const std::bad_alloc&) {
    // It goes on closing, and a later turn tries again.
  }
}

void Listener::note_heard() noexcept {
  closed_at_subscribe_ = false;
  if (subscription_state_.channel == channel_) return;
  try {
    subscription_state_ = {channel_, Fault::none, {}};
    ++changes_;
  } catch (const std::bad_alloc&) {
    // The next review tries again.
  }
}

void Listener::note_unsubscribed(Fault fault, std::string_view reason) noexcept {
  const bool turns_away = is_turned_away();
  const bool known =
      subscription_state_.fault == fault && subscription_state_.turns_away == turns_away;
  if (subscription_state_.channel.empty() && known) return;
  ++changes_;
  subscription_state_.channel.clear();
  subscription_state_.fault = fault;
  subscription_state_.turns_away = turns_away;
  subscription_state_.reason.clear();
  try {
    subscription_state_.reason = turns_away ? kTurnedAway : reason;
  } catch (const std::bad_alloc&) {
    // The fault says enough.
  }
}

}  // namespace redlock
