// How RedLock's quorum lock is taken and undone: SET NX PX and compare-and-delete.
#pragma once
#include "redlock/algorithm/acquire.hpp"

namespace redlock {

class QuorumRecipe final : public LockRecipe {
 public:
  // Requires 0 < ttl <= kTtlMax and a drift that leaves some of it.
  QuorumRecipe(Resource resource, Duration ttl, double drift_factor);

  [[nodiscard]] Token fresh_token(Entropy& entropy) const override;
  [[nodiscard]] Command take(const Token& token) const override;
  [[nodiscard]] Command undo(const Token& token) const override;
  [[nodiscard]] Duration validity(Duration elapsed) const override;
  [[nodiscard]] Duration life_max() const override;

 private:
  Resource resource_;
  Duration ttl_;
  double drift_factor_;
};

}  // namespace redlock
