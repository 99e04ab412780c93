// What one node is asked, in the vocabulary of the lock algorithms.
//
// How a command looks in RESP is the wire's business; what it must achieve there,
// atomically, is said in the files of its family. Pure values.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "redlock/algorithm/line_commands.hpp"
#include "redlock/algorithm/quorum_commands.hpp"
#include "redlock/algorithm/stamp_commands.hpp"

namespace redlock {

template <IsCommand... C>
using CommandOf = std::variant<C...>;
using Command =
    CommandOf<SetIfAbsent, ReleaseAndHandOver, ExtendIfEqual, CheckEqual, StampTake, StampUndo,
              StampRelease, StampCheck, CheckEndless, Inspect, Enqueue, RotateIfEqual>;

[[nodiscard]] Effect effect_of(const Command& command);
// Which lock it is about; a view into the command.
[[nodiscard]] LockName lock_name(const Command& command);
// What makes sure that the command leaves no key of ours behind; nothing for commands that
// leave none.
[[nodiscard]] std::optional<Command> undo_of(const Command& command);
// Does it remove a key?
[[nodiscard]] inline bool is_removal(const Command& command) {
  return effect_of(command) == Effect::removes;
}
// Does it take a lock?
[[nodiscard]] inline bool is_take(const Command& command) {
  return effect_of(command) == Effect::takes;
}

// Is it a take that may have been sent before, so that one which is not sent has something to undo?
[[nodiscard]] bool is_repeated_take(const Command& command);
// Is it a take of which another one is tried where it fails?
[[nodiscard]] bool is_retried_take(const Command& command);

// Which of an operation's attempts a command belongs to; a late reply to an earlier
// attempt is told from the current one's by it.
using AttemptNumber = std::uint64_t;
// Of an operation that makes no second one.
inline constexpr AttemptNumber kOnlyAttempt = 1;

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
