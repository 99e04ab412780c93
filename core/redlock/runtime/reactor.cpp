// The reactor's turns.
#include "redlock/runtime/reactor.hpp"

#include <algorithm>

#include "redlock/algorithm/quorum.hpp"

namespace redlock {

Reactor::Reactor(Transport& transport, Clock& clock) : transport_(transport), clock_(clock) {}

OperationId Reactor::begin(std::unique_ptr<Operation> operation, NodeList nodes) {
  look_at_idle(nodes, clock_.now());
  if (forked()) return ++last_id_;
  running_.push_back({++last_id_, std::move(operation), std::move(nodes)});
  Running& running = running_.back();
  // Read after everything above: the operation's clock starts here, before its first byte.
  const Instant now = clock_.now();
  running.operation->start(now);
  drain(running, now);
  settle(now);
  return last_id_;
}

// Late answers and closed connections are found before the node is used again.
void Reactor::look_at_idle(const NodeList& nodes, Instant now) {
  const bool stale = std::ranges::any_of(nodes, [now](const auto& node) {
    return node->overdue(now) || (node->has_session() && now - node->last_active() >= kIdleLook);
  });
  if (!stale) return;
  read(Instant(), Scope::all);
}

Woken Reactor::step(Instant until) {
  Instant deadline = until;
  if (const auto next = next_deadline(); next && *next < deadline) deadline = *next;
  const Woken woken = read(deadline, Scope::outstanding);
  if (forked()) return woken;
  const Instant now = clock_.now();
  take_time(now);
  settle(now);
  return woken;
}

// Connections with nothing outstanding have nothing to say, except that they were closed.
Woken Reactor::read(Instant deadline, Scope scope) {
  interests_.clear();
  polled_.clear();
  for (const auto& node : live_) {
    if (node->closing() || (scope == Scope::outstanding && node->idle())) continue;
    interests_.push_back({node->connection(), node->wants_write(), false, false});
    polled_.push_back(node);
  }
  const Woken woken = transport_.wait(interests_, deadline);
  if (forked()) return woken;
  const Instant now = clock_.now();
  for (std::size_t i = 0; i < polled_.size(); ++i) {
    const Interest& interest = interests_[i];
    if (!interest.readable && !interest.writable) continue;
    polled_[i]->take_ready(interest.readable, interest.writable, now, arrivals_);
  }
  polled_.clear();
  settle(now);
  return woken;
}

void Reactor::take_time(Instant now) {
  for (const auto& node : live_) node->take_time(now, arrivals_);
  // Before anybody asks again: what is given up is closed, so that it can be opened anew.
  settle(now);
  for (Running& running : running_) {
    const std::optional<Instant> deadline = running.operation->next_deadline();
    if (!deadline || now < *deadline) continue;
    running.operation->take_time(now);
    drain(running, now);
  }
}

void Reactor::settle(Instant now) {
  do {
    dispatch(now);
    for (const auto& node : live_) node->flush(now, arrivals_);
  } while (!arrivals_.empty());
  for (const auto& node : live_) {
    if (node->closing() && !awaits_verdict(*node)) node->complete_closing(now);
  }
  std::erase_if(live_, [](const auto& node) { return node->connection() == 0; });
}

bool Reactor::awaits_verdict(const Node& node) const {
  return std::ranges::any_of(
      node.open_takes(), [this](OperationId id) { return knows(id) && outcome(id) == nullptr; });
}

void Reactor::dispatch(Instant now) {
  while (!arrivals_.empty()) {
    batch_.swap(arrivals_);
    for (Arrival& arrival : batch_) {
      const auto running = std::ranges::find(running_, arrival.origin.operation, &Running::id);
      // An answer to an operation that has ended: late, and of no use to anybody.
      if (running == running_.end()) continue;
      running->operation->take_reply(arrival.origin.node, arrival.origin.attempt,
                                     std::move(arrival.reply), now);
      drain(*running, now);
    }
    batch_.clear();
  }
}

void Reactor::drain(Running& running, Instant now) {
  while (std::optional<Request> request = running.operation->next_request()) {
    send_request(running, *request, now);
  }
}

// An overdue connection is not used again, except for this: what is to be removed may still be
// under way on it, so the removal goes out behind it before the answer is sought elsewhere.
void Reactor::give_up_overdue(Node& node, const Command& command, Instant now) {
  if (!node.overdue(now)) return;
  if (is_removal(command)) {
    node.submit_cleanup(std::make_shared<const Command>(*undo_of(command)), Instant::never());
  }
  node.take_time(now, arrivals_);
  if (node.closing() && !awaits_verdict(node)) node.complete_closing(now);
}

void Reactor::send_request(Running& running, const Request& request, Instant now) {
  const std::shared_ptr<Node>& node = running.nodes[request.node.value()];
  if (!request.wants_answer) return node->submit_cleanup(request.command, request.answer_by);
  give_up_overdue(*node, *request.command, now);
  if (!node->connected_or_free(now)) allow_connecting(running, now);
  if (!node->has_session()) make_room(*node);
  node->submit({running.id, request.node, request.attempt}, request.command, request.answer_by, now,
               arrivals_);
  if (node->in_doubt()) running.operation->take_doubt(request.node, request.attempt);
  note_live(node);
}

// Backing off spares the servers, but it must never be what costs a majority.
void Reactor::allow_connecting(const Running& running, Instant now) {
  const auto usable = std::ranges::count_if(
      running.nodes, [now](const auto& node) { return node->connected_or_free(now); });
  if (static_cast<std::size_t>(usable) >= majority_of(running.nodes.size())) return;
  for (const auto& node : running.nodes) node->skip_backoff();
}

void Reactor::note_live(const std::shared_ptr<Node>& node) {
  if (node->connection() == 0 || std::ranges::find(live_, node) != live_.end()) return;
  live_.push_back(node);
}

// The longest unused connection makes room for a new one.
void Reactor::make_room(const Node& wanted) {
  if (live_.size() < kConnectionsMax) return;
  Node* oldest = nullptr;
  for (const auto& node : live_) {
    if (node.get() == &wanted || !node->idle() || !node->has_session()) continue;
    if (oldest == nullptr || node->last_active() < oldest->last_active()) oldest = node.get();
  }
  if (oldest == nullptr) return;
  oldest->shut_down(arrivals_);
  std::erase_if(live_, [](const auto& node) { return node->connection() == 0; });
}

std::optional<Instant> Reactor::next_deadline() const {
  std::optional<Instant> earliest;
  const auto consider = [&earliest](std::optional<Instant> deadline) {
    if (deadline && (!earliest || *deadline < *earliest)) earliest = deadline;
  };
  for (const Running& running : running_) consider(running.operation->next_deadline());
  for (const auto& node : live_) consider(node->next_deadline());
  return earliest;
}

const Reactor::Running* Reactor::find(OperationId id) const {
  const auto running = std::ranges::find(running_, id, &Running::id);
  return running == running_.end() ? nullptr : &*running;
}

const Outcome* Reactor::outcome(OperationId id) const {
  const Running* running = find(id);
  return running == nullptr ? nullptr : running->operation->outcome();
}

void Reactor::end(OperationId id) {
  const auto running = std::ranges::find(running_, id, &Running::id);
  if (running == running_.end()) return;
  if (running->operation->outcome() == nullptr) {
    const Instant now = clock_.now();
    running->operation->abort(now);
    drain(*running, now);
    settle(now);
  }
  std::erase_if(running_, [id](const Running& other) { return other.id == id; });
}

std::vector<OperationId> Reactor::operations() const {
  std::vector<OperationId> ids;
  for (const Running& running : running_) ids.push_back(running.id);
  return ids;
}

void Reactor::close_idle(Instant before) {
  for (const auto& node : live_) {
    if (node->idle() && node->last_active() <= before) node->shut_down(arrivals_);
  }
  settle(clock_.now());
}

void Reactor::close_all() {
  for (const auto& node : live_) node->shut_down(arrivals_);
  settle(clock_.now());
}

void Reactor::forget_all() {
  watch_.start_over();
  running_.clear();
  arrivals_.clear();
  polled_.clear();
  for (const auto& node : live_) node->forget();
  live_.clear();
  transport_.forget_all();
}

}  // namespace redlock
