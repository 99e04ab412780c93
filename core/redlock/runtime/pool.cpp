// Nodes by endpoint, operations by number, and the watch for forks.
#include "redlock/runtime/pool.hpp"

namespace redlock {

namespace {

// Everything that makes two connections different, unambiguously.
std::string identity(const Endpoint& endpoint) {
  std::string text;
  for (const std::string* part : {&endpoint.host, &endpoint.unix_path, &endpoint.user,
                                  &endpoint.password, &endpoint.client_name}) {
    text += std::to_string(part->size()) + ':' + *part;
  }
  return text + std::to_string(endpoint.port) + '/' + std::to_string(endpoint.database);
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

std::shared_ptr<Node> Pool::node(const Endpoint& endpoint) {
  notice_fork();
  std::shared_ptr<Node>& node = nodes_[identity(endpoint)];
  if (!node) node = std::make_shared<Node>(endpoint, transport_, entropy_, encoder_);
  return node;
}

OperationId Pool::begin(std::unique_ptr<Operation> operation, const NodeList& nodes) {
  notice_fork();
  return reactor_.begin(std::move(operation), nodes);
}

Woken Pool::step(Instant until) {
  notice_fork();
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

void Pool::close_all() {
  abort_all();
  reactor_.close_all();
}

}  // namespace redlock
