// What becomes of each request.
#include "redlock/net/hedging.hpp"

#include <algorithm>

#include "redlock/algorithm/quorum.hpp"

namespace redlock {

void Hedging::send(RunningOperation& running, const Request& request, Instant now) {
  Node& node = *running.nodes[request.node.value()];
  if (is_acquisition(*request.command)) sender_.look_before_use(node, now);
  // Kept back until now: behind its own removal it would stay, so neither of the two is sent.
  if (!request.wants_answer && running.hedged.drop(request)) return answer_absent(running, request);
  if (!request.wants_answer) {
    return sender_.clean_up(node, request.command, request.answer_by, now);
  }
  Request wanted = request;
  wanted.command = sender_.give_up_overdue(node, request.command, now);
  const bool enqueues = traits_of(*request.command).enqueues;
  if (!node.connected_or_free(now)) {
    if (!enqueues) return running.hedged.defer(wanted, now);
    if (majority_is_well(running, now)) return answer_absent(running, request);
    node.skip_backoff();
  }
  if (!enqueues) running.hedged.note_asked(wanted.attempt);
  sender_.ask(running, wanted, now);
}

void Hedging::review(RunningOperation& running, Instant now) {
  if (running.hedged.empty()) return;
  const HedgedRequests::Advice advice =
      running.hedged.advise(running.operation->quorum().grants(), now);
  if (advice == HedgedRequests::Advice::wait) return;
  running.hedged.release([&](const Request& request) {
    if (advice == HedgedRequests::Advice::leave && !is_removal(*request.command)) {
      return answer_absent(running, request);
    }
    if (advice == HedgedRequests::Advice::ask) {
      running.nodes[request.node.value()]->skip_backoff();
    }
    sender_.ask(running, request, now);
    running.hedged.note_asked(request.attempt);
  });
}

void Hedging::withdraw(RunningOperation& running, Instant now) {
  if (running.withdrawn) return;
  for (const auto& node : running.nodes) node->withdraw(running.id);
  running.hedged.release([&](const Request& request) {
    if (is_removal(*request.command)) sender_.ask(running, request, now);
  });
  running.withdrawn = true;
}

bool Hedging::majority_is_well(const RunningOperation& running, Instant now) {
  const auto well = std::ranges::count_if(running.nodes, [now](const auto& node) {
    return node->connected_or_free(now) && node->trouble().fault == Fault::none;
  });
  return static_cast<std::size_t>(well) >= running.operation->quorum().grants();
}

void Hedging::answer_absent(const RunningOperation& running, const Request& request) {
  live_.arrivals().push_back({{running.id, request.node, request.attempt},
                              running.nodes[request.node.value()]->absence()});
}

}  // namespace redlock
