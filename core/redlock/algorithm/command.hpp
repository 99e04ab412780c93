// What one node is asked, in the vocabulary of the lock algorithms.
//
// How a command looks in RESP is the wire's business; what it must achieve there,
// atomically, is said here. Pure values.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

// Sets the key when it is absent. Granted: set. Denied: the key exists.
struct SetIfAbsent {
  Resource resource;
  Token token;
  Duration ttl;
};

// Deletes the key when it holds the token. Granted: deleted. Denied: not proven ours.
struct DeleteIfEqual {
  Resource resource;
  Token token;
};

// Makes the key live for `ttl` from now when it holds the token, unless it already
// lives longer. Granted: it now lives at least that long. Denied: not proven ours.
struct ExtendIfEqual {
  Resource resource;
  Token token;
  Duration ttl;
};

// Granted: the key holds the token. Denied: it does not.
struct CheckEqual {
  Resource resource;
  Token token;
};

// Granted: the key exists and never expires, so what stands there is nobody's lock. Denied: it
// will expire, or is gone.
struct CheckEndless {
  Resource resource;
};

// In which unit the stamps of a fleet are counted.
enum class StampUnit { milliseconds, seconds };

// Takes the stamp lock when the key is absent or its stamp has passed on the server's
// clock: the new value is "<server now + lease>.<token>", which lives for `lease`.
// Granted, with the stored stamp as the reply's text; denied: a live stamp stands there.
// The token is decimal digits.
struct StampTake {
  Resource key;
  Token token;
  Duration lease;
  StampUnit unit = StampUnit::milliseconds;
};

// Deletes the stamp whose fractional part is the token. Undoes a StampTake whose answer
// is unknown, when only the fraction is known.
struct StampUndo {
  Resource key;
  Token token;
};

// Whose stored value counts as ours.
enum class StampProof {
  exact,           // only the very stamp that we wrote
  exact_or_plain,  // also a stamp without a fraction: an old client's overwrite
};

// Deletes the stamp when it is ours and has more than `margin` left on the server's clock.
struct StampRelease {
  Resource key;
  std::string stamp;
  Duration margin;
  StampUnit unit = StampUnit::milliseconds;
  StampProof proof = StampProof::exact;
};

// Granted: the stored stamp is ours.
struct StampCheck {
  Resource key;
  std::string stamp;
  StampProof proof = StampProof::exact;
};

using Command = std::variant<SetIfAbsent, DeleteIfEqual, ExtendIfEqual, CheckEqual, StampTake,
                             StampUndo, StampRelease, StampCheck, CheckEndless>;

// Which of an operation's attempts a command belongs to; a late reply to an earlier
// attempt is told from the current one's by it.
using AttemptNumber = std::uint64_t;

// One command for one node. When no answer has come at `answer_by`, there is none.
struct Request {
  NodeIndex node;
  AttemptNumber attempt;
  // Shared by the nodes of a round; never null.
  std::shared_ptr<const Command> command;
  Instant answer_by;
  // False for what only cleans up: it is sent where there is a connection, and its answer is of
  // no interest.
  bool wants_answer = true;
};

}  // namespace redlock
