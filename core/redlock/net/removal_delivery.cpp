// Sending what is owed, and waiting for those who are to read it.
#include "redlock/net/removal_delivery.hpp"

#include <algorithm>

#include "redlock/net/earlier.hpp"

namespace redlock {

void RemovalDelivery::hurry(const NodeList& nodes, bool last_chance) {
  for (const auto& node : nodes) {
    live_.reserve_one();
    or_later([&] {
      // With its connection a server drops what it has not read: also what an earlier lock was
      // asked for by, so that the removal is the last word though it goes by the next one.
      const bool would_be_lost = last_chance && node->removal_stands_behind_wait();
      if (node->outdated() || would_be_lost) live_.replace(*node);
      // One that could not be made in its time stands in the way of the next one.
      if (node->establishing() && node->on_time(clock_.now(), live_.arrivals())) {
        live_.close_where_decided(*node, clock_.now());
      }
      node->hurry_removals(last_chance, clock_.now());
    });
    live_.note(node);
  }
}

void RemovalDelivery::begin_wait(const NodeList& nodes, Instant now) {
  began_ = now;
  for (const auto& node : nodes) {
    if (node->owes_removal()) owing_.push_back(node);
  }
}

std::optional<Instant> RemovalDelivery::wait_until(Instant now) const {
  std::optional<Instant> until;
  for (const auto& node : owing_) {
    const Instant deadline = began_ + std::min(node->timeout(), at_most_);
    if (node->owes_removal() && now < deadline) until = earlier(until, deadline);
  }
  return until;
}

void RemovalDelivery::end_wait() {
  for (const auto& node : owing_) {
    const bool had_its_time = at_most_ >= node->timeout();
    if (had_its_time && (node->owes_removal() || node->has_carried())) node->note_waited_in_vain();
  }
}

}  // namespace redlock
