// What one node is asked, in the vocabulary of the lock algorithms.
//
// How a command looks in RESP is the wire's business; what it must achieve there,
// atomically, is said in the files of its family. Pure values.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "redlock/algorithm/fence_commands.hpp"
#include "redlock/algorithm/line_commands.hpp"
#include "redlock/algorithm/permit_commands.hpp"
#include "redlock/algorithm/quorum_commands.hpp"
#include "redlock/algorithm/shared_commands.hpp"
#include "redlock/algorithm/stamp_commands.hpp"

namespace redlock {

template <IsCommand... C>
using CommandOf = std::variant<C...>;
using Command = CommandOf<SetIfAbsent, ReleaseAndHandOver, ExtendIfEqual, CheckEqual, StampAcquire,
                          StampUndo, StampRelease, StampCheck, CheckEndless, Inspect, Enqueue,
                          RotateIfEqual, SetAllIfAbsent, RaiseFence, ShareIfFree, Promote, Demote,
                          TakeSlot, StandForPermit, LeavePermits>;

[[nodiscard]] const CommandTraits& traits_of(const Command& command);
// Which lock it is about; a view into the command.
[[nodiscard]] LockName lock_name(const Command& command);
// What makes sure that the command leaves no key of ours behind; nothing for commands that
// leave none.
[[nodiscard]] std::optional<Command> undo_of(const Command& command);
// Does it remove a key?
[[nodiscard]] inline bool is_removal(const Command& command) {
  return traits_of(command).effect == Effect::removes;
}
// Does it acquire a lock?
[[nodiscard]] inline bool is_acquisition(const Command& command) {
  return traits_of(command).effect == Effect::acquires;
}
// Must replicas have it before it counts, where any are demanded? What takes a lock or lets it live
// longer, as a replica that takes over knows only what it has. Not a release, nor what makes a lock
// shorter: without those somebody waits for too long.
[[nodiscard]] inline bool is_for_replicas(const Command& command) {
  const CommandTraits& traits = traits_of(command);
  const bool votes = traits.effect == Effect::acquires || traits.effect == Effect::prolongs;
  return votes && traits.needs_replicas;
}

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
