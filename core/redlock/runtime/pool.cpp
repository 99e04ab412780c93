// Nodes by endpoint, operations by number, and the watch for forks.
#include "redlock/runtime/pool.hpp"

#include <unistd.h>

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
    : transport_(transport),
      clock_(clock),
      entropy_(entropy),
      reactor_(transport, clock),
      process_id_(getpid()) {}

Pool::~Pool() { close_all(); }

void Pool::notice_fork() {
  const long process_id = getpid();
  if (process_id == process_id_) return;
  process_id_ = process_id;
  ++generation_;
  reactor_.forget_all();
  for (const auto& [name, node] : nodes_) node->forget();
}

std::uint64_t Pool::generation() {
  notice_fork();
  return generation_;
}

std::shared_ptr<Node> Pool::node(const Endpoint& endpoint) {
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

bool Pool::done(OperationId id) const {
  return !reactor_.knows(id) || reactor_.outcome(id) != nullptr;
}

Outcome Pool::take(OperationId id) {
  Outcome outcome;
  if (const Outcome* decided = reactor_.outcome(id)) {
    outcome = *decided;
  } else {
    // Aborting sends; after a fork there is nothing of ours to send.
    notice_fork();
  }
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
