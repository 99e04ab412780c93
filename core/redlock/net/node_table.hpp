// One node for each distinct endpoint and magnitude of its users' times.
//
// One object's 1 ms would otherwise close the connections of the patient. Those that nobody uses
// and that have no connection leave by and by, with their passwords. One thread.
#pragma once
#include <cstddef>
#include <memory>
#include <set>
#include <tuple>

#include "redlock/algorithm/entropy.hpp"
#include "redlock/net/node.hpp"
#include "redlock/os/transport.hpp"

namespace redlock {

// Endpoints are looked through when there are twice as many as were used last time, and more than
// these.
inline constexpr std::size_t kEndpointsKept = 64;

class NodeTable {
 public:
  // Both must outlive it.
  NodeTable(Transport& transport, Entropy& entropy) : transport_(transport), entropy_(entropy) {}

  // The node for an endpoint; the same one for equal endpoints and times that differ by less than a
  // factor of two: for an answer, and for connecting. `now` is asked only where there are many.
  template <class Now>
  [[nodiscard]] std::shared_ptr<Node> node(const Endpoint& endpoint, Duration timeout,
                                           Duration connect_timeout, Now now) {
    std::shared_ptr<Node> known = find(endpoint, timeout, connect_timeout);
    if (!known && nodes_.size() >= nodes_due_) forget_unused(now());
    if (!known) known = add(endpoint, timeout, connect_timeout);
    known->allow(timeout);
    known->allow_connecting(connect_timeout);
    return known;
  }
  void forget_unused(Instant now);
  // Those that have a connection, or are owed removals.
  [[nodiscard]] NodeList in_use() const;
  // What their connections were belongs to the parent process.
  void forget_connections();
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  // The whole endpoint names a node, so that nothing that matters can be left out and its password
  // stands nowhere else; and of the time-outs the power of two.
  using Name = std::tuple<const Endpoint&, unsigned, unsigned>;
  struct ByName {
    using is_transparent = void;
    static Name name(const std::shared_ptr<Node>& node) {
      return {node->endpoint(), magnitude_of(node->timeout()),
              magnitude_of(node->connect_timeout())};
    }
    static Name name(const Name& name) { return name; }
    bool operator()(const auto& one, const auto& other) const { return name(one) < name(other); }
  };
  static unsigned magnitude_of(Duration timeout);

  // Null where there is none.
  [[nodiscard]] std::shared_ptr<Node> find(const Endpoint& endpoint, Duration timeout,
                                           Duration connect_timeout) const;
  std::shared_ptr<Node> add(const Endpoint& endpoint, Duration timeout, Duration connect_timeout);

  Transport& transport_;
  Entropy& entropy_;
  RequestEncoder encoder_;
  std::set<std::shared_ptr<Node>, ByName> nodes_;
  // When there are so many, it is time to look which are used.
  std::size_t nodes_due_ = kEndpointsKept;
};

}  // namespace redlock
