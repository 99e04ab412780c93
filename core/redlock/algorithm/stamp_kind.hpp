// The timestamp lock: the stored value says when the lease ends.
//
// The server's clock writes and judges the stamp; the holder trusts its lease, without the
// buffer and less drift, counted on its own clock from before the first byte left. There is no
// floor as in RedLock's formula: the server drops no key before the whole of lease and buffer has
// passed on its clock, so that the share covers all that the clocks may differ by.
#pragma once
#include "redlock/algorithm/lock_kind.hpp"
#include "redlock/algorithm/resources.hpp"

namespace redlock {

// What a fleet agrees on.
struct StampRules {
  StampUnit unit = StampUnit::milliseconds;
  double drift_factor = 0;  // 0 <= factor < 1
};

class StampKind final : public LockKind {
 public:
  // Requires 0 <= lease, 0 <= buffer, their sum <= kTtlMax and, to acquire, a drift that
  // leaves some of the lease. Acquired for lease + buffer; released while more than the buffer is
  // left.
  StampKind(Resources keys, Duration lease, Duration buffer, StampRules rules,
            StampProof accepted = StampProof::exact);

  [[nodiscard]] QuorumRule quorum(std::size_t node_count) const override {
    return QuorumRule::majority(node_count);
  }
  [[nodiscard]] Token fresh_token(Entropy& entropy) const override;
  [[nodiscard]] Command acquire(const Token& fresh) const override;
  // The stamp as the server stored it.
  [[nodiscard]] Token proof(const Token& fresh, const ReplyPayload& said) const override;
  [[nodiscard]] Command release(const Token& proof) const override;
  [[nodiscard]] Command check(const Token& proof) const override;
  [[nodiscard]] Duration validity(Duration elapsed) const override;
  [[nodiscard]] Duration life_max() const override;

 private:
  Resources keys_;
  Duration lease_;
  Duration buffer_;
  StampRules rules_;
  StampProof accepted_;
};

}  // namespace redlock
