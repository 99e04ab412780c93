// RedLock's quorum lock: SET NX PX and scripts that compare the token.
#pragma once
#include "redlock/algorithm/lock_kind.hpp"
#include "redlock/algorithm/resources.hpp"

namespace redlock {

class QuorumKind final : public LockKind {
 public:
  // Requires 0 < ttl <= kTtlMax and a drift that leaves some of it, except for verbs that only
  // release and check: to those the ttl is nothing.
  QuorumKind(Resources resources, Duration ttl, double drift_factor);

  [[nodiscard]] Token fresh_token(Entropy& entropy) const override;
  [[nodiscard]] Command take(const Token& fresh) const override;
  [[nodiscard]] Token proof(const Token& fresh, const std::string& text) const override;
  [[nodiscard]] Command release(const Token& proof) const override;
  [[nodiscard]] Command check(const Token& proof) const override;
  [[nodiscard]] std::optional<Command> extend(const Token& proof) const override;
  [[nodiscard]] Duration validity(Duration elapsed) const override;
  [[nodiscard]] Duration life_max() const override;

 private:
  Resources resources_;
  Duration ttl_;
  double drift_factor_;
};

}  // namespace redlock
