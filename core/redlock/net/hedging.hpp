// Which requests of an operation are sent now, which are kept back, and when those are sent after
// all: HedgedRequests judges, this carries it out.
//
// A join is never kept: each is an attempt of its own, so there are no others to do without it. One
// to a server that is backed off from goes at once where no majority is known to be well, and else
// not at all: its operation tries again by itself. One thread.
#pragma once
#include "redlock/net/live_nodes.hpp"
#include "redlock/net/request_sender.hpp"
#include "redlock/net/running_operation.hpp"

namespace redlock {

class Hedging {
 public:
  // Both must outlive it.
  Hedging(RequestSender& sender, LiveNodes& live) : sender_(sender), live_(live) {}

  // Sends it, keeps it, or answers for it.
  void send(RunningOperation& running, const Request& request, Instant now);
  // Asks those that are being backed off from, or answers for them, when it is time to.
  void review(RunningOperation& running, Instant now);
  // Of a decided operation nothing is sent any more but removals.
  void withdraw(RunningOperation& running, Instant now);

 private:
  // As far as is known: none that is backed off from, and none that failed last.
  [[nodiscard]] static bool majority_is_well(const RunningOperation& running, Instant now);
  void answer_absent(const RunningOperation& running, const Request& request);

  RequestSender& sender_;
  LiveNodes& live_;
};

}  // namespace redlock
