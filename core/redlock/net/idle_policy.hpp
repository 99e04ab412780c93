// From when on a connection on which nothing was sent is looked at, and replaced, before it is
// used.
//
// No I/O, no clock. One thread.
#pragma once
#include <algorithm>

#include "redlock/net/node.hpp"

namespace redlock {

// A connection silent for longer is looked at before it is used: the server may have closed it.
inline constexpr Duration kIdleLook = Duration::ms(10);
// One on which nothing was sent for longer is replaced before it is used: a NAT or a balancer may
// have forgotten it, and then nothing comes back, not even a reset.
inline constexpr Duration kIdleLimitDefault = Duration::seconds(60);
// However short the limit, calls that follow each other share a connection.
inline constexpr Duration kIdleLimitMin = Duration::seconds(1);

class IdlePolicy {
 public:
  void set_limit(Duration limit) { limit_ = std::max(limit, kIdleLimitMin); }
  [[nodiscard]] Duration limit() const { return limit_; }

  // A look at one in memory costs nothing, and a test ends its connections between two calls.
  [[nodiscard]] static Duration look_after(const Node& node) {
    return node.endpoint().in_memory ? Duration() : kIdleLook;
  }
  // Nothing was sent on it for so long that the network may have forgotten it.
  [[nodiscard]] bool silent(const Node& node, Instant now) const {
    return now - node.last_used() >= limit_;
  }
  // It is not to be used any more.
  [[nodiscard]] bool too_old(const Node& node, Instant now) const {
    return node.has_conversation() && (node.outdated() || silent(node, now));
  }

 private:
  Duration limit_ = kIdleLimitDefault;
};

}  // namespace redlock
