// Requests to servers that are being backed off from: deferred while the others may do without.
//
// Backing off must never cost a majority, and whether it does is judged by what happens: they are
// asked after all as soon as too few of the others are left to make a majority, or when those take
// long. Once a majority has answered they are not needed, with one exception: where votes on a lock
// that may be ours are split, theirs may decide that it is. An acquisition is tried again instead,
// unless it is the only chance that its lock has. A join is never deferred: each is an attempt of
// its own, so there are no others to do without it. One to a server that is backed off from goes at
// once where no majority is known to be well, and else not at all: its operation tries again by
// itself. Invariants: only requests of the latest attempt are deferred. Pure. One thread; one per
// operation.
#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "redlock/algorithm/command.hpp"
#include "redlock/algorithm/reply.hpp"

namespace redlock {

// The others have this part of the answer time for themselves: one in so many.
inline constexpr std::int64_t kHedgedOneIn = 4;

class HedgedRequests {
 public:
  // A node is asked, or hedged for now.
  void note_asked(AttemptNumber attempt);
  // Where it throws, the request is still the caller's.
  void defer(const Request& request, Instant now);
  // A node of the attempt has answered, or will not.
  void note_reply(AttemptNumber attempt, const Reply& reply) noexcept;

  // What is best done with those that are hedged. Requires that there are some.
  enum class Advice { wait, ask, leave };
  [[nodiscard]] Advice advise(std::size_t majority, Instant now) const;
  // When the others have had long enough; nothing when nobody is hedged.
  [[nodiscard]] std::optional<Instant> next_deadline() const;
  // Lets go of what `undo` is to undo; false: that is not deferred.
  [[nodiscard]] bool drop(const Request& undo);
  // Lets go of all that is deferred: `hand_on` takes one after the other. What it throws leaves
  // that one and those behind it here.
  template <class HandOn>
  void release(HandOn hand_on) {
    for (; !deferred_.empty(); deferred_.erase(deferred_.begin()))
      hand_on(std::as_const(deferred_.front()));
    ask_at_ = Instant::never();
  }
  [[nodiscard]] bool empty() const { return deferred_.empty(); }

 private:
  void enter(AttemptNumber attempt);
  // A majority has answered: does what is deferred still matter?
  [[nodiscard]] bool may_decide(std::size_t majority) const;

  AttemptNumber attempt_ = 0;
  std::size_t asked_ = 0;
  std::size_t granted_ = 0;
  std::size_t denied_ = 0;
  std::size_t failed_ = 0;
  std::vector<Request> deferred_;
  Instant ask_at_ = Instant::never();
};

}  // namespace redlock
