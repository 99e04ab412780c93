// Nodes by endpoint, operations by number, and the watch for forks.
#include "redlock/runtime/pool.hpp"

#include <bit>

namespace redlock {

namespace {

// Everything that makes two connections different, unambiguously. Of the time-out its power of two.
std::string identity(const Endpoint& endpoint, Duration timeout) {
  std::string text;
  for (const std::string* part : {&endpoint.host, &endpoint.unix_path, &endpoint.user,
                                  &endpoint.password, &endpoint.client_name}) {
    text += std::to_string(part->size()) + ':' + *part;
  }
  const auto magnitude = std::bit_width(static_cast<std::uint64_t>(timeout.count_ns()));
  return text + std::to_string(endpoint.port) + '/' + std::to_string(endpoint.database) + '/' +
         std::to_string(magnitude);
}

}  // namespace

Pool::Pool(Transport& transport, Clock& clock, Entropy& entropy)
    : transport_(transport), clock_(clock), entropy_(entropy), reactor_(transport, clock) {}

Pool::~Pool() { close_all(); }

void Pool::notice_fork() {
  if (!reactor_.forked()) return;
  reactor_.forget_all();
  // Also those that have no connection may have removals to carry.
  for (const auto& [name, node] : nodes_) node->forget();
}

std::shared_ptr<Node> Pool::node(const Endpoint& endpoint, Duration timeout) {
  notice_fork();
  std::shared_ptr<Node>& node = nodes_[identity(endpoint, timeout)];
  if (!node) node = std::make_shared<Node>(endpoint, timeout, transport_, entropy_, encoder_);
  node->allow(timeout);
  return node;
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
  tidy();
  return reactor_.begin(std::move(operation), nodes);
}

Woken Pool::step(Instant until) {
  notice_fork();
  tidy();
  return reactor_.step(until);
}

std::optional<Instant> Pool::next_deadline() {
  notice_fork();
  return reactor_.next_deadline();
}

std::size_t Pool::connection_count() {
  notice_fork();
  return reactor_.connection_count();
}

bool Pool::done(OperationId id) {
  notice_fork();
  return !reactor_.knows(id) || reactor_.outcome(id) != nullptr;
}

Outcome Pool::take(OperationId id) {
  notice_fork();
  Outcome outcome;
  if (const Outcome* decided = reactor_.outcome(id)) outcome = *decided;
  reactor_.end(id);
  return outcome;
}

Outcome Pool::run(OperationId id) {
  while (!done(id)) step(Instant::never());
  return take(id);
}

void Pool::abort_all() {
  notice_fork();
  for (const OperationId id : reactor_.operations()) reactor_.end(id);
}

void Pool::close_idle(Duration idle) {
  notice_fork();
  reactor_.close_idle(clock_.now() - idle);
  std::erase_if(nodes_, [](const auto& entry) {
    const auto& node = entry.second;
    return node.use_count() == 1 && node->connection() == 0 && !node->has_carried();
  });
}

void Pool::deliver() { deliver(Reactor::Chance::not_the_last); }

void Pool::deliver(Reactor::Chance chance) {
  notice_fork();
  NodeList nodes;
  for (const auto& [name, node] : nodes_) {
    if (node->has_session() || node->has_carried()) nodes.push_back(node);
  }
  reactor_.deliver_removals(nodes, chance);
}

void Pool::close_all() {
  abort_all();
  deliver(Reactor::Chance::last);
  reactor_.close_all();
}

}  // namespace redlock
