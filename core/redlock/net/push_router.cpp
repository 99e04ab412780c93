// From listeners to operations.
#include "redlock/net/push_router.hpp"

#include <algorithm>
#include <utility>

#include "redlock/algorithm/quorum.hpp"

namespace redlock {

// Pushes first: they came before whatever has changed.
void PushRouter::route(Instant now) noexcept {
  if (listeners_.empty() && std::ranges::none_of(operations_, &RunningOperation::listens)) return;
  listeners_.hand_on([&](const std::shared_ptr<Node>& node, const Push& push) noexcept {
    offer(*node, push, now);
  });
  listeners_.begin_turn(now);
  for (RunningOperation& running : operations_) {
    if (running.listens()) {
      tell(running, now);
    } else {
      running.told = {};
    }
  }
  listeners_.attend(now);
}

void PushRouter::tell(RunningOperation& running, Instant now) noexcept {
  const bool begins = !std::exchange(running.has_listened, true);
  driver_.put(running, now, [&](Operation& operation) {
    for (std::size_t i = 0; i < running.nodes.size() && operation.listens(); ++i) {
      const Listeners::News news = listeners_.want(running.nodes[i], idle_.limit(), now);
      if (news.subscription_state == nullptr || running.told[i] == news.change) continue;
      running.told[i] = news.change;
      operation.on_subscription(NodeIndex(i), *news.subscription_state, now);
    }
  });
  // Who has been told so much that he polls needs none of them.
  if (!begins || !running.listens()) return;
  listeners_.hurry(running.nodes, running.operation->quorum().grants());
}

void PushRouter::offer(Node& node, const Push& push, Instant now) noexcept {
  const bool counts = node.may_vote();
  for (RunningOperation& running : operations_) {
    if (!counts) break;
    const auto is_it = [&](const auto& known) { return known.get() == &node; };
    const auto found = std::ranges::find_if(running.nodes, is_it);
    if (found == running.nodes.end() || !running.listens()) continue;
    const NodeIndex position(static_cast<std::size_t>(found - running.nodes.begin()));
    bool taken = false;
    driver_.put(running, now,
                [&](Operation& operation) { taken = operation.on_push(position, push, now); });
    if (taken) return;
  }
  const SharedCommand removal = tombstones_.find(push.token);
  if (removal) or_later([&] { sender_.clean_up(node, removal, now + node.timeout(), now); });
}

}  // namespace redlock
