// Gives operations their inputs, and carries what they then want sent.
//
// What an operation throws (no memory, no randomness) ends it alone: it is undone in this turn or,
// while memory is short, in a later one. An answer reaches only the operation and the attempt that
// asked. One thread.
#pragma once
#include <exception>
#include <vector>

#include "redlock/net/hedging.hpp"
#include "redlock/net/listeners.hpp"
#include "redlock/net/operation_table.hpp"
#include "redlock/net/release_tombstones.hpp"

namespace redlock {

class OperationDriver {
 public:
  // All must outlive it. The locks that are given up are noted in `tombstones` while there is
  // anybody in `listeners` who could hear of them.
  OperationDriver(OperationTable& operations, LiveNodes& live, Hedging& hedging,
                  const Listeners& listeners, ReleaseTombstones& tombstones)
      : operations_(operations),
        live_(live),
        hedging_(hedging),
        listeners_(listeners),
        tombstones_(tombstones) {}

  // Gives the operation one input, and carries what it then wants sent.
  template <class Input>
  void put(RunningOperation& running, Instant now, Input input) noexcept;
  // Hands the answers that are there to whom they concern.
  void dispatch(Instant now) noexcept;
  // Ends it. Nobody will collect it.
  void end(RunningOperation& running, Instant now) noexcept;
  // Undoes what failed, hands on what was held up, and lets go of what nobody will collect.
  void tie_up(Instant now) noexcept;

 private:
  void drain(RunningOperation& running, Instant now);
  void note_given_up(const RunningOperation& running, const Request& request) noexcept;
  void note_delay(RunningOperation& running, const Arrival& arrival, Instant now);

  OperationTable& operations_;
  LiveNodes& live_;
  Hedging& hedging_;
  const Listeners& listeners_;
  ReleaseTombstones& tombstones_;
  std::vector<Arrival> batch_;  // those being dispatched
};

template <class Input>
void OperationDriver::put(RunningOperation& running, Instant now, Input input) noexcept {
  if (running.failure) return;
  try {
    input(*running.operation);
    drain(running, now);
  } catch (...) {
    running.interrupted = true;
    if (!running.decided()) running.failure = std::current_exception();
  }
  running.tell_if_done();
}

}  // namespace redlock
