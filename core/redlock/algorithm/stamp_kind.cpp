// The timestamp lock's verbs and lease.
#include "redlock/algorithm/stamp_kind.hpp"

#include "redlock/algorithm/validity.hpp"

namespace redlock {

StampKind::StampKind(Resources keys, Duration lease, Duration buffer, StampRules rules,
                     StampProof accepted)
    : keys_(std::move(keys)), lease_(lease), buffer_(buffer), rules_(rules), accepted_(accepted) {}

Token StampKind::fresh_token(Entropy& entropy) const { return random_fraction(entropy); }

Command StampKind::acquire(const Token& fresh) const {
  return StampAcquire{keys_, fresh, lease_ + buffer_, rules_.unit};
}

Token StampKind::proof(const Token& /*fresh*/, const ReplyPayload& said) const {
  const Token* const stored = std::get_if<Token>(&said);
  return stored == nullptr ? Token() : *stored;
}

Command StampKind::release(const Token& proof) const {
  return StampRelease{keys_, proof, buffer_, rules_.unit, accepted_};
}

Command StampKind::check(const Token& proof) const { return StampCheck{keys_, proof, accepted_}; }

Duration StampKind::validity(Duration elapsed) const {
  return lease_ - elapsed - drift_share(lease_, rules_.drift_factor);
}

Duration StampKind::life_max() const { return longest_life(lease_ + buffer_, rules_.drift_factor); }

}  // namespace redlock
