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

Listeners::Place::Place(std::shared_ptr<Node> listened_to, Transport& transport, Entropy& entropy)
    : node(std::move(listened_to)),
      listener(std::make_unique<FixedLocator>(node->endpoint()), node->timeout(), transport,
               entropy) {
  listener.learn(node->acquaintance());
}

void Listeners::begin_turn(Instant now) noexcept {
  ++turn_;
  changed_ = false;
  for (const auto& place : places_) place->listener.set_served(place->node->is_well());
  for (const auto& place : places_) place->listener.review(now);
}

Listeners::News Listeners::want(const std::shared_ptr<Node>& node, Duration idle_limit,
                                Instant now) {
  Place* const place = place_of(node);
  if (place == nullptr) return {kNoRoom, &no_room()};
  place->listener.set_idle_limit(idle_limit);
  // It may have lain unread for long.
  if (place->wanted_in + 1 < turn_) place->listener.look(place->wanted_at, now, place->pushes);
  place->wanted_in = turn_;
  place->wanted_at = now;
  place->listener.allow(node->timeout());
  place->listener.allow_connecting(node->connect_timeout());
  return {place->listener.changes(), place->listener.subscription_state()};
}

// A pause may be longer than a short wait.
void Listeners::hurry(std::span<const std::shared_ptr<Node>> nodes, std::size_t enough) noexcept {
  const auto is_wanted_by_him = [&](const auto& place) {
    return std::ranges::find(nodes, place->node) != nodes.end();
  };
  const auto heard = std::ranges::count_if(places_, [&](const auto& place) {
    const SubscriptionState* const subscription_state = place->listener.subscription_state();
    return is_wanted_by_him(place) && subscription_state != nullptr &&
           !subscription_state->channel.empty();
  });
  if (static_cast<std::size_t>(heard) >= enough) return;
  for (const auto& place : places_) {
    if (is_wanted_by_him(place)) place->listener.skip_backoff();
  }
}

Listeners::Place* Listeners::place_of(const std::shared_ptr<Node>& node) {
  const auto is_its = [&](const auto& place) { return place->node == node; };
  const auto known = std::ranges::find_if(places_, is_its);
  if (known != places_.end()) return known->get();
  if (places_.size() >= kListenersMax) make_room();
  if (places_.size() >= kListenersMax) return nullptr;
  places_.push_back(std::make_unique<Place>(node, transport_, entropy_));
  return places_.back().get();
}

template <class IsDone>
void Listeners::close_if(IsDone is_done) noexcept {
  std::erase_if(places_, [&](const auto& place) {
    if (!is_done(*place)) return false;
    place->listener.shut_down();
    // Where memory was short it goes on closing.
    return place->listener.connection() == 0;
  });
}

// The one that nobody has listened to for the longest time.
void Listeners::make_room() {
  const Place* oldest = nullptr;
  for (const auto& place : places_) {
    if (is_wanted(*place) || place->wanted_in + 1 == turn_) continue;
    if (oldest == nullptr || place->wanted_at < oldest->wanted_at) oldest = place.get();
  }
  close_if([oldest](const Place& place) { return &place == oldest; });
}

void Listeners::attend(Instant now) noexcept {
  for (const auto& place : places_) {
    if (!is_wanted(*place)) continue;
    const std::uint64_t before = place->listener.changes();
    place->listener.attend(now, place->pushes);
    place->listener.review(now);
    changed_ = changed_ || place->listener.changes() != before;
  }
}

bool Listeners::has_news() const {
  return changed_ ||
         std::ranges::any_of(places_, [](const auto& place) { return !place->pushes.empty(); });
}

bool Listeners::add_interests(Scope scope, std::vector<Interest>& interests) {
  polled_.clear();
  polled_scope_ = scope;
  bool buffered = false;
  for (const auto& place : places_) {
    const Listener& listener = place->listener;
    if (!listener.has_conversation() || (scope == Scope::wanted && !is_wanted(*place))) continue;
    const Wants wants = transport_.wants(listener.connection(), listener.has_output());
    buffered = buffered || wants.buffered;
    polled_.push_back(place.get());
    interests.push_back({listener.connection(), wants, false, false});
  }
  return buffered;
}

void Listeners::take_ready(std::span<const Interest> interests, Instant now) noexcept {
  for (std::size_t i = 0; i < interests.size(); ++i) {
    const bool readable = interests[i].readable || interests[i].wants.buffered;
    if (!readable && !interests[i].writable) continue;
    Place& place = *polled_[i];
    place.listener.take_ready(readable, interests[i].writable, now, place.pushes);
    if (readable && polled_scope_ == Scope::wanted) place.listener.note_alive(now);
  }
}

bool Listeners::listens_to(const Node& node) const {
  return std::ranges::any_of(
      places_, [&](const auto& place) { return is_wanted(*place) && place->node.get() == &node; });
}

bool Listeners::overdue(Instant now) const {
  return std::ranges::any_of(places_, [&](const auto& place) {
    return is_wanted(*place) && place->listener.overdue(now);
  });
}

bool Listeners::on_time(Instant now) noexcept {
  bool any_given_up = false;
  for (const auto& place : places_) {
    if (is_wanted(*place)) any_given_up |= place->listener.on_time(now, place->pushes);
  }
  return any_given_up;
}

std::optional<Instant> Listeners::next_deadline() const {
  std::optional<Instant> earliest;
  for (const auto& place : places_) {
    if (!is_wanted(*place)) continue;
    const Instant event = place->listener.next_event();
    if (!earliest || event < *earliest) earliest = event;
  }
  return earliest;
}

void Listeners::close_idle(Instant before) noexcept {
  close_if([&](const Place& place) { return !is_wanted(place) && place.wanted_at <= before; });
}

void Listeners::close_all() noexcept {
  close_if([](const Place& /*place*/) { return true; });
}

void Listeners::forget_all() noexcept {
  places_.clear();
  polled_.clear();
  changed_ = false;
}

std::size_t Listeners::connection_count() const {
  const auto count = std::ranges::count_if(
      places_, [](const auto& place) { return place->listener.connection() != 0; });
  return static_cast<std::size_t>(count);
}

}  // namespace redlock
