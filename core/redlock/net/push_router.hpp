// Who is told what servers say unasked, and what becomes of what nobody waits for.
//
// A lock that is handed over to a token that was given up is given back. One thread.
#pragma once
#include "redlock/net/idle_policy.hpp"
#include "redlock/net/listeners.hpp"
#include "redlock/net/operation_driver.hpp"
#include "redlock/net/release_tombstones.hpp"
#include "redlock/net/request_sender.hpp"

namespace redlock {

class PushRouter {
 public:
  // All must outlive it.
  PushRouter(OperationTable& operations, OperationDriver& driver, RequestSender& sender,
             Listeners& listeners, const ReleaseTombstones& tombstones, const IdlePolicy& idle)
      : operations_(operations),
        driver_(driver),
        sender_(sender),
        listeners_(listeners),
        tombstones_(tombstones),
        idle_(idle) {}

  // Tells what can be heard, and what was, to whom it may concern.
  void route(Instant now) noexcept;

 private:
  void tell(RunningOperation& running, Instant now) noexcept;
  void offer(Node& node, const Push& push, Instant now) noexcept;

  OperationTable& operations_;
  OperationDriver& driver_;
  RequestSender& sender_;
  Listeners& listeners_;
  const ReleaseTombstones& tombstones_;
  const IdlePolicy& idle_;
};

}  // namespace redlock
