// What the node is asked for the timestamp lock: the key holds "<end on the server's
// clock>.<token>".
//
// Pure values.
#pragma once
#include <string>

#include "redlock/algorithm/command_effect.hpp"
#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/resources.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

// In which unit the stamps of a fleet are counted.
enum class StampUnit { milliseconds, seconds };

// Whose stored value counts as ours.
enum class StampProof {
  exact,           // only the very stamp that we wrote
  exact_or_plain,  // also a stamp without a fraction: an old client's overwrite
};

// Deletes the stamp whose fractional part is the token. Undoes a StampAcquire whose answer
// is unknown, when only the fraction is known.
struct StampUndo {
  static constexpr CommandTraits kTraits{.effect = Effect::removes};
  Resources keys;
  Token token;

  bool operator==(const StampUndo&) const = default;
  [[nodiscard]] LockName lock() const { return {keys.all(), token.view()}; }
  [[nodiscard]] StampUndo again() const { return *this; }
};

// Acquires the stamp lock when the key is absent or its stamp has passed on the server's
// clock: the new value is "<server now + lease>.<token>", which lives for `lease`.
// Granted, with the stored stamp as a Token; denied: a live stamp stands there.
// The token is decimal digits.
struct StampAcquire {
  static constexpr CommandTraits kTraits{.effect = Effect::acquires};
  Resources keys;
  Token token;
  Duration lease;
  StampUnit unit = StampUnit::milliseconds;

  bool operator==(const StampAcquire&) const = default;
  [[nodiscard]] LockName lock() const { return {keys.all(), token.view()}; }
  [[nodiscard]] StampUndo undo() const { return {keys, token}; }
};

// Deletes the stamp when it is ours and has more than `margin` left on the server's clock.
struct StampRelease {
  static constexpr CommandTraits kTraits{.effect = Effect::removes};
  Resources keys;
  Token stamp;  // as it was stored
  Duration margin;
  StampUnit unit = StampUnit::milliseconds;
  StampProof proof = StampProof::exact;

  bool operator==(const StampRelease&) const = default;
  [[nodiscard]] LockName lock() const { return {keys.all(), stamp.view()}; }
  // Between the two an old client may have acquired the lock: its plain stamp is not ours.
  [[nodiscard]] StampRelease again() const {
    return {keys, stamp, margin, unit, StampProof::exact};
  }
};

// Granted: the stored stamp is ours.
struct StampCheck {
  static constexpr CommandTraits kTraits{.effect = Effect::asks};
  Resources keys;
  Token stamp;  // as it was stored
  StampProof proof = StampProof::exact;

  bool operator==(const StampCheck&) const = default;
  [[nodiscard]] LockName lock() const { return {keys.all(), stamp.view()}; }
};

}  // namespace redlock
