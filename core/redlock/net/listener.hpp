// What one server publishes for us: a subscription that is opened, kept alive, and opened again
// under another name, for as long as somebody listens.
//
// Nobody else knows the name of its channel, and none is used twice: who is told a name may rely on
// having missed nothing since. While nobody listens it lies there unread, and nothing is sent.
//
// Invariants: a channel is told only once the server has confirmed it, and taken back as soon as
// its connection is lost. One thread.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redlock/algorithm/line.hpp"
#include "redlock/net/connection.hpp"
#include "redlock/wire/subscription.hpp"

namespace redlock {

// What the names of all channels begin with, so that an ACL can name them: `&redlock:*`.
inline constexpr std::string_view kChannelPrefix = "redlock:";
// A server that refuses to be listened to is not asked again for so long.
inline constexpr Duration kRefusedFor = Duration::seconds(10);
// One that closes so many connections in a row before the TLS handshake, while another one of ours
// is well, lets nobody listen.
inline constexpr std::uint32_t kTurnedAwayMax = 5;

class Listener final : public Connection<Subscription> {
 public:
  // `timeout` is how long the server may take. The references must outlive the listener.
  Listener(std::unique_ptr<Locator> locator, Duration timeout, Transport& transport,
           Entropy& entropy)
      : Connection(std::move(locator), timeout, transport, entropy), entropy_(entropy) {}

  // Somebody listens: subscribes where that is to be done, and asks for a sign of life when it is
  // time to.
  void attend(Instant now, Events& pushes) noexcept;
  // Somebody listens after nobody did since then: reads what has come meanwhile. Trouble of old is
  // no news, and no reason to wait.
  void look(Instant since, Instant now, Events& pushes) noexcept;
  // A connection that was silent for so long may be forgotten on its way: whoever listens keeps it
  // from that, and one to which nobody listened meanwhile is opened anew.
  void set_idle_limit(Duration limit) { idle_limit_ = limit; }
  // Is the connection well on which its server is asked?
  void set_served(bool served) { served_ = served; }
  // Something came while somebody waited for it: it did not lie there, so the connection is alive.
  void note_alive(Instant now) { heard_at_ = now; }
  // When there is something to do though nothing comes; of use while somebody listens.
  [[nodiscard]] Instant next_event() const;
  // Takes notice of what the connection has come to.
  void review(Instant now) noexcept;
  // Can it be heard, by the latest review? Nothing while that is not known.
  [[nodiscard]] const SubscriptionState* subscription_state() const {
    return subscription_state_.channel.empty() && subscription_state_.fault == Fault::none
               ? nullptr
               : &subscription_state_;
  }
  // How often that has changed.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  // Nobody listens any more. The next one may be opened at once.
  void shut_down() noexcept;

 private:
  void heard(Instant /*now*/) override {}
  // When the server was known to be there last.
  [[nodiscard]] Instant alive_at() const { return std::max(last_used(), heard_at_); }
  [[nodiscard]] Duration ping_every() const { return std::min(kHeartbeat, idle_limit_); }
  [[nodiscard]] bool is_heard() const { return has_conversation() && conversation().confirmed(); }
  void subscribe(Instant now) noexcept;
  void ping(Instant now) noexcept;
  void let_go(Instant now) noexcept;
  void note_heard() noexcept;
  // By TLS a server that has no room for one more connection cannot say so: hands are not shaken
  // yet. Without TLS it does.
  [[nodiscard]] bool is_turned_away() const {
    return endpoint().tls && served_ && turned_away() >= kTurnedAwayMax;
  }
  void note_end(Instant now) noexcept;
  void note_unsubscribed(Fault fault, std::string_view reason) noexcept;

  Entropy& entropy_;
  Duration idle_limit_ = Duration::max();
  bool served_ = false;
  // Its server closed the connection at SUBSCRIBE the last time.
  bool closed_at_subscribe_ = false;
  std::string channel_;  // of the latest conversation
  SubscriptionState subscription_state_;
  std::uint64_t changes_ = 0;
  Instant heard_at_;
  Instant open_at_;  // not before, whatever the backoff says
};

}  // namespace redlock
