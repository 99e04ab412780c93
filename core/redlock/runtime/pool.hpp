// The connections of one thread, shared by all its managers and kept between calls.
//
// A pool owns the reactor and one node per distinct endpoint. It notices a fork by itself, and
// before anything else in every call: from then on the inherited connections are closed without
// a word to the servers, and operations that were under way are forgotten with their outcomes,
// for they belong to the parent.
// Invariants: nothing here is global or thread-bound. One thread.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "redlock/algorithm/entropy.hpp"
#include "redlock/algorithm/operation.hpp"
#include "redlock/runtime/clock.hpp"
#include "redlock/runtime/reactor.hpp"
#include "redlock/runtime/transport.hpp"

namespace redlock {

class Pool {
 public:
  // All three must outlive the pool.
  Pool(Transport& transport, Clock& clock, Entropy& entropy);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  // Ends operations and connections in good order.
  ~Pool();

  // The node for an endpoint; the same one for equal endpoints.
  [[nodiscard]] std::shared_ptr<Node> node(const Endpoint& endpoint);

  // Starts an operation and sends its first requests. It must be taken, decided or not.
  OperationId begin(std::unique_ptr<Operation> operation, const NodeList& nodes);
  // One turn of the reactor: waits at most until `until`, moves what is ready.
  Woken step(Instant until);
  [[nodiscard]] std::optional<Instant> next_deadline();
  // True when the outcome can be taken, or the operation is not known here (any more, or since
  // a fork).
  [[nodiscard]] bool done(OperationId id);
  // Ends the operation and gives its outcome; `aborted`, with everything undone, when it was not
  // decided yet. In a child also `aborted`, with nothing undone: what was decided is its parent's.
  Outcome take(OperationId id);
  // Steps until done, then takes.
  Outcome run(OperationId id);

  // Ends every operation; what undoes keys is sent.
  void abort_all();
  // Closes connections that have been unused for `idle` and have nothing outstanding, and
  // forgets endpoints that nobody uses any more.
  void close_idle(Duration idle);
  // abort_all(), then closes every connection.
  void close_all();
  [[nodiscard]] std::size_t connection_count();

  [[nodiscard]] Clock& clock() { return clock_; }
  [[nodiscard]] Entropy& entropy() { return entropy_; }

 private:
  void notice_fork();

  Transport& transport_;
  Clock& clock_;
  Entropy& entropy_;
  RequestEncoder encoder_;
  Reactor reactor_;
  std::map<std::string, std::shared_ptr<Node>> nodes_;
};

}  // namespace redlock
