// What servers say unasked: who is told of it, and what becomes of what nobody waits for.
#include <algorithm>
#include <utility>

#include "redlock/net/reactor.hpp"

namespace redlock {

bool Reactor::listens(const Running& running) {
  return !running.failure && running.operation->listens();
}

// Pushes first: they came before whatever has changed.
void Reactor::hear(Instant now) noexcept {
  if (listeners_.empty() && std::ranges::none_of(running_, listens)) return;
  listeners_.hand_on([&](const std::shared_ptr<Node>& node, const Push& push) noexcept {
    offer(*node, push, now);
  });
  listeners_.begin_turn(now);
  for (Running& running : running_) {
    if (listens(running)) {
      tell(running, now);
    } else {
      running.told = {};
    }
  }
  listeners_.attend(now);
}

void Reactor::tell(Running& running, Instant now) noexcept {
  const bool begins = !std::exchange(running.has_listened, true);
  put(running, now, [&](Operation& operation) {
    for (std::size_t i = 0; i < running.nodes.size() && operation.listens(); ++i) {
      const Listeners::News news = listeners_.want(running.nodes[i], idle_limit_, now);
      if (news.subscription_state == nullptr || running.told[i] == news.change) continue;
      running.told[i] = news.change;
      operation.on_subscription(NodeIndex(i), *news.subscription_state, now);
    }
  });
  // Who has been told so much that he polls needs none of them.
  if (!begins || !listens(running)) return;
  listeners_.hurry(running.nodes, running.operation->quorum().grants());
}

void Reactor::offer(Node& node, const Push& push, Instant now) noexcept {
  for (Running& running : running_) {
    const auto is_it = [&](const auto& known) { return known.get() == &node; };
    const auto found = std::ranges::find_if(running.nodes, is_it);
    if (found == running.nodes.end() || !listens(running)) continue;
    const NodeIndex position(static_cast<std::size_t>(found - running.nodes.begin()));
    bool taken = false;
    put(running, now,
        [&](Operation& operation) { taken = operation.on_push(position, push, now); });
    if (taken) return;
  }
  const SharedCommand removal = given_up_.find(push.token);
  if (removal) or_later([&] { clean_up(node, removal, now + node.timeout(), now); });
}

// A release, or what a wait leaves behind. Other attempts stand in no line.
void Reactor::note_given_up(const Running& running, const Request& request) noexcept {
  if (listeners_.empty() || !traits_of(*request.command).hands_over) return;
  if (request.wants_answer || running.has_listened) given_up_.note(request.command);
}

}  // namespace redlock
