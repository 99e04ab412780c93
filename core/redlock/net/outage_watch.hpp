// Tells of a wait that goes on though no majority can be asked, once each time that this lasts.
//
// One thread; lives for one wait.
#pragma once
#include <optional>

#include "redlock/net/pool.hpp"

namespace redlock {

// What passes within so long is not worth a word.
inline constexpr Duration kOutageToldAfter = Duration::seconds(1);

class OutageWatch {
 public:
  // Between the steps of a wait. What it would end with now, where that is to be told; else
  // nothing.
  [[nodiscard]] std::optional<Outcome> look(Pool& pool, OperationId id) {
    std::optional<Outcome> outage = pool.outage(id);
    const Instant now = pool.clock().now();
    if (!outage) {
      since_.reset();
      told_ = false;
    } else if (!since_) {
      since_ = now;
    }
    if (!outage || told_ || now - *since_ < kOutageToldAfter) return std::nullopt;
    told_ = true;
    return outage;
  }

 private:
  std::optional<Instant> since_;
  bool told_ = false;
};

}  // namespace redlock
