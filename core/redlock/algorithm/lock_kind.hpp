// What distinguishes one kind of lock from another: all its verbs, for one lock, in the words that
// nodes understand; how many nodes decide; how long it may be trusted; and what proves it.
//
// The machines know nothing else of a lock, and a manager only chooses the kind.
// Invariants: immutable, so that operations of any thread may share one. Pure.
#pragma once
#include <cstdint>
#include <optional>

#include "redlock/algorithm/command.hpp"
#include "redlock/algorithm/entropy.hpp"
#include "redlock/algorithm/quorum_rule.hpp"
#include "redlock/algorithm/reply.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

class LockKind {
 public:
  virtual ~LockKind() = default;

  // How many of so many nodes make the lock.
  [[nodiscard]] virtual QuorumRule quorum(std::size_t node_count) const = 0;

  // Another one for each attempt; throws where there is no randomness.
  [[nodiscard]] virtual Token fresh_token(Entropy& entropy) const = 0;
  // One attempt's command; undo_of() is what reverts it.
  [[nodiscard]] virtual Command acquire(const Token& fresh) const = 0;
  // What waits in one node's line; nothing for a kind that cannot be waited for in line.
  [[nodiscard]] virtual std::optional<Command> enqueue(const Token& /*fresh*/,
                                                       const LineEntry& /*entry*/) const {
    return std::nullopt;
  }
  // What the lock's keys hold once a quorum has granted an attempt: it proves whose lock it is
  // to the verbs below. `said` came with the latest grant.
  [[nodiscard]] virtual Token proof(const Token& fresh, const ReplyPayload& said) const = 0;

  [[nodiscard]] virtual Command release(const Token& proof) const = 0;
  [[nodiscard]] virtual Command check(const Token& proof) const = 0;
  // Nothing for a kind that cannot be extended.
  [[nodiscard]] virtual std::optional<Command> extend(const Token& /*proof*/) const {
    return std::nullopt;
  }
  // Exchanges what the keys hold, and with it their ttl; nothing for a kind that cannot.
  [[nodiscard]] virtual std::optional<Command> rotate(const Token& /*proof*/,
                                                      const Token& /*fresh*/) const {
    return std::nullopt;
  }

  // Records a fence where the keys hold the proof; nothing for a kind that has none.
  [[nodiscard]] virtual std::optional<Command> raise_fence(const Token& /*proof*/,
                                                           std::int64_t /*proposal*/) const {
    return std::nullopt;
  }

  // What stands under the keys, and whether that never expires; nothing for a kind that cannot
  // tell.
  [[nodiscard]] virtual std::optional<Command> inspect() const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<Command> check_endless() const { return std::nullopt; }

  // What is left of a lock asked for, or extended, `elapsed` ago; not positive: too late.
  [[nodiscard]] virtual Duration validity(Duration elapsed) const = 0;
  // How long after it was acquired a server may still have it, by our clock.
  [[nodiscard]] virtual Duration life_max() const = 0;
};

}  // namespace redlock
