// Sending what is owed, and waiting for those who are to read it.
#include "redlock/net/removal_delivery.hpp"

#include <algorithm>

#include "redlock/net/earlier.hpp"

namespace redlock {

void RemovalDelivery::hurry(const NodeList& nodes, bool last_chance) {
  last_chance_ = last_chance;
  for (const auto& node : nodes) {
    live_.reserve_one();
    or_later([&] {
      // With its connection a server drops what it has not read: also what an earlier lock was
      // asked for by, so that the removal is the last word though it goes by the next one.
      const bool would_be_lost = is_the_end(*node) && node->removal_stands_behind_wait();
      if (node->outdated() || would_be_lost) {
        if (live_.replace(*node) && would_be_lost) replaced_.push_back(node);
      }
      put_on_its_way(*node);
    });
    live_.note(node);
  }
}

void RemovalDelivery::put_on_its_way(Node& node) {
  // One that could not be made in its time stands in the way of the next one.
  if (node.establishing() && node.on_time(clock_.now(), live_.arrivals())) {
    live_.close_where_decided(node, clock_.now());
  }
  node.hurry_removals(last_chance_, clock_.now());
}

void RemovalDelivery::begin_wait(const NodeList& nodes, Instant now) {
  began_ = now;
  for (const auto& node : nodes) {
    if (owes(*node)) owing_.push_back(node);
  }
}

bool RemovalDelivery::is_the_end(const Node& node) const {
  return last_chance_ && at_most_ >= node.timeout();
}

bool RemovalDelivery::owes(const Node& node) const {
  return node.owes_removal() || (is_the_end(node) && node.may_lose_removal());
}

bool RemovalDelivery::was_replaced(const std::shared_ptr<Node>& node) const {
  return std::ranges::find(replaced_, node) != replaced_.end();
}

Instant RemovalDelivery::deadline(const std::shared_ptr<Node>& node) const {
  const Duration connecting = was_replaced(node) ? node->connect_timeout() : Duration();
  return began_ + std::min(connecting + node->timeout(), at_most_);
}

std::optional<Instant> RemovalDelivery::wait_until(Instant now) const {
  std::optional<Instant> until;
  for (const auto& node : owing_) {
    if (now >= deadline(node)) continue;
    if (owes(*node)) until = earlier(until, deadline(node));
    if (may_be_tried_again(node))
      until = earlier(until, std::min(node->retry_at(), deadline(node)));
  }
  return until;
}

bool RemovalDelivery::may_be_tried_again(const std::shared_ptr<Node>& node) const {
  return was_replaced(node) && node->connection() == 0 && node->has_carried();
}

void RemovalDelivery::try_again() {
  for (const auto& node : replaced_) {
    if (!may_be_tried_again(node) || clock_.now() < node->retry_at()) continue;
    live_.reserve_one();
    or_later([&] { put_on_its_way(*node); });
    live_.note(node);
  }
}

void RemovalDelivery::end_wait() {
  for (const auto& node : owing_) {
    const bool had_its_time = at_most_ >= node->timeout();
    if (had_its_time && (owes(*node) || node->has_carried())) node->note_waited_in_vain();
  }
}

}  // namespace redlock
