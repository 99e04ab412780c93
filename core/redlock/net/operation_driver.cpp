// One input, then all requests.
#include "redlock/net/operation_driver.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace redlock {

void OperationDriver::dispatch(Instant now) noexcept {
  std::vector<Arrival>& arrivals = live_.arrivals();
  while (!arrivals.empty()) {
    batch_.swap(arrivals);
    for (Arrival& arrival : batch_) {
      RunningOperation* const running = operations_.find(arrival.origin.operation);
      // An answer to an operation that has ended: late, and of no use to anybody.
      if (running == nullptr) continue;
      if (arrival.connected_by) {
        note_delay(*running, arrival, now);
        continue;
      }
      running->hedged.note_reply(arrival.origin.attempt, arrival.reply);
      // What it throws stays with the operation.
      put(*running, now, [&](Operation& operation) {
        // First: what the reply makes necessary is sent before what it makes the operation undo.
        hedging_.review(*running, now);
        operation.on_reply(arrival.origin.node, arrival.origin.attempt, std::move(arrival.reply),
                           now);
      });
    }
    batch_.clear();
  }
}

// It is waited for as for any other connection: once in all attempts.
void OperationDriver::note_delay(RunningOperation& running, const Arrival& arrival, Instant now) {
  const Node& node = *running.nodes[arrival.origin.node.value()];
  const Instant latest = running.began + node.connect_timeout();
  put(running, now, [&](Operation& operation) {
    operation.on_delay(arrival.origin.node, arrival.origin.attempt,
                       std::min(*arrival.connected_by, latest));
  });
}

void OperationDriver::drain(RunningOperation& running, Instant now) {
  for (;;) {
    if (!running.pending) running.pending = running.operation->next_request();
    if (!running.pending) break;
    note_given_up(running, *running.pending);
    hedging_.send(running, *running.pending, now);
    running.pending.reset();
  }
  hedging_.review(running, now);
  if (running.decided()) hedging_.withdraw(running, now);
}

// A release, or what a wait leaves behind. Other attempts stand in no line.
void OperationDriver::note_given_up(const RunningOperation& running,
                                    const Request& request) noexcept {
  if (listeners_.empty() || !traits_of(*request.command).hands_over) return;
  if (request.wants_answer || running.has_listened) tombstones_.note(request.command);
}

void OperationDriver::end(RunningOperation& running, Instant now) noexcept {
  running.end();
  if (running.decided()) return;
  put(running, now, [now](Operation& operation) { operation.abort(now); });
}

void OperationDriver::tie_up(Instant now) noexcept {
  for (RunningOperation& running : operations_) {
    if (!running.interrupted) continue;
    try {
      if (running.failure) running.operation->abort(now);
      drain(running, now);
      running.interrupted = false;
    } catch (...) {
      // Still no memory: a later turn tries again.
    }
    running.tell_if_done();
  }
  operations_.drop_ended();
}

}  // namespace redlock
