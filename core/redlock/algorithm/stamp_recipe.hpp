// How the timestamp lock is taken and undone: the stored value says when the lease ends.
//
// The server's clock writes and judges the stamp; the holder trusts its lease, without the
// buffer, counted on its own clock from before the first byte left.
#pragma once
#include "redlock/algorithm/acquire.hpp"

namespace redlock {

class StampRecipe final : public LockRecipe {
 public:
  // Requires 0 < lease <= kTtlMax and 0 <= buffer. The stamp is now + lease + buffer.
  StampRecipe(Resource key, Duration lease, Duration buffer, StampUnit unit);

  [[nodiscard]] Token fresh_token(Entropy& entropy) const override;
  [[nodiscard]] Command take(const Token& token) const override;
  [[nodiscard]] Command undo(const Token& token) const override;
  [[nodiscard]] Duration validity(Duration elapsed) const override;

 private:
  Resource key_;
  Duration lease_;
  Duration buffer_;
  StampUnit unit_;
};

}  // namespace redlock
