// How the timestamp lock is taken and undone: the stored value says when the lease ends.
//
// The server's clock writes and judges the stamp; the holder trusts its lease, without the
// buffer and less drift, counted on its own clock from before the first byte left. There is no
// floor as in RedLock's formula: the server drops no key before the whole of lease and buffer has
// passed on its clock, so that the share covers all that the clocks may differ by.
#pragma once
#include "redlock/algorithm/acquire.hpp"

namespace redlock {

class StampRecipe final : public LockRecipe {
 public:
  // Requires 0 < lease, 0 <= buffer, their sum <= kTtlMax and a drift that leaves some of the
  // lease. The stamp is now + lease + buffer.
  StampRecipe(Resource key, Duration lease, Duration buffer, double drift_factor, StampUnit unit);

  [[nodiscard]] Token fresh_token(Entropy& entropy) const override;
  [[nodiscard]] Command take(const Token& token) const override;
  [[nodiscard]] Command undo(const Token& token) const override;
  [[nodiscard]] Duration validity(Duration elapsed) const override;
  [[nodiscard]] Duration life_max() const override;

 private:
  Resource key_;
  Duration lease_;
  Duration buffer_;
  double drift_factor_;
  StampUnit unit_;
};

}  // namespace redlock
