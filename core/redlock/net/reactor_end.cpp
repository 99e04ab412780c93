// The end of connections: those that are idle are looked at, and replaced, before they are used;
// removals that are still owed, closing, and letting go after a fork.
#include <algorithm>

#include "redlock/net/reactor.hpp"

namespace redlock {

namespace {
// To look at one in memory costs nothing, and a test ends its connections between two calls.
Duration look_after(const Node& node) { return node.endpoint().in_memory ? Duration() : kIdleLook; }
}  // namespace

// Late answers and closed connections are found before the node is used again.
void Reactor::look_at_idle(const NodeList& nodes, Instant now) {
  looked_at_ = now;
  const bool stale = std::ranges::any_of(nodes, [this, now](const auto& node) {
    if (node->overdue(now) || node->outdated()) return true;
    // Whoever has something held back was looked at when that was begun.
    if (!node->has_conversation() || (held_back_ && node->has_output())) return false;
    return now - node->last_used() >= look_after(*node);
  });
  if (!stale) return;
  silent_.clear();
  NodeList outdated;
  for (const auto& node : nodes) {
    if (!too_old(*node, now)) continue;
    (now - node->last_used() >= idle_limit_ ? silent_ : outdated).push_back(node);
  }
  // Behind a late answer there may be the end of the connection.
  if (read(Instant(), Scope::all) == Woken::ready && !forked()) read(Instant(), Scope::all);
  if (forked()) return;
  // Whatever went on them meanwhile.
  for (const auto& node : silent_) replace_silent(*node);
  silent_.clear();
  for (const auto& node : outdated) {
    if (node->outdated()) replace_silent(*node);
  }
}

bool Reactor::too_old(const Node& node, Instant now) const {
  return node.has_conversation() && (node.outdated() || now - node.last_used() >= idle_limit_);
}

void Reactor::replace_silent(Node& node) {
  if (!node.has_conversation()) return;
  const bool needed =
      std::ranges::any_of(node.askers(), [this](OperationId id) { return undecided(id); });
  if (!needed) node.replace(arrivals_);
}

void Reactor::look_before_use(Node& node, Instant now) {
  const bool silent = too_old(node, now);
  if (node.may_repeat(now) || now - node.last_seen() >= look_after(node)) {
    node.begin_look(now);
    node.take_ready(true, false, now, arrivals_);
    node.end_look(now);
    close_where_decided(node, now);
  }
  if (silent) replace_silent(node);
}

void Reactor::clean_up(Node& node, const SharedCommand& removal, Instant answer_by, Instant now) {
  if (too_old(node, now)) node.outdate();
  node.submit_cleanup(removal, answer_by);
}

// Whose acquisition went out on it must be decided before the undo goes out behind that.
void Reactor::close_where_decided(Node& node, Instant now) {
  if (!node.closing() || awaits_verdict(node)) return;
  std::vector<OperationId> waiting;
  for (const Session::OpenJoin& join : node.open_joins()) {
    if (undecided(join.operation)) waiting.push_back(join.operation);
  }
  node.complete_closing(now, waiting);
}

void Reactor::deliver_removals(const NodeList& nodes, Chance chance, Duration at_most) {
  if (!live_.empty() || !listeners_.empty()) read(Instant(), Scope::all);
  if (forked()) return;
  for (const auto& node : nodes) {
    live_.reserve(live_.size() + 1);
    or_later([&] {
      if (node->outdated()) replace_silent(*node);
      // One that could not be made in its time stands in the way of the next one.
      if (node->establishing() && node->on_time(clock_.now(), arrivals_)) {
        close_where_decided(*node, clock_.now());
      }
      node->hurry_removals(chance == Chance::last, clock_.now());
    });
    note_live(node);
  }
  wait_for_removals(nodes, at_most);
}

void Reactor::wait_for_removals(const NodeList& nodes, Duration at_most) {
  const Instant start = clock_.now();
  NodeList owing;
  for (const auto& node : nodes) {
    if (node->owes_removal()) owing.push_back(node);
  }
  for (Instant now = start;; now = clock_.now()) {
    Instant until = Instant::never();
    for (const auto& node : owing) {
      const Instant deadline = start + std::min(node->timeout(), at_most);
      if (node->owes_removal() && now < deadline) until = std::min(until, deadline);
    }
    if (until == Instant::never()) break;
    step(until);
    if (forked()) return;
  }
  for (const auto& node : owing) {
    const bool had_its_time = at_most >= node->timeout();
    if (had_its_time && (node->owes_removal() || node->has_carried())) node->note_waited_in_vain();
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
