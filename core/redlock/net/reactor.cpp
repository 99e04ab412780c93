// The reactor's turns.
#include "redlock/net/reactor.hpp"

#include <algorithm>
#include <utility>

#include "redlock/net/earlier.hpp"
#include "redlock/net/idle_look.hpp"
#include "redlock/net/removal_delivery.hpp"

namespace redlock {

Reactor::Reactor(Transport& transport, Clock& clock, Entropy& entropy)
    : transport_(transport),
      clock_(clock),
      live_(transport, operations_),
      listeners_(transport, entropy),
      polling_(transport, live_, listeners_),
      sender_(live_, idle_),
      hedging_(sender_, live_),
      driver_(operations_, live_, hedging_, listeners_, tombstones_),
      router_(operations_, driver_, sender_, listeners_, tombstones_, idle_) {}

OperationId Reactor::begin(std::unique_ptr<Operation> operation, NodeList nodes) {
  look_at_idle(nodes, clock_.now());
  if (forked()) return operations_.unused_id();
  // What could not be closed for want of memory can be opened again only when it is.
  if (std::ranges::any_of(nodes, [](const auto& node) { return node->closing(); })) {
    settle(clock_.now());
  }
  RunningOperation& begun = operations_.add(std::move(operation), std::move(nodes));
  const OperationId id = begun.id;
  // Read after everything above: the operation's clock starts here, before its first byte.
  const Instant now = clock_.now();
  begun.began = now;
  driver_.put(begun, now, [now](Operation& started) { started.start(now); });
  settle(now);
  RunningOperation& running = *operations_.find(id);
  if (!running.failure) return id;
  // Its caller gets no number to collect it by.
  const std::exception_ptr failure = running.failure;
  running.end();
  driver_.tie_up(now);
  std::rethrow_exception(failure);
}

Woken Reactor::step(Instant until) {
  Instant deadline = until;
  if (const auto next = next_deadline(); next && *next < deadline) deadline = *next;
  // Whoever called while there was only a look is heard now.
  const Woken woken = read(called_ ? Instant() : deadline, Polling::Scope::wanted);
  if (forked()) return woken;
  const Instant now = clock_.now();
  const std::optional<Instant> next = next_deadline();
  const bool due = next && now >= *next;
  if (due) {
    // The process may have stood still since it read, and answers have come in time.
    if (listeners_.overdue(now) || live_.overdue(now)) read(Instant(), Polling::Scope::wanted);
    if (forked()) return woken;
    on_time(now);
    if (forked()) return woken;
  }
  if (live_.introduce(now) || due) settle(now);
  return std::exchange(called_, false) ? Woken::called : woken;
}

Woken Reactor::read(Instant deadline, Polling::Scope scope) {
  const Woken woken = polling_.wait(scope, deadline, clock_.now());
  if (forked()) return woken;
  called_ = called_ || woken == Woken::called;
  const Instant now = clock_.now();
  polling_.on_ready(now);
  settle(now);
  return woken;
}

void Reactor::on_time(Instant now) {
  bool any_given_up = listeners_.on_time(now);
  any_given_up |= live_.on_time(now);
  // Before anybody asks again: what is given up is closed, so that it can be opened anew.
  if (any_given_up) settle(now);
  const auto due = [now](const RunningOperation& running) {
    const std::optional<Instant> deadline = running.operation->next_deadline();
    return deadline && now >= *deadline;
  };
  // A look may let go of some that have ended.
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    // Maybe a new attempt begins: a pause is time enough for a server to close.
    if (due(operations_[i])) look_at_idle(operations_[i].nodes, now);
    if (forked() || i >= operations_.size()) return;
    driver_.put(operations_[i], now, [now, is_due = due(operations_[i])](Operation& operation) {
      if (is_due) operation.on_time(now);
    });
  }
}

void Reactor::look_at_idle(const NodeList& nodes, Instant now) {
  sender_.note_look(now);
  if (!IdleLook::is_due(nodes, now, held_back_)) return;
  const IdleLook look(idle_, nodes, now);
  // Behind a late answer there may be the end of the connection.
  const auto read_all = [this] { return read(Instant(), Polling::Scope::all); };
  if (read_all() == Woken::ready && !forked()) read_all();
  if (forked()) return;
  look.replace(live_);
}

void Reactor::settle(Instant now) noexcept {
  do {
    driver_.dispatch(now);
    router_.route(now);
    driver_.tie_up(now);
    if (!held_back_) live_.flush(now);
  } while (!live_.arrivals().empty() || listeners_.has_news());
  live_.close_where_decided(now);
}

void Reactor::send_held_back() noexcept {
  held_back_ = false;
  settle(clock_.now());
}

std::optional<Watch> Reactor::watch() {
  const Instant until = called_ ? Instant() : next_deadline().value_or(Instant::never());
  return polling_.watch(until, clock_.now());
}

std::optional<Instant> Reactor::next_deadline() const {
  return earlier(earlier(operations_.next_deadline(), live_.next_deadline()),
                 listeners_.next_deadline());
}

Outcome Reactor::collect(OperationId id) {
  RunningOperation& running = *operations_.find(id);
  running.end();
  if (running.failure) {
    const std::exception_ptr failure = running.failure;
    settle(clock_.now());
    std::rethrow_exception(failure);
  }
  Outcome outcome = running.operation->collect();
  // What it could not undo for want of memory goes before what the caller asks next.
  if (running.interrupted) driver_.tie_up(clock_.now());
  operations_.drop_ended();
  return outcome;
}

void Reactor::end(OperationId id) noexcept {
  RunningOperation* const running = operations_.find(id);
  if (running == nullptr) return;
  const Instant now = clock_.now();
  driver_.end(*running, now);
  settle(now);
}

void Reactor::end_all() {
  const Instant now = clock_.now();
  for (RunningOperation& running : operations_) driver_.end(running, now);
  settle(now);
}

void Reactor::deliver_removals(const NodeList& nodes, Chance chance, Duration at_most) {
  if (!live_.empty() || !listeners_.empty()) read(Instant(), Polling::Scope::all);
  if (forked()) return;
  RemovalDelivery delivery(live_, clock_, at_most);
  delivery.hurry(nodes, chance == Chance::last);
  delivery.wait(nodes, [this](Instant until) {
    step(until);
    return !forked();
  });
}

void Reactor::close_idle(Instant before) {
  live_.shut_down_idle(before);
  settle(clock_.now());
  listeners_.close_idle(before);
}

void Reactor::close_all() {
  live_.shut_down_all();
  settle(clock_.now());
  listeners_.close_all();
}

void Reactor::forget_all() {
  watch_.start_over();
  held_back_ = called_ = false;
  operations_.clear();
  listeners_.forget_all();
  tombstones_.clear();
  live_.forget_all();
  transport_.forget_all();
}

}  // namespace redlock
