// RedLock's commands and validity.
#include "redlock/algorithm/quorum_recipe.hpp"

#include "redlock/algorithm/validity.hpp"

namespace redlock {

QuorumRecipe::QuorumRecipe(Resource resource, Duration ttl, double drift_factor)
    : resource_(std::move(resource)), ttl_(ttl), drift_factor_(drift_factor) {}

Token QuorumRecipe::fresh_token(Entropy& entropy) const { return random_token(entropy); }

Command QuorumRecipe::take(const Token& token) const { return SetIfAbsent{resource_, token, ttl_}; }

Command QuorumRecipe::undo(const Token& token) const { return DeleteIfEqual{resource_, token}; }

Duration QuorumRecipe::validity(Duration elapsed) const {
  return validity_of(ttl_, elapsed, drift_factor_);
}

Duration QuorumRecipe::life_max() const { return longest_life(ttl_, drift_factor_); }

}  // namespace redlock
