// Which nodes there are, and which are forgotten.
#include "redlock/net/node_table.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace redlock {

unsigned NodeTable::magnitude_of(Duration timeout) {
  return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(timeout.count_ns())));
}

std::shared_ptr<Node> NodeTable::find(const Endpoint& endpoint, Duration timeout,
                                      Duration connect_timeout) const {
  const auto known =
      nodes_.find(Name(endpoint, magnitude_of(timeout), magnitude_of(connect_timeout)));
  return known == nodes_.end() ? nullptr : *known;
}

std::shared_ptr<Node> NodeTable::add(const Endpoint& endpoint, Duration timeout,
                                     Duration connect_timeout) {
  auto added = std::make_shared<Node>(std::make_unique<FixedLocator>(endpoint), timeout, transport_,
                                      entropy_, encoder_);
  added->allow_connecting(connect_timeout);
  std::shared_ptr<Node> known = *nodes_.insert(std::move(added)).first;
  transport_.prepare(endpoint);
  return known;
}

// Behind each walk as many may come as are left: what a walk costs is paid by those that came.
void NodeTable::forget_unused(Instant now) {
  std::erase_if(nodes_, [now](const auto& node) {
    if (node.use_count() > 1 || node->connection() != 0) return false;
    return !node->has_carried() || now - node->wanted_at() >= kOwedFor;
  });
  nodes_due_ = 2 * std::max(nodes_.size(), kEndpointsKept);
}

NodeList NodeTable::in_use() const {
  NodeList nodes;
  for (const auto& node : nodes_) {
    if (node->has_conversation() || node->has_carried()) nodes.push_back(node);
  }
  return nodes;
}

void NodeTable::forget_connections() {
  for (const auto& node : nodes_) node->forget();
}

}  // namespace redlock
