// The connections of one thread, shared by all its managers and kept between calls.
//
// A pool owns the reactor and one node per distinct endpoint. It notices a fork by itself, and
// before anything else in every call: from then on the inherited connections are closed without
// a word to the servers, and operations that were under way are forgotten with their outcomes,
// for they belong to the parent.
// Invariants: nothing here is global or thread-bound. One thread.
#pragma once
#include <memory>
#include <optional>

#include "redlock/algorithm/entropy.hpp"
#include "redlock/algorithm/operation.hpp"
#include "redlock/net/node_table.hpp"
#include "redlock/net/reactor.hpp"
#include "redlock/net/revocable_queries.hpp"
#include "redlock/os/clock.hpp"
#include "redlock/os/transport.hpp"
#include "redlock/queue/line_memory.hpp"

namespace redlock {

// Connections and endpoints that nobody uses are looked for this often, while the pool is used.
inline constexpr Duration kTidyEvery = Duration::seconds(1);

class Pool {
 public:
  // All three must outlive the pool.
  Pool(Transport& transport, Clock& clock, Entropy& entropy);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  // Ends operations and connections in good order.
  ~Pool();

  // The node for an endpoint, whose users wait so long for an answer, and for a connection; see
  // NodeTable.
  [[nodiscard]] std::shared_ptr<Node> node(const Endpoint& endpoint, Duration timeout,
                                           Duration connect_timeout);
  [[nodiscard]] std::shared_ptr<Node> node(const Endpoint& endpoint, Duration timeout) {
    return node(endpoint, timeout, usual_connect_time(timeout));
  }

  // While one lives, what is begun is not sent; then it is, many commands in one piece. Nothing is
  // waited for meanwhile.
  class Batch {
   public:
    explicit Batch(Pool& pool) : reactor_(pool.reactor_) { reactor_.hold_back(); }
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    ~Batch() { reactor_.send_held_back(); }

   private:
    Reactor& reactor_;
  };

  // Starts an operation and sends its first requests. It must be collected, from this pool, decided
  // or not. Throws where it cannot start (no memory, no randomness); what was sent for it already
  // is undone.
  [[nodiscard]] OperationId begin(std::unique_ptr<Operation> operation, const NodeList& nodes);
  // The same for one that asks whether `token` is still the lock's: it is denied at best where that
  // is given up before it is collected.
  [[nodiscard]] OperationId begin(std::unique_ptr<Operation> operation, const NodeList& nodes,
                                  Token token);
  // A release of this lock is about to begin.
  void give_up(const Token& token) { queries_.give_up(token); }
  // The lock that `removal` removes was given up, though none of it may have to be sent.
  void note_given_up(const SharedCommand& removal) { reactor_.note_given_up(removal); }
  // One turn of the reactor: waits at most until `until`, moves what is ready.
  Woken step(Instant until);
  // What an event loop waits for before the next step, which is one that does not wait.
  [[nodiscard]] std::optional<Watch> watch();
  [[nodiscard]] std::optional<Instant> next_deadline();
  // True when the outcome can be collected, or the operation is not known here (any more, or since
  // a fork).
  [[nodiscard]] bool done(OperationId id);
  // Adds the operation to `completions` when it is done, which may be at once. Requires room there,
  // made before it began, or it would throw with the operation under way.
  void tell(OperationId id, Completions& completions) noexcept;
  // No majority could be asked lately, and the operation goes on: what its outcome would be. Else
  // nothing.
  [[nodiscard]] std::optional<Outcome> outage(OperationId id);
  // Ends the operation and gives its outcome; `aborted`, with everything undone, when it was not
  // decided yet. Throws what it failed by, undone too. In a child also `aborted`, with nothing
  // undone: what was decided is its parent's.
  Outcome collect(OperationId id);
  // Steps until done. What it throws has ended the operation, with everything undone.
  void run_until_done(OperationId id);
  // Then collects it, too.
  Outcome run(OperationId id);

  // Ends every operation; what undoes keys is sent.
  void abort_all();
  // How long a connection may be unused: then it is closed, and never used before it is opened
  // anew. A second at least counts between two calls.
  void set_idle_limit(Duration limit);
  // Puts on their way the removals that are not, and waits until they are: a server that is up has
  // its connection's own time, one that was waited for in vain no more until it answers. For the
  // end of a request, after which nobody may come back for long.
  void deliver();
  // To these servers alone, backed off from or not, and waits no longer than that.
  void deliver(const NodeList& nodes, Duration at_most);
  // Closes connections that have been unused for `idle` and have nothing outstanding, and
  // forgets endpoints that nobody uses any more.
  void close_idle(Duration idle);
  // abort_all(), a last deliver(), then closes every connection; without memory that alone.
  void close_all() noexcept;
  [[nodiscard]] std::size_t connection_count();
  // The connections on which servers are listened to, which are not among them.
  [[nodiscard]] std::size_t listener_count();
  [[nodiscard]] std::size_t endpoint_count() const { return nodes_.size(); }

  [[nodiscard]] Clock& clock() { return clock_; }
  [[nodiscard]] Entropy& entropy() { return entropy_; }
  // What waits in line leave for the next ones.
  [[nodiscard]] const std::shared_ptr<LineMemory>& line_memory() const { return line_memory_; }

 private:
  void deliver(Reactor::Chance chance);
  void notice_fork();
  void tidy();
  void close_connections();

  Clock& clock_;
  Entropy& entropy_;
  NodeTable nodes_;
  Reactor reactor_;
  RevocableQueries queries_;
  std::shared_ptr<LineMemory> line_memory_ = std::make_shared<LineMemory>();
  Duration idle_limit_ = kIdleLimitDefault;
  Instant tidied_at_;
};

}  // namespace redlock
