// Prolongs a lock that a majority still knows as ours.
//
// The machine is an inquiry whose grant carries a new validity, counted from before the
// first byte left. A failed extend never shortens the lock: no node lowers a key's expiry.
#pragma once
#include "redlock/algorithm/inquiry.hpp"

namespace redlock {

class Extend final : public Inquiry {
 public:
  // Requires 0 < ttl <= kTtlMax and a drift that leaves some of it.
  Extend(AnswerTimes answer_times, ExtendIfEqual command, double drift_factor);

 protected:
  void complete_grant(Outcome& outcome, Instant started) override;

 private:
  Token token_;
  Duration ttl_;
  double drift_factor_;
};

}  // namespace redlock
