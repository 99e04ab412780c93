// Moves bytes and time between operations and servers; the only loop there is.
//
// A turn (step) waits once, then: what came is read and handed to the operations; time is handed
// to whatever it concerns; what the operations now want sent is sent; connections that are to be
// given up are closed last, so that every undo still found its way onto them. Between two turns
// the caller may do as it likes, also begin or take other operations.
// Invariants: a reply reaches only the operation and the attempt that asked; reading comes before
// judging time, so an answer that lies in the buffer is never called late. An operation is here
// when it has started, or not at all; what it throws (no memory, no randomness) ends it alone: it
// is undone in this turn or, while memory is short, in a later one. One thread.
#pragma once
#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "redlock/algorithm/operation.hpp"
#include "redlock/net/hedged_requests.hpp"
#include "redlock/net/listeners.hpp"
#include "redlock/net/node.hpp"
#include "redlock/net/release_tombstones.hpp"
#include "redlock/os/clock.hpp"
#include "redlock/os/process.hpp"
#include "redlock/os/transport.hpp"

namespace redlock {

inline constexpr std::size_t kConnectionsMax = 256;
// A connection silent for longer is looked at before it is used: the server may have closed it.
inline constexpr Duration kIdleLook = Duration::ms(10);
// One on which nothing was sent for longer is replaced before it is used: a NAT or a balancer may
// have forgotten it, and then nothing comes back, not even a reset.
inline constexpr Duration kIdleLimitDefault = Duration::seconds(60);
// However short the limit, calls that follow each other share a connection.
inline constexpr Duration kIdleLimitMin = Duration::seconds(1);

using NodeList = std::vector<std::shared_ptr<Node>>;

class Reactor {
 public:
  // All three must outlive it.
  Reactor(Transport& transport, Clock& clock, Entropy& entropy);

  // Starts the operation, its clock and its first requests. Node i of the operation is nodes[i].
  // Throws what the operation throws: then it is not known here, and undone.
  // Where the process forked meanwhile, it does not know the operation afterwards.
  [[nodiscard]] OperationId begin(std::unique_ptr<Operation> operation, NodeList nodes);
  // What is begun from now on stays here until it is sent with all the rest of it: many commands
  // leave in one piece. No step in between.
  void hold_back() { held_back_ = true; }
  void send_held_back() noexcept;
  // Waits until something is ready, the next deadline, a signal, or `until`; then one turn.
  Woken step(Instant until);
  // The earliest moment at which a turn has something to do though nothing came in.
  [[nodiscard]] std::optional<Instant> next_deadline() const;

  // Null when the operation is unknown or undecided.
  [[nodiscard]] const Outcome* outcome(OperationId id) const;
  [[nodiscard]] bool knows(OperationId id) const { return find(id) != nullptr; }
  // See Operation; empty, too, where it is unknown or done.
  [[nodiscard]] std::vector<NodeReport> outage(OperationId id) const;
  // Decided, or failed by an exception.
  [[nodiscard]] bool done(OperationId id) const;
  // Lets go of an operation that is done and gives its outcome, or throws why it failed.
  Outcome take(OperationId id);
  // Aborts it where it is undecided, sends what that undoes, and lets go of it.
  void end(OperationId id) noexcept;
  void end_all();

  void set_idle_limit(Duration limit) { idle_limit_ = std::max(limit, kIdleLimitMin); }
  // Where the lock that `removal` removes is handed over yet, it is given back.
  void note_given_up(const SharedCommand& removal) noexcept {
    if (!listeners_.empty()) given_up_.note(removal);
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
  [[nodiscard]] std::size_t listener_count() const { return listeners_.connection_count(); }

 private:
  struct Running {
    OperationId id;
    std::unique_ptr<Operation> operation;
    NodeList nodes;
    HedgedRequests hedged;
    // Pulled from the operation and not handed on yet.
    std::optional<Request> pending;
    // What it threw before it was decided: it is given up.
    std::exception_ptr failure;
    // Something was thrown before all its requests were handed on.
    bool interrupted = false;
    // Nobody will take it: it goes as soon as nothing of it is left to send.
    bool ended = false;
    bool withdrawn = false;
    bool has_listened = false;
    Instant began = {};
    // By node: which of the changes in what can be heard it was told last.
    std::array<std::uint64_t, kNodesMax> told{};
  };

  [[nodiscard]] const Running* find(OperationId id) const;
  void look_at_idle(const NodeList& nodes, Instant now);
  // The network may have forgotten its connection.
  [[nodiscard]] bool too_old(const Node& node, Instant now) const;
  void replace_silent(Node& node);
  // Before an acquisition, where that was not done lately or a refused removal is due: what is
  // asked in the middle of an operation comes behind no look at what is idle, and an answer may lie
  // there behind which the removal is to be repeated.
  void look_before_use(Node& node, Instant now);
  // Sends a removal that nobody waits for. It needs no look: the next connection carries it where
  // this one turns out to be dead, and where it is too old, unless the answer comes before it is
  // looked at again.
  void clean_up(Node& node, const SharedCommand& removal, Instant answer_by, Instant now);
  void close_where_decided(Node& node, Instant now);
  [[nodiscard]] bool undecided(OperationId id) const { return knows(id) && outcome(id) == nullptr; }
  // Each node's server has its own time.
  void wait_for_removals(const NodeList& nodes, Duration at_most);
  enum class Scope { outstanding, all };
  // Waits, and reads what is ready.
  Woken read(Instant deadline, Scope scope);
  void on_time(Instant now);
  // Until nobody has anything more to say to anybody.
  void settle(Instant now) noexcept;
  // Where memory is short, what is being closed is left for a later turn.
  template <class Act>
  static void or_later(Act act) noexcept {
    try {
      act();
    } catch (const std::bad_alloc&) {
      // Every step towards the end of a connection can be taken again.
    }
  }
  [[nodiscard]] bool awaits_verdict(const Node& node) const;
  void dispatch(Instant now) noexcept;
  // What can be heard, and what was: to whom it may concern.
  void hear(Instant now) noexcept;
  [[nodiscard]] static bool listens(const Running& running);
  void tell(Running& running, Instant now) noexcept;
  void offer(Node& node, const Push& push, Instant now) noexcept;
  void note_given_up(const Running& running, const Request& request) noexcept;
  void drain(Running& running, Instant now);
  void note_delay(Running& running, const Arrival& arrival, Instant now);
  // Gives the operation one input, and carries what it then wants sent.
  template <class Input>
  void put(Running& running, Instant now, Input input) noexcept {
    if (running.failure) return;
    try {
      input(*running.operation);
      drain(running, now);
    } catch (...) {
      running.interrupted = true;
      if (running.operation->outcome() == nullptr) running.failure = std::current_exception();
    }
  }
  // Undoes what failed, hands on what was held up, and lets go of what nobody will take.
  void tie_up(Instant now) noexcept;
  [[nodiscard]] Running* find(OperationId id);
  // Gives what is to be asked now instead of `command`.
  [[nodiscard]] SharedCommand give_up_overdue(Node& node, const SharedCommand& command,
                                              Instant now);
  void send_request(Running& running, const Request& request, Instant now);
  // As far as is known: none that is backed off from, and none that failed last.
  [[nodiscard]] static bool majority_is_well(const Running& running, Instant now);
  void ask(Running& running, const Request& request, Instant now);
  // Asks those that are being backed off from, or answers for them, when it is time to.
  void review_hedged(Running& running, Instant now);
  // Of a decided operation nothing is sent any more but removals.
  void withdraw(Running& running, Instant now);
  void make_room(const Node& wanted);
  void note_live(const std::shared_ptr<Node>& node);

  Transport& transport_;
  Clock& clock_;
  ForkWatch watch_;
  Duration idle_limit_ = kIdleLimitDefault;
  OperationId last_id_;
  bool held_back_ = false;
  bool called_ = false;  // another thread wants the next step to return
  Instant looked_at_;    // what came before it has been read, where anything could be overdue
  Listeners listeners_;
  ReleaseTombstones given_up_;
  std::vector<Running> running_;
  NodeList live_;  // the nodes with a connection
  NodeList silent_;
  std::vector<Interest> interests_;
  NodeList polled_;  // polled_[i] is interests_[i]'s node
  std::vector<Arrival> arrivals_;
  std::vector<Arrival> batch_;  // those being dispatched
};

}  // namespace redlock
