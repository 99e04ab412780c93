// The removals that some servers are owed, on their way: who is asked to read them, who is waited
// for, and how long.
//
// A server that is up has its connection's own time, and a connection that is made in place of
// another the time to make it, again where it is refused; one that was waited for in vain is not
// waited for again until it answers. One for each delivery. One thread.
#pragma once
#include <optional>

#include "redlock/net/live_nodes.hpp"
#include "redlock/os/clock.hpp"

namespace redlock {

class RemovalDelivery {
 public:
  // Both must outlive it. No server is waited for longer than `at_most`.
  RemovalDelivery(LiveNodes& live, Clock& clock, Duration at_most)
      : live_(live), clock_(clock), at_most_(at_most) {}

  // Puts them on their way; at the last chance also to servers that are backed off from, and past
  // those that read nothing of their connection before they have heard of replicas.
  void hurry(const NodeList& nodes, bool last_chance);
  // Waits until they are sent. `step(until)` takes a turn that waits no longer than that; false:
  // the process has forked, and the connections are not its own any more.
  template <class Step>
  void wait(const NodeList& nodes, Step step) {
    begin_wait(nodes, clock_.now());
    for (auto until = wait_until(began_); until; until = wait_until(clock_.now())) {
      if (!step(*until)) return;
      try_again();
    }
    end_wait();
  }

 private:
  void put_on_its_way(Node& node);
  // Of the process, where there is time to wait for it: nobody reads an answer later.
  [[nodiscard]] bool is_the_end(const Node& node) const;
  [[nodiscard]] bool owes(const Node& node) const;
  void begin_wait(const NodeList& nodes, Instant now);
  // Until when the next turn may wait; nothing where no server is waited for any more.
  [[nodiscard]] std::optional<Instant> wait_until(Instant now) const;
  // A server that is at its limit of connections takes another when it has seen the end of the one
  // that was replaced.
  void try_again();
  [[nodiscard]] bool may_be_tried_again(const std::shared_ptr<Node>& node) const;
  [[nodiscard]] bool was_replaced(const std::shared_ptr<Node>& node) const;
  [[nodiscard]] Instant deadline(const std::shared_ptr<Node>& node) const;
  // Notes who left out what.
  void end_wait();

  LiveNodes& live_;
  Clock& clock_;
  Duration at_most_;
  bool last_chance_ = false;
  Instant began_;
  NodeList owing_;
  NodeList replaced_;
};

}  // namespace redlock
