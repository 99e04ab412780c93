// The nodes that have a connection, and what their servers answered that was not handed on yet.
//
// A connection that is given up stays until the operations that asked on it are decided: what they
// undo goes out behind what they asked. One thread.
#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "redlock/net/node.hpp"
#include "redlock/net/operation_table.hpp"
#include "redlock/os/transport.hpp"

namespace redlock {

inline constexpr std::size_t kConnectionsMax = 256;

// Where memory is short, what is being closed is left for a later turn.
template <class Act>
void or_later(Act act) noexcept {
  try {
    act();
  } catch (const std::bad_alloc&) {
    // Every step towards the end of a connection can be taken again.
  }
}

class LiveNodes {
 public:
  // Both must outlive it.
  LiveNodes(Transport& transport, const OperationTable& operations)
      : transport_(transport), operations_(operations) {}

  // Answers, in the order in which they came.
  [[nodiscard]] std::vector<Arrival>& arrivals() { return arrivals_; }
  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  // In the order in which a turn deals with them.
  [[nodiscard]] const NodeList& all() const { return nodes_; }

  // Room for one more, so that note() cannot fail behind what opens its connection.
  void reserve_one() { nodes_.reserve(nodes_.size() + 1); }
  // It may have a connection since.
  void note(const std::shared_ptr<Node>& node);
  // Closes the connection that was unused for the longest time, where there are too many.
  void make_room(const Node& wanted);

  // Adds what those wait for of which `is_wanted(node)`. True: of one of them bytes have come
  // already that no polling shows.
  template <class IsWanted>
  bool add_interests(IsWanted is_wanted, Instant now, std::vector<Interest>& interests);
  // Reads and sends what is ready of those that were added last; they come first in `interests`.
  // Gives how many they are.
  std::size_t on_ready(std::span<const Interest> interests, Instant now) noexcept;
  // True: a name was said.
  bool introduce(Instant now) noexcept;
  // Hands to the transport what is to be sent.
  void flush(Instant now) noexcept;

  // Is an answer overdue?
  [[nodiscard]] bool overdue(Instant now) const;
  // True: a connection was given up.
  bool on_time(Instant now) noexcept;
  [[nodiscard]] std::optional<Instant> next_deadline() const;

  // Closes it where it is given up and those are decided whose lock it may have taken: that must be
  // so before the undo goes out there.
  void close_where_decided(Node& node, Instant now);
  // The same for all of them; those that have no connection any more are dropped.
  void close_where_decided(Instant now) noexcept;
  // Its connection is not to be used any more; it stays where an undecided operation asks on it,
  // which gives false.
  bool replace(Node& node);
  // Shuts down connections that are idle since `before`, or all of them.
  void shut_down_idle(Instant before) noexcept;
  void shut_down_all() noexcept;
  // They belong to the parent process.
  void forget_all();

 private:
  [[nodiscard]] bool awaits_verdict(const Node& node) const;
  void drop_closed() noexcept;

  Transport& transport_;
  const OperationTable& operations_;
  NodeList nodes_;
  NodeList polled_;  // polled_[i] has the i-th interest
  std::vector<Arrival> arrivals_;
};

template <class IsWanted>
bool LiveNodes::add_interests(IsWanted is_wanted, Instant now, std::vector<Interest>& interests) {
  polled_.clear();
  bool buffered = false;
  for (const auto& node : nodes_) {
    // Some have been closed since the end of the last turn.
    if (!node->has_conversation() || !is_wanted(*node)) continue;
    const Wants wants = transport_.wants(node->connection(), node->has_output());
    buffered = buffered || wants.buffered;
    node->begin_look(now);
    interests.push_back({node->connection(), wants, false, false});
    polled_.push_back(node);
  }
  return buffered;
}

}  // namespace redlock
