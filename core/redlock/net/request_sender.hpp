// How a request comes onto its node's connection: a connection that is overdue, closed or too old
// is found out first, and one is opened where there is none.
//
// One thread.
#pragma once
#include "redlock/net/idle_policy.hpp"
#include "redlock/net/live_nodes.hpp"
#include "redlock/net/running_operation.hpp"

namespace redlock {

class RequestSender {
 public:
  // Both must outlive it.
  RequestSender(LiveNodes& live, const IdlePolicy& idle) : live_(live), idle_(idle) {}

  // What came before `now` has been read, where anything could be overdue.
  void note_look(Instant now) { looked_at_ = now; }
  // Before a take, where that was not done lately or a refused removal is due: what is asked in the
  // middle of an operation comes behind no look at what is idle, and an answer may lie there behind
  // which the removal is to be repeated.
  void look_before_use(Node& node, Instant now);
  // An overdue connection is not used again, except for this: what is to be removed may still be
  // under way on it, so the removal goes out behind it before the answer is sought elsewhere. Gives
  // what is to be asked now instead of `command`.
  [[nodiscard]] SharedCommand give_up_overdue(Node& node, const SharedCommand& command,
                                              Instant now);
  // Sends it. What cannot be sent is answered at once.
  void ask(RunningOperation& running, const Request& request, Instant now);
  // Sends a removal that nobody waits for. It needs no look: the next connection carries it where
  // this one turns out to be dead, and where it is too old, unless the answer comes before it is
  // looked at again.
  void clean_up(Node& node, const SharedCommand& removal, Instant answer_by, Instant now);

 private:
  LiveNodes& live_;
  const IdlePolicy& idle_;
  Instant looked_at_;
};

}  // namespace redlock
