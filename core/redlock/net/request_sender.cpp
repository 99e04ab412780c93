// What is looked at before a request is sent, and what its operation is told of the connection.
#include "redlock/net/request_sender.hpp"

#include <algorithm>
#include <memory>

namespace redlock {

void RequestSender::look_before_use(Node& node, Instant now) {
  const bool silent = idle_.too_old(node, now);
  if (node.may_repeat(now) || now - node.last_seen() >= IdlePolicy::look_after(node)) {
    node.begin_look(now);
    node.on_ready(true, false, now, live_.arrivals());
    node.end_look(now);
    live_.close_where_decided(node, now);
  }
  if (silent) live_.replace(node);
}

SharedCommand RequestSender::give_up_overdue(Node& node, const SharedCommand& command,
                                             Instant now) {
  // Time has gone on since it was looked at; an answer may lie there that came in time.
  if (!node.overdue(std::min(now, looked_at_))) return command;
  SharedCommand asked = command;
  if (is_removal(*command)) {
    // Whoever takes the lock between the two must not be taken for us.
    asked = std::make_shared<const Command>(*undo_of(*command));
    node.submit_cleanup(asked, Instant::never());
  }
  node.on_time(now, live_.arrivals());
  live_.close_where_decided(node, now);
  return asked;
}

void RequestSender::ask(RunningOperation& running, const Request& request, Instant now) {
  const std::shared_ptr<Node>& node = running.nodes[request.node.value()];
  if (!node->has_conversation()) live_.make_room(*node);
  // A connection that is opened is also looked after, whatever goes wrong behind it.
  live_.reserve_one();
  // For all of its attempts together.
  const Instant connect_by = running.began + node->connect_timeout();
  try {
    node->submit({running.id, request.node, request.attempt}, request.command, request.answer_by,
                 now, live_.arrivals(), connect_by);
  } catch (...) {
    live_.note(node);
    throw;
  }
  if (node->suspected()) running.operation->on_suspicion(request.node, request.attempt);
  if (node->establishing()) {
    running.operation->on_delay(request.node, request.attempt,
                                std::min(node->connecting_until(), connect_by));
  }
  live_.note(node);
}

void RequestSender::clean_up(Node& node, const SharedCommand& removal, Instant answer_by,
                             Instant now) {
  if (idle_.too_old(node, now)) node.outdate();
  node.submit_cleanup(removal, answer_by);
}

}  // namespace redlock
