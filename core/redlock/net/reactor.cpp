// The reactor's turns.
#include "redlock/net/reactor.hpp"

#include <algorithm>
#include <atomic>

namespace redlock {

namespace {

// Behind it the reactor's ids begin. Whoever asks another pool for the outcome of his operation
// must not be given somebody else's.
OperationId fresh_base() {
  constexpr unsigned kBitsOfOneReactor = 40;
  static std::atomic<OperationId> reactors = 0;
  return reactors.fetch_add(1, std::memory_order_relaxed) << kBitsOfOneReactor;
}

}  // namespace

Reactor::Reactor(Transport& transport, Clock& clock, Entropy& entropy)
    : transport_(transport),
      clock_(clock),
      last_id_(fresh_base()),
      listeners_(transport, entropy) {}

OperationId Reactor::begin(std::unique_ptr<Operation> operation, NodeList nodes) {
  look_at_idle(nodes, clock_.now());
  if (forked()) return ++last_id_;
  // What could not be closed for want of memory can be opened again only when it is.
  if (std::ranges::any_of(nodes, [](const auto& node) { return node->closing(); })) {
    settle(clock_.now());
  }
  const OperationId id = ++last_id_;
  running_.push_back({id, std::move(operation), std::move(nodes), {}, {}, {}});
  // Read after everything above: the operation's clock starts here, before its first byte.
  const Instant now = clock_.now();
  running_.back().began = now;
  put(running_.back(), now, [now](Operation& started) { started.start(now); });
  settle(now);
  Running& running = *find(id);
  if (!running.failure) return id;
  // Its caller gets no number to take it by.
  const std::exception_ptr failure = running.failure;
  running.ended = true;
  tie_up(now);
  std::rethrow_exception(failure);
}

Woken Reactor::step(Instant until) {
  Instant deadline = until;
  if (const auto next = next_deadline(); next && *next < deadline) deadline = *next;
  // Whoever called while there was only a look is heard now.
  const Woken woken = read(called_ ? Instant() : deadline, Scope::outstanding);
  if (forked()) return woken;
  const Instant now = clock_.now();
  // The process may have stood still since it read, and answers have come in time.
  const bool any_overdue =
      listeners_.overdue(now) ||
      std::ranges::any_of(live_, [now](const auto& node) { return node->overdue(now); });
  if (any_overdue) read(Instant(), Scope::outstanding);
  if (forked()) return woken;
  on_time(now);
  if (forked()) return woken;
  for (const auto& node : live_) node->introduce(now, arrivals_);
  settle(now);
  return std::exchange(called_, false) ? Woken::called : woken;
}

// Connections with nothing outstanding have nothing to say, except that they were closed. Who
// listens may ask on them at any moment, and wants to know.
Woken Reactor::read(Instant deadline, Scope scope) {
  interests_.clear();
  polled_.clear();
  bool buffered = false;
  const Instant begun = clock_.now();
  for (const auto& node : live_) {
    // Some have been closed since the end of the last turn.
    const bool silent =
        node->idle() && node->unanswered_bytes() == 0 && !listeners_.listens_to(*node);
    if (!node->has_conversation() || (scope == Scope::outstanding && silent)) continue;
    const Wants wants = transport_.wants(node->connection(), node->has_output());
    buffered = buffered || wants.buffered;
    node->begin_look(begun);
    interests_.push_back({node->connection(), wants, false, false});
    polled_.push_back(node);
  }
  const bool all = scope == Scope::all;
  buffered |=
      listeners_.add_interests(all ? Listeners::Scope::all : Listeners::Scope::wanted, interests_);
  const Woken woken = transport_.wait(interests_, buffered ? Instant() : deadline);
  if (forked()) return woken;
  called_ = called_ || woken == Woken::called;
  const Instant now = clock_.now();
  for (std::size_t i = 0; i < polled_.size(); ++i) {
    const Interest& interest = interests_[i];
    polled_[i]->end_look(now);
    const bool readable = interest.readable || interest.wants.buffered;
    if (!readable && !interest.writable) continue;
    polled_[i]->take_ready(readable, interest.writable, now, arrivals_);
  }
  listeners_.take_ready(std::span(interests_).subspan(polled_.size()), now);
  polled_.clear();
  settle(now);
  return buffered && woken == Woken::deadline ? Woken::ready : woken;
}

void Reactor::on_time(Instant now) {
  bool any_given_up = listeners_.on_time(now);
  for (const auto& node : live_) any_given_up |= node->on_time(now, arrivals_);
  // Before anybody asks again: what is given up is closed, so that it can be opened anew.
  if (any_given_up) settle(now);
  const auto due = [now](const Running& running) {
    const std::optional<Instant> deadline = running.operation->next_deadline();
    return deadline && now >= *deadline;
  };
  // A look may let go of some that have ended.
  for (std::size_t i = 0; i < running_.size(); ++i) {
    // Maybe a new attempt begins: a pause is time enough for a server to close.
    if (due(running_[i])) look_at_idle(running_[i].nodes, now);
    if (forked() || i >= running_.size()) return;
    put(running_[i], now, [now, is_due = due(running_[i])](Operation& operation) {
      if (is_due) operation.on_time(now);
    });
  }
}

void Reactor::settle(Instant now) noexcept {
  do {
    dispatch(now);
    hear(now);
    tie_up(now);
    if (held_back_) continue;
    for (const auto& node : live_) node->flush(now, arrivals_);
  } while (!arrivals_.empty() || listeners_.has_news());
  for (const auto& node : live_) {
    or_later([&] { close_where_decided(*node, now); });
  }
  std::erase_if(live_, [](const auto& node) { return node->connection() == 0; });
}

void Reactor::send_held_back() noexcept {
  held_back_ = false;
  settle(clock_.now());
}

void Reactor::tie_up(Instant now) noexcept {
  for (Running& running : running_) {
    if (!running.interrupted) continue;
    try {
      if (running.failure) running.operation->abort(now);
      drain(running, now);
      running.interrupted = false;
    } catch (...) {
      // Still no memory: a later turn tries again.
    }
  }
  std::erase_if(running_,
                [](const Running& running) { return running.ended && !running.interrupted; });
}

bool Reactor::awaits_verdict(const Node& node) const {
  return std::ranges::any_of(node.open_acquisitions(),
                             [this](OperationId id) { return undecided(id); });
}

void Reactor::dispatch(Instant now) noexcept {
  while (!arrivals_.empty()) {
    batch_.swap(arrivals_);
    for (Arrival& arrival : batch_) {
      const auto running = std::ranges::find(running_, arrival.origin.operation, &Running::id);
      // An answer to an operation that has ended: late, and of no use to anybody.
      if (running == running_.end()) continue;
      if (arrival.connected_by) {
        note_delay(*running, arrival, now);
        continue;
      }
      running->hedged.note_reply(arrival.origin.attempt, arrival.reply);
      // What it throws stays with the operation.
      put(*running, now, [&](Operation& operation) {
        // First: what the reply makes necessary is sent before what it makes the operation undo.
        review_hedged(*running, now);
        operation.on_reply(arrival.origin.node, arrival.origin.attempt, std::move(arrival.reply),
                           now);
      });
    }
    batch_.clear();
  }
}

// It is waited for as for any other connection: once in all attempts.
void Reactor::note_delay(Running& running, const Arrival& arrival, Instant now) {
  const Node& node = *running.nodes[arrival.origin.node.value()];
  const Instant latest = running.began + node.connect_timeout();
  put(running, now, [&](Operation& operation) {
    operation.on_delay(arrival.origin.node, arrival.origin.attempt,
                       std::min(*arrival.connected_by, latest));
  });
}

void Reactor::drain(Running& running, Instant now) {
  for (;;) {
    if (!running.pending) running.pending = running.operation->next_request();
    if (!running.pending) break;
    send_request(running, *running.pending, now);
    running.pending.reset();
  }
  review_hedged(running, now);
  if (running.operation->outcome() != nullptr) withdraw(running, now);
}

void Reactor::withdraw(Running& running, Instant now) {
  if (running.withdrawn) return;
  for (const auto& node : running.nodes) node->withdraw(running.id);
  running.hedged.release([&](const Request& request) {
    if (is_removal(*request.command)) ask(running, request, now);
  });
  running.withdrawn = true;
}

// An overdue connection is not used again, except for this: what is to be removed may still be
// under way on it, so the removal goes out behind it before the answer is sought elsewhere.
SharedCommand Reactor::give_up_overdue(Node& node, const SharedCommand& command, Instant now) {
  // Time has gone on since it was looked at; an answer may lie there that came in time.
  if (!node.overdue(std::min(now, looked_at_))) return command;
  SharedCommand asked = command;
  if (is_removal(*command)) {
    // Who acquires the lock between the two must not be mistaken for us.
    asked = std::make_shared<const Command>(*undo_of(*command));
    node.submit_cleanup(asked, Instant::never());
  }
  node.on_time(now, arrivals_);
  close_where_decided(node, now);
  return asked;
}

void Reactor::send_request(Running& running, const Request& request, Instant now) {
  const std::shared_ptr<Node>& node = running.nodes[request.node.value()];
  note_given_up(running, request);
  if (is_acquisition(*request.command)) look_before_use(*node, now);
  if (!request.wants_answer && running.hedged.drop(request)) {
    // Deferred until now: behind its own removal it would stay, so neither of the two is sent.
    return arrivals_.push_back({{running.id, request.node, request.attempt}, node->absence()});
  }
  if (!request.wants_answer) return clean_up(*node, request.command, request.answer_by, now);
  Request wanted = request;
  wanted.command = give_up_overdue(*node, request.command, now);
  const bool enqueues = traits_of(*request.command).enqueues;
  if (!node->connected_or_free(now)) {
    if (!enqueues) return running.hedged.defer(wanted, now);
    if (majority_is_well(running, now)) {
      return arrivals_.push_back({{running.id, request.node, request.attempt}, node->absence()});
    }
    node->skip_backoff();
  }
  if (!enqueues) running.hedged.note_asked(wanted.attempt);
  ask(running, wanted, now);
}

bool Reactor::majority_is_well(const Running& running, Instant now) {
  const auto well = std::ranges::count_if(running.nodes, [now](const auto& node) {
    return node->connected_or_free(now) && node->trouble().fault == Fault::none;
  });
  return static_cast<std::size_t>(well) >= running.operation->quorum().grants();
}

void Reactor::ask(Running& running, const Request& request, Instant now) {
  const std::shared_ptr<Node>& node = running.nodes[request.node.value()];
  if (!node->has_conversation()) make_room(*node);
  // A connection that is opened is also looked after, whatever goes wrong behind it.
  live_.reserve(live_.size() + 1);
  // For all of its attempts together.
  const Instant connect_by = running.began + node->connect_timeout();
  try {
    node->submit({running.id, request.node, request.attempt}, request.command, request.answer_by,
                 now, arrivals_, connect_by);
  } catch (...) {
    note_live(node);
    throw;
  }
  if (node->suspected()) running.operation->on_suspicion(request.node, request.attempt);
  if (node->establishing()) {
    running.operation->on_delay(request.node, request.attempt,
                                std::min(node->connecting_until(), connect_by));
  }
  note_live(node);
}

void Reactor::review_hedged(Running& running, Instant now) {
  const HedgedRequests::Advice advice =
      running.hedged.advise(running.operation->quorum().grants(), now);
  if (advice == HedgedRequests::Advice::wait) return;
  running.hedged.release([&](const Request& request) {
    Node& node = *running.nodes[request.node.value()];
    if (advice == HedgedRequests::Advice::leave && !is_removal(*request.command)) {
      arrivals_.push_back({{running.id, request.node, request.attempt}, node.absence()});
      return;
    }
    if (advice == HedgedRequests::Advice::ask) node.skip_backoff();
    ask(running, request, now);
    running.hedged.note_asked(request.attempt);
  });
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
    if (node.get() == &wanted || !node->idle() || !node->has_conversation()) continue;
    if (oldest == nullptr || node->last_used() < oldest->last_used()) oldest = node.get();
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
  for (const Running& running : running_) {
    // What waits for memory goes on whenever there is a turn; its own time is over, and would make
    // one turn follow the other without a pause.
    if (running.interrupted) continue;
    consider(running.operation->next_deadline());
    consider(running.hedged.next_deadline());
  }
  for (const auto& node : live_) consider(node->next_deadline());
  consider(listeners_.next_deadline());
  return earliest;
}

const Reactor::Running* Reactor::find(OperationId id) const {
  const auto running = std::ranges::find(running_, id, &Running::id);
  return running == running_.end() ? nullptr : &*running;
}

Reactor::Running* Reactor::find(OperationId id) {
  const auto running = std::ranges::find(running_, id, &Running::id);
  return running == running_.end() ? nullptr : &*running;
}

const Outcome* Reactor::outcome(OperationId id) const {
  const Running* running = find(id);
  return running == nullptr ? nullptr : running->operation->outcome();
}

std::vector<NodeReport> Reactor::outage(OperationId id) const {
  if (done(id) || !knows(id)) return {};
  return find(id)->operation->outage();
}

bool Reactor::done(OperationId id) const {
  const Running* running = find(id);
  return running != nullptr && (running->failure || running->operation->outcome() != nullptr);
}

Outcome Reactor::take(OperationId id) {
  Running& running = *find(id);
  running.ended = true;
  if (running.failure) {
    const std::exception_ptr failure = running.failure;
    settle(clock_.now());
    std::rethrow_exception(failure);
  }
  Outcome outcome = running.operation->collect();
  tie_up(clock_.now());
  return outcome;
}

void Reactor::end(OperationId id) noexcept {
  Running* const running = find(id);
  if (running == nullptr) return;
  const Instant now = clock_.now();
  running->ended = true;
  if (running->operation->outcome() == nullptr) {
    put(*running, now, [now](Operation& operation) { operation.abort(now); });
  }
  settle(now);
}

void Reactor::end_all() {
  const Instant now = clock_.now();
  for (Running& running : running_) {
    running.ended = true;
    if (running.operation->outcome() != nullptr) continue;
    put(running, now, [now](Operation& operation) { operation.abort(now); });
  }
  settle(now);
}

}  // namespace redlock
