// The end of connections: removals that are still owed, closing, and letting go after a fork.
#include <algorithm>

#include "redlock/runtime/reactor.hpp"

namespace redlock {

void Reactor::deliver_removals(const NodeList& nodes, Chance chance) {
  if (!live_.empty() || !listeners_.empty()) read(Instant(), Scope::all);
  if (forked()) return;
  for (const auto& node : nodes) {
    live_.reserve(live_.size() + 1);
    or_later([&] { node->hurry_removals(chance == Chance::last, clock_.now()); });
    note_live(node);
  }
  wait_for_removals(clock_.now());
}

void Reactor::wait_for_removals(Instant start) {
  NodeList owing;
  for (const auto& node : live_) {
    if (node->owes_removal()) owing.push_back(node);
  }
  for (Instant now = start;; now = clock_.now()) {
    Instant until = Instant::never();
    for (const auto& node : owing) {
      const Instant deadline = start + node->timeout();
      if (node->owes_removal() && now < deadline) until = std::min(until, deadline);
    }
    if (until == Instant::never()) break;
    step(until);
    if (forked()) return;
  }
  for (const auto& node : owing) {
    if (node->owes_removal() || node->has_carried()) node->note_waited_in_vain();
  }
}

void Reactor::close_idle(Instant before) {
  for (const auto& node : live_) {
    if (!node->idle() || node->last_used() > before) continue;
    or_later([&] { node->shut_down(arrivals_); });
  }
  settle(clock_.now());
  listeners_.close_idle(before);
}

void Reactor::close_all() {
  for (const auto& node : live_) {
    or_later([&] { node->shut_down(arrivals_); });
  }
  settle(clock_.now());
  listeners_.close_all();
}

void Reactor::forget_all() {
  watch_.start_over();
  held_back_ = called_ = false;
  running_.clear();
  listeners_.forget_all();
  given_up_.clear();
  arrivals_.clear();
  polled_.clear();
  for (const auto& node : live_) node->forget();
  live_.clear();
  transport_.forget_all();
}

}  // namespace redlock
