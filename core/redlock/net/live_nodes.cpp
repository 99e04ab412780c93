// Which nodes are open, and how they end.
#include "redlock/net/live_nodes.hpp"

#include <algorithm>

#include "redlock/net/earlier.hpp"

namespace redlock {

void LiveNodes::note(const std::shared_ptr<Node>& node) {
  if (node->connection() == 0 || std::ranges::find(nodes_, node) != nodes_.end()) return;
  nodes_.push_back(node);
}

void LiveNodes::make_room(const Node& wanted) {
  if (nodes_.size() < kConnectionsMax) return;
  Node* oldest = nullptr;
  for (const auto& node : nodes_) {
    if (node.get() == &wanted || !node->idle() || !node->has_conversation()) continue;
    if (oldest == nullptr || node->last_used() < oldest->last_used()) oldest = node.get();
  }
  if (oldest == nullptr) return;
  oldest->shut_down(arrivals_);
  drop_closed();
}

std::size_t LiveNodes::on_ready(std::span<const Interest> interests, Instant now) noexcept {
  for (std::size_t i = 0; i < polled_.size(); ++i) {
    const Interest& interest = interests[i];
    polled_[i]->end_look(now);
    const bool readable = interest.readable || interest.wants.buffered;
    if (!readable && !interest.writable) continue;
    polled_[i]->on_ready(readable, interest.writable, now, arrivals_);
  }
  const std::size_t count = polled_.size();
  polled_.clear();
  return count;
}

bool LiveNodes::introduce(Instant now) noexcept {
  bool any_said = false;
  for (const auto& node : nodes_) any_said |= node->introduce(now, arrivals_);
  return any_said;
}

void LiveNodes::flush(Instant now) noexcept {
  for (const auto& node : nodes_) node->flush(now, arrivals_);
}

bool LiveNodes::overdue(Instant now) const {
  return std::ranges::any_of(nodes_, [now](const auto& node) { return node->overdue(now); });
}

bool LiveNodes::on_time(Instant now) noexcept {
  bool any_given_up = false;
  for (const auto& node : nodes_) any_given_up |= node->on_time(now, arrivals_);
  return any_given_up;
}

std::optional<Instant> LiveNodes::next_deadline() const {
  std::optional<Instant> earliest;
  for (const auto& node : nodes_) earliest = earlier(earliest, node->next_deadline());
  return earliest;
}

bool LiveNodes::awaits_verdict(const Node& node) const {
  return std::ranges::any_of(node.requests().open_acquisitions(),
                             [this](OperationId id) { return operations_.undecided(id); });
}

void LiveNodes::close_where_decided(Node& node, Instant now) {
  if (!node.closing() || awaits_verdict(node)) return;
  std::vector<OperationId> waiting;
  for (const OpenJoin& join : node.requests().open_joins()) {
    if (operations_.undecided(join.operation)) waiting.push_back(join.operation);
  }
  node.complete_closing(now, waiting);
}

void LiveNodes::close_where_decided(Instant now) noexcept {
  for (const auto& node : nodes_) {
    or_later([&] { close_where_decided(*node, now); });
  }
  drop_closed();
}

void LiveNodes::drop_closed() noexcept {
  std::erase_if(nodes_, [](const auto& node) { return node->connection() == 0; });
}

bool LiveNodes::replace(Node& node) {
  if (!node.has_conversation()) return false;
  const bool needed = std::ranges::any_of(
      node.requests().askers(), [this](OperationId id) { return operations_.undecided(id); });
  if (!needed) node.replace(arrivals_);
  return !needed;
}

void LiveNodes::shut_down_idle(Instant before) noexcept {
  for (const auto& node : nodes_) {
    if (!node->idle() || node->last_used() > before) continue;
    or_later([&] { node->shut_down(arrivals_); });
  }
}

void LiveNodes::shut_down_all() noexcept {
  for (const auto& node : nodes_) {
    or_later([&] { node->shut_down(arrivals_); });
  }
}

void LiveNodes::forget_all() {
  arrivals_.clear();
  polled_.clear();
  for (const auto& node : nodes_) node->forget();
  nodes_.clear();
}

}  // namespace redlock
