// Which servers are listened to, and until when.
#include "redlock/net/listeners.hpp"

#include <algorithm>

namespace redlock {

namespace {

// Of the node that found no room.
constexpr std::uint64_t kNoRoom = ~std::uint64_t{0};

const SubscriptionState& no_room() {
  static const SubscriptionState kSubscriptionState{{}, Fault::bound, "too many subscriptions"};
  return kSubscriptionState;
}

}  // namespace

Listeners::Slot::Slot(std::shared_ptr<Node> listened_to, Transport& transport, Entropy& entropy)
    : node(std::move(listened_to)),
      listener(std::make_unique<FixedLocator>(node->endpoint().unguarded()), node->timeout(),
               transport, entropy) {
  listener.learn(node->acquaintance());
}

void Listeners::begin_turn(Instant now) noexcept {
  ++turn_;
  changed_ = false;
  for (const auto& slot : slots_) slot->listener.set_served(slot->node->is_well());
  for (const auto& slot : slots_) slot->listener.review(now);
}

Listeners::News Listeners::want(const std::shared_ptr<Node>& node, Duration idle_limit,
                                Instant now) {
  Slot* const slot = slot_of(node);
  if (slot == nullptr) return {kNoRoom, &no_room()};
  slot->listener.set_idle_limit(idle_limit);
  // It may have lain unread for long.
  if (slot->wanted_in + 1 < turn_) slot->listener.look(slot->wanted_at, now, slot->pushes);
  slot->wanted_in = turn_;
  slot->wanted_at = now;
  slot->listener.allow(node->timeout());
  slot->listener.allow_connecting(node->connect_timeout());
  return {slot->listener.changes(), slot->listener.subscription_state()};
}

// A pause may be longer than a short wait.
void Listeners::hurry(std::span<const std::shared_ptr<Node>> nodes, std::size_t enough) noexcept {
  const auto is_wanted_by_him = [&](const auto& slot) {
    return std::ranges::find(nodes, slot->node) != nodes.end();
  };
  const auto heard = std::ranges::count_if(slots_, [&](const auto& slot) {
    const SubscriptionState* const subscription_state = slot->listener.subscription_state();
    return is_wanted_by_him(slot) && subscription_state != nullptr &&
           !subscription_state->channel.empty();
  });
  if (static_cast<std::size_t>(heard) >= enough) return;
  for (const auto& slot : slots_) {
    if (is_wanted_by_him(slot)) slot->listener.skip_backoff();
  }
}

Listeners::Slot* Listeners::slot_of(const std::shared_ptr<Node>& node) {
  const auto is_its = [&](const auto& slot) { return slot->node == node; };
  const auto known = std::ranges::find_if(slots_, is_its);
  if (known != slots_.end()) return known->get();
  if (slots_.size() >= kListenersMax) make_room();
  if (slots_.size() >= kListenersMax) return nullptr;
  slots_.push_back(std::make_unique<Slot>(node, transport_, entropy_));
  return slots_.back().get();
}

template <class IsDone>
void Listeners::close_if(IsDone is_done) noexcept {
  std::erase_if(slots_, [&](const auto& slot) {
    if (!is_done(*slot)) return false;
    slot->listener.shut_down();
    // Where memory was short it goes on closing.
    return slot->listener.connection() == 0;
  });
}

// The one that nobody has listened to for the longest time.
void Listeners::make_room() {
  const Slot* oldest = nullptr;
  for (const auto& slot : slots_) {
    if (is_wanted(*slot) || slot->wanted_in + 1 == turn_) continue;
    if (oldest == nullptr || slot->wanted_at < oldest->wanted_at) oldest = slot.get();
  }
  close_if([oldest](const Slot& slot) { return &slot == oldest; });
}

void Listeners::attend(Instant now) noexcept {
  for (const auto& slot : slots_) {
    if (!is_wanted(*slot)) continue;
    const std::uint64_t before = slot->listener.changes();
    slot->listener.attend(now, slot->pushes);
    slot->listener.review(now);
    changed_ = changed_ || slot->listener.changes() != before;
  }
}

bool Listeners::has_news() const {
  return changed_ ||
         std::ranges::any_of(slots_, [](const auto& slot) { return !slot->pushes.empty(); });
}

bool Listeners::add_interests(Scope scope, std::vector<Interest>& interests) {
  polled_.clear();
  polled_scope_ = scope;
  bool buffered = false;
  for (const auto& slot : slots_) {
    const Listener& listener = slot->listener;
    if (!listener.has_conversation() || (scope == Scope::wanted && !is_wanted(*slot))) continue;
    const Wants wants = transport_.wants(listener.connection(), listener.has_output());
    buffered = buffered || wants.buffered;
    polled_.push_back(slot.get());
    interests.push_back({listener.connection(), wants, false, false});
  }
  return buffered;
}

void Listeners::on_ready(std::span<const Interest> interests, Instant now) noexcept {
  for (std::size_t i = 0; i < interests.size(); ++i) {
    const bool readable = interests[i].readable || interests[i].wants.buffered;
    if (!readable && !interests[i].writable) continue;
    Slot& slot = *polled_[i];
    slot.listener.on_ready(readable, interests[i].writable, now, slot.pushes);
    if (readable && polled_scope_ == Scope::wanted) slot.listener.note_alive(now);
  }
}

bool Listeners::listens_to(const Node& node) const {
  return std::ranges::any_of(
      slots_, [&](const auto& slot) { return is_wanted(*slot) && slot->node.get() == &node; });
}

bool Listeners::overdue(Instant now) const {
  return std::ranges::any_of(
      slots_, [&](const auto& slot) { return is_wanted(*slot) && slot->listener.overdue(now); });
}

bool Listeners::on_time(Instant now) noexcept {
  bool any_given_up = false;
  for (const auto& slot : slots_) {
    if (is_wanted(*slot)) any_given_up |= slot->listener.on_time(now, slot->pushes);
  }
  return any_given_up;
}

std::optional<Instant> Listeners::next_deadline() const {
  std::optional<Instant> earliest;
  for (const auto& slot : slots_) {
    if (!is_wanted(*slot)) continue;
    const Instant event = slot->listener.next_event();
    if (!earliest || event < *earliest) earliest = event;
  }
  return earliest;
}

void Listeners::close_idle(Instant before) noexcept {
  close_if([&](const Slot& slot) { return !is_wanted(slot) && slot.wanted_at <= before; });
}

void Listeners::close_all() noexcept {
  close_if([](const Slot& /*slot*/) { return true; });
}

void Listeners::forget_all() noexcept {
  slots_.clear();
  polled_.clear();
  changed_ = false;
}

std::size_t Listeners::connection_count() const {
  const auto count = std::ranges::count_if(
      slots_, [](const auto& slot) { return slot->listener.connection() != 0; });
  return static_cast<std::size_t>(count);
}

}  // namespace redlock
