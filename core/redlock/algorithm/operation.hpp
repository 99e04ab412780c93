// The verbs that every lock algorithm answers to.
//
// An operation does no I/O and reads no clock: whoever drives it hands it time and replies,
// and carries its requests. The order of duties is always the same: one input (start,
// on_reply, on_time or abort), then drain next_request() until it is empty, then wait
// until a reply comes or next_deadline() is reached.
//
// Invariants: `now` never runs backwards; once outcome() is set it never changes, and an
// operation that is done may still hold requests to drain (they undo what it left behind)
// but wants no answers to them. After an exception from any of them (no memory, no randomness)
// abort() still undoes everything, and may be called until it has succeeded. Not thread-safe.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "redlock/algorithm/command.hpp"
#include "redlock/algorithm/line.hpp"
#include "redlock/algorithm/outcome.hpp"
#include "redlock/algorithm/reply.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  // How many of its nodes decide.
  [[nodiscard]] virtual QuorumRule quorum() const = 0;
  // `now` must have been read before the first byte of any request leaves.
  virtual void start(Instant now) = 0;
  // A reply to `attempt`; one that is late, doubled or unasked for is ignored.
  virtual void on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) = 0;
  // Time has passed; called at or after next_deadline(), harmless before.
  virtual void on_time(Instant now) = 0;
  // The node was asked in this attempt though its last answer was overdue: it may still vote, but
  // need not be waited for while a majority can be asked without it.
  virtual void on_suspicion(NodeIndex /*node*/, AttemptNumber /*attempt*/) {}
  // The connection to the node is only being made, until then at the latest: the time of its answer
  // to this attempt begins behind that.
  virtual void on_delay(NodeIndex /*node*/, AttemptNumber /*attempt*/, Instant /*connected_by*/) {}
  // Does it want to hear what its nodes' servers say unasked? Then it is told of each node, by and
  // by, whether they can be heard, and again whenever that changes.
  [[nodiscard]] virtual bool listens() const { return false; }
  virtual void on_subscription(NodeIndex /*node*/, const SubscriptionState& /*subscription_state*/,
                               Instant /*now*/) {}
  // False: it is meant for somebody else.
  virtual bool on_push(NodeIndex /*node*/, const Push& /*push*/, Instant /*now*/) { return false; }
  // It goes on, but no majority could be asked lately: what each node said to that. Else empty.
  [[nodiscard]] virtual std::vector<NodeReport> outage() const { return {}; }
  // The caller gives up: what may be held is undone, the outcome is `aborted`.
  virtual void abort(Instant now) = 0;

  [[nodiscard]] virtual std::optional<Request> next_request() = 0;
  // Nothing while done.
  [[nodiscard]] virtual std::optional<Instant> next_deadline() const = 0;
  // Null while undecided.
  [[nodiscard]] virtual const Outcome* outcome() const = 0;
  // Requires outcome(). By moving, so that what was won cannot be lost on its way to the caller.
  [[nodiscard]] virtual Outcome collect() noexcept = 0;
};

}  // namespace redlock
