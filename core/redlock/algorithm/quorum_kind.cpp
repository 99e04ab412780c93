// The quorum lock's verbs and validity.
#include "redlock/algorithm/quorum_kind.hpp"

#include "redlock/algorithm/validity.hpp"

namespace redlock {

QuorumKind::QuorumKind(Resources resources, Duration ttl, double drift_factor)
    : resources_(std::move(resources)), ttl_(ttl), drift_factor_(drift_factor) {}

Token QuorumKind::fresh_token(Entropy& entropy) const { return random_token(entropy); }

Command QuorumKind::take(const Token& fresh) const { return SetIfAbsent{resources_, fresh, ttl_}; }

Token QuorumKind::proof(const Token& fresh, const std::string& /*text*/) const { return fresh; }

Command QuorumKind::release(const Token& proof) const { return DeleteIfEqual{resources_, proof}; }

Command QuorumKind::check(const Token& proof) const { return CheckEqual{resources_, proof}; }

std::optional<Command> QuorumKind::extend(const Token& proof) const {
  return ExtendIfEqual{resources_, proof, ttl_};
}

Duration QuorumKind::validity(Duration elapsed) const {
  return validity_of(ttl_, elapsed, drift_factor_);
}

Duration QuorumKind::life_max() const { return longest_life(ttl_, drift_factor_); }

}  // namespace redlock
