// Nodes by endpoint, operations by number, and the watch for forks.
#include "redlock/net/pool.hpp"

namespace redlock {

Pool::Pool(Transport& transport, Clock& clock, Entropy& entropy)
    : clock_(clock),
      entropy_(entropy),
      nodes_(transport, entropy),
      reactor_(transport, clock, entropy) {}

Pool::~Pool() { close_all(); }

void Pool::notice_fork() {
  if (!reactor_.forked()) return;
  reactor_.forget_all();
  queries_.clear();
  // Also those that have no connection may have removals to carry.
  nodes_.forget_connections();
}

std::shared_ptr<Node> Pool::node(const Endpoint& endpoint, Duration timeout,
                                 Duration connect_timeout) {
  notice_fork();
  return nodes_.node(endpoint, timeout, connect_timeout, [this] { return clock_.now(); });
}

void Pool::set_idle_limit(Duration limit) {
  idle_limit_ = limit;
  reactor_.set_idle_limit(limit);
}

// A worker that lives for days has no end of a request on which tidying could hang.
void Pool::tidy() {
  const Instant now = clock_.now();
  if (now - tidied_at_ < kTidyEvery) return;
  tidied_at_ = now;
  close_idle(idle_limit_);
}

OperationId Pool::begin(std::unique_ptr<Operation> operation, const NodeList& nodes) {
  notice_fork();
  return reactor_.begin(std::move(operation), nodes);
}

OperationId Pool::begin(std::unique_ptr<Operation> operation, const NodeList& nodes, Token token) {
  queries_.make_room();
  const OperationId id = begin(std::move(operation), nodes);
  queries_.add(id, std::move(token));
  return id;
}

Woken Pool::step(Instant until) {
  notice_fork();
  tidy();
  return reactor_.step(until);
}

std::optional<Watch> Pool::watch() {
  notice_fork();
  return reactor_.watch();
}

std::optional<Instant> Pool::next_deadline() {
  notice_fork();
  return reactor_.next_deadline();
}

std::size_t Pool::connection_count() {
  notice_fork();
  return reactor_.connection_count();
}

std::size_t Pool::listener_count() {
  notice_fork();
  return reactor_.listener_count();
}

bool Pool::done(OperationId id) {
  notice_fork();
  return !reactor_.pending(id);
}

void Pool::tell(OperationId id, Completions& completions) noexcept {
  notice_fork();
  reactor_.tell(id, completions);
}

std::optional<Outcome> Pool::outage(OperationId id) {
  notice_fork();
  return reactor_.outage(id);
}

Outcome Pool::collect(OperationId id) {
  notice_fork();
  const bool given_up = queries_.take(id);
  if (!reactor_.done(id)) {
    reactor_.end(id);
    return {};
  }
  Outcome outcome = reactor_.collect(id);
  const bool granted =
      outcome.decision == Decision::granted || outcome.decision == Decision::expired_in_flight;
  if (given_up && granted) outcome.decision = Decision::denied;
  return outcome;
}

void Pool::run_until_done(OperationId id) {
  try {
    while (!done(id)) step(Instant::never());
  } catch (...) {
    // Nobody else knows its number.
    (void)queries_.take(id);
    reactor_.end(id);
    throw;
  }
}

Outcome Pool::run(OperationId id) {
  run_until_done(id);
  return collect(id);
}

void Pool::abort_all() {
  notice_fork();
  queries_.clear();
  reactor_.end_all();
}

void Pool::close_idle(Duration idle) {
  notice_fork();
  reactor_.close_idle(clock_.now() - idle);
  nodes_.forget_unused(clock_.now());
}

void Pool::deliver() { deliver(Reactor::Chance::not_the_last); }

void Pool::deliver(const NodeList& nodes, Duration at_most) {
  notice_fork();
  reactor_.deliver_removals(nodes, Reactor::Chance::last, at_most);
}

// The last chance: whatever server is backed off from.
void Pool::deliver(Reactor::Chance chance) {
  notice_fork();
  // Before they are tried again, and so have a connection.
  nodes_.forget_unused(clock_.now());
  reactor_.deliver_removals(nodes_.in_use(), chance);
}

void Pool::close_all() noexcept {
  try {
    abort_all();
    deliver(Reactor::Chance::last);
  } catch (...) {
    // No memory to wait for what is owed; closing alone still says what the connections take. What
    // they do not ends with its TTL, as where a process is killed.
  }
  close_connections();
}

void Pool::close_connections() {
  notice_fork();
  reactor_.close_all();
}

}  // namespace redlock
