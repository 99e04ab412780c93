// The timestamp lock's commands and lease.
#include "redlock/algorithm/stamp_recipe.hpp"

#include "redlock/algorithm/validity.hpp"

namespace redlock {

StampRecipe::StampRecipe(Resource key, Duration lease, Duration buffer, double drift_factor,
                         StampUnit unit)
    : key_(std::move(key)),
      lease_(lease),
      buffer_(buffer),
      drift_factor_(drift_factor),
      unit_(unit) {}

Token StampRecipe::fresh_token(Entropy& entropy) const { return random_fraction(entropy); }

Command StampRecipe::take(const Token& token) const {
  return StampTake{key_, token, lease_ + buffer_, unit_};
}

Command StampRecipe::undo(const Token& token) const { return StampUndo{key_, token}; }

Duration StampRecipe::validity(Duration elapsed) const {
  return lease_ - elapsed - drift_share(lease_, drift_factor_);
}

Duration StampRecipe::life_max() const { return longest_life(lease_ + buffer_, drift_factor_); }

}  // namespace redlock
