// Tells trouble that waiting does not help from outages, which pass.
//
// A wrong password, an ACL that denies, a peer that is no Redis and TLS that does not fit are
// permanent at once. A replica, a cluster's other shard, what a guard objects to and words that we
// do not know may be a fail-over under way: they are permanent once they have barred a majority for
// a while. Pure. One thread; lives for one wait.
#pragma once
#include <optional>
#include <vector>

#include "redlock/algorithm/outcome.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

// For so long servers may refuse writes during a fail-over.
inline constexpr Duration kFailOverMax = Duration::seconds(5);

class PermanentTrouble {
 public:
  // The latest report of every node, as far as it is known. True: so many nodes are in permanent
  // trouble that no quorum can be had.
  [[nodiscard]] bool bars(QuorumRule quorum, const std::vector<NodeReport>& latest, Instant now);

 private:
  std::optional<Instant> since_;  // a majority is barred, by what may pass too
};

}  // namespace redlock
