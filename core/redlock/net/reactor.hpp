// Moves bytes and time between operations and servers; the only loop there is.
//
// A turn (step) waits once, then: what came is read and handed to the operations; time is handed
// to whatever it concerns; what the operations now want sent is sent; connections that are to be
// given up are closed last, so that every undo still found its way onto them. Between two turns
// the caller may do as it likes, also begin or collect other operations.
// Each of these is a piece of its own: `Polling` reads, `OperationDriver` gives inputs, `Hedging`
// and `RequestSender` send, `PushRouter` hands on what is published, `LiveNodes` close.
// Invariants: reading comes before judging time, so an answer that lies in the buffer is never
// called late. An operation is here when it has started, or not at all. One thread.
#pragma once
#include <memory>
#include <optional>

#include "redlock/algorithm/operation.hpp"
#include "redlock/net/hedging.hpp"
#include "redlock/net/polling.hpp"
#include "redlock/net/push_router.hpp"
#include "redlock/os/clock.hpp"
#include "redlock/os/process.hpp"
#include "redlock/os/transport.hpp"

namespace redlock {

class Reactor {
 public:
  // All three must outlive it.
  Reactor(Transport& transport, Clock& clock, Entropy& entropy);
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // Starts the operation, its clock and its first requests. Node i of the operation is nodes[i].
  // Throws what the operation throws: then it is not known here, and undone. Nor is it known
  // afterwards where the process forked meanwhile.
  [[nodiscard]] OperationId begin(std::unique_ptr<Operation> operation, NodeList nodes);
  // What is begun from now on stays here until it is sent with all the rest of it: many commands
  // leave in one piece. No step in between.
  void hold_back() { held_back_ = true; }
  void send_held_back() noexcept;
  // Waits until something is ready, the next deadline, a signal, or `until`; then one turn.
  Woken step(Instant until);
  // The same for an event loop: when the descriptor is readable, or time is up, a step with a
  // deadline that has passed is due. Asked anew behind every step and whatever else was called.
  // How long answers take is not counted then. Nothing where the transport has no descriptor.
  [[nodiscard]] std::optional<Watch> watch();
  // The earliest moment at which a turn has something to do though nothing came in.
  [[nodiscard]] std::optional<Instant> next_deadline() const;

  // Known, and not done.
  [[nodiscard]] bool pending(OperationId id) const { return operations_.pending(id); }
  // See Operation; empty, too, where it is unknown or done.
  [[nodiscard]] auto outage(OperationId id) const { return operations_.outage(id); }
  // Decided, or failed by an exception.
  [[nodiscard]] bool done(OperationId id) const { return operations_.done(id); }
  // See OperationTable.
  void tell(OperationId id, Completions& where) noexcept { operations_.tell(id, where); }
  // Lets go of an operation that is done and gives its outcome, or throws why it failed.
  Outcome collect(OperationId id);
  // Aborts it where it is undecided, sends what that undoes, and lets go of it.
  void end(OperationId id) noexcept;
  void end_all();

  void set_idle_limit(Duration limit) { idle_.set_limit(limit); }
  // Where the lock that `removal` removes is handed over yet, it is given back.
  void note_given_up(const SharedCommand& removal) noexcept {
    if (!listeners_.empty()) tombstones_.note(removal);
  }
  enum class Chance { not_the_last, last };
  // Puts removals on their way to these nodes' servers and waits until they have been sent, at most
  // until the connections' own deadlines, and no longer than `at_most`. Returns at once where
  // nothing is owed.
  void deliver_removals(const NodeList& nodes, Chance chance, Duration at_most = kTimeoutMax);
  // Shuts down connections that are idle since `before`, or all of them.
  void close_idle(Instant before);
  void close_all();
  // All that is here belongs to the parent process. A signal handler may fork in any wait, so the
  // reactor asks this behind each of its own, and touches nothing more when it is so.
  [[nodiscard]] bool forked() const { return watch_.forked(); }
  // Lets go of all operations and connections, after a fork.
  void forget_all();
  [[nodiscard]] std::size_t connection_count() const { return live_.size(); }
  // The nodes with a connection, in the order in which a turn deals with them.
  [[nodiscard]] const NodeList& live() const { return live_.all(); }
  [[nodiscard]] std::size_t listener_count() const { return listeners_.connection_count(); }

 private:
  // Late answers and closed connections are found before the nodes are used again.
  void look_at_idle(const NodeList& nodes, Instant now);
  // Waits, and reads what is ready.
  Woken read(Instant deadline, Polling::Scope scope);
  void on_time(Instant now);
  // Until no operation and no server has anything more to say to the other.
  void settle(Instant now) noexcept;

  Transport& transport_;
  Clock& clock_;
  ForkWatch watch_;
  IdlePolicy idle_;
  OperationTable operations_;
  LiveNodes live_;
  Listeners listeners_;
  Polling polling_;
  ReleaseTombstones tombstones_;
  RequestSender sender_;
  Hedging hedging_;
  OperationDriver driver_;
  PushRouter router_;
  bool held_back_ = false;
  bool called_ = false;  // another thread wants the next step to return
};

}  // namespace redlock
