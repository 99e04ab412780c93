// What is said to a server that is listened to, and what its words mean.
#include "redlock/wire/subscription.hpp"

#include <array>

#include "redlock/wire/line_codec.hpp"
#include "redlock/wire/server_errors.hpp"

namespace redlock {

Subscription::Subscription(const Endpoint& endpoint, const std::string& channel, bool pings_first)
    : Conversation(endpoint),
      channel_(channel),
      first_ping_(pings_first ? FirstPing::due : FirstPing::none) {}

std::string_view Subscription::output() {
  if (owes_request()) {
    std::string request;
    if (first_ping_ == FirstPing::due) {
      append_command(request, std::array<std::string_view, 1>{"PING"});
      say(request);
      first_ping_ = FirstPing::sent;
    } else {
      append_command(request, std::array<std::string_view, 2>{"SUBSCRIBE", channel_});
      say(request);
      asked_ = true;
    }
  }
  return rest();
}

void Subscription::ping(Instant answer_by) {
  if (!confirmed() || pong_by_) return;
  std::string request;
  append_command(request, std::array<std::string_view, 1>{"PING"});
  say(request);
  pong_by_ = answer_by;
}

void Subscription::on_bytes(std::string_view bytes, std::vector<Event>& events) {
  if (broken()) return;
  hear(bytes);
  std::optional<Ending> ending;
  while (!broken() && !ending) {
    const std::optional<RespValue> value = next_reply(ending);
    if (!value) break;
    on_reply(*value, events);
  }
  if (ending) fail(ending->fault, ending->reason, events);
  if (confirmed() && !pong_by_) note_all_answered();
}

void Subscription::on_first_pong(const RespValue& value, std::vector<Event>& events) {
  const bool is_error = value.kind == RespKind::error;
  if (is_error && is_passing(value.text)) {
    return fail(fault_of(value.text), "PING was refused: " + secrets().shown(value.text), events);
  }
  if (!is_error && (value.kind != RespKind::status || value.text != "PONG")) {
    return fail(Fault::protocol, "no valid reply to PING", events);
  }
  first_ping_ = FirstPing::none;
}

void Subscription::on_reply(const RespValue& value, std::vector<Event>& events) {
  if (first_ping_ == FirstPing::sent) return on_first_pong(value, events);
  if (!confirmed_ && value.kind == RespKind::error) {
    refused_ = !is_passing(value.text);
    return fail(fault_of(value.text), "SUBSCRIBE was refused: " + secrets().shown(value.text),
                events);
  }
  if (asked_ && !confirmed_ && is_about_us(value, "subscribe", RespKind::integer)) {
    confirmed_ = true;
  } else if (confirmed_ && is_about_us(value, "message", RespKind::bulk)) {
    if (auto push = parse_push(value.elements[2].text)) events.push_back(std::move(*push));
  } else if (pong_by_ && answers_ping(value)) {
    pong_by_.reset();
  } else {
    fail(Fault::protocol, "a reply that does not fit a subscription", events);
  }
}

bool Subscription::is_about_us(const RespValue& value, std::string_view kind,
                               RespKind third) const {
  const auto& parts = value.elements;
  const auto is_text = [](const RespValue& part, std::string_view text) {
    return part.kind == RespKind::bulk && part.text == text;
  };
  return value.kind == RespKind::array && parts.size() == 3 && is_text(parts[0], kind) &&
         is_text(parts[1], channel_) && parts[2].kind == third;
}

// An error is as good a sign of life as any: an ACL may forbid PING.
bool Subscription::answers_ping(const RespValue& value) const {
  if (value.kind == RespKind::error) return true;
  return value.kind == RespKind::array && value.elements.size() == 2 &&
         value.elements[0].kind == RespKind::bulk && value.elements[0].text == "pong";
}

void Subscription::fail(Fault fault, const std::string& reason, std::vector<Event>& /*events*/) {
  if (!broken()) mark_broken(fault, reason);
}

std::optional<Instant> Subscription::next_deadline() const {
  return broken() ? std::nullopt : pong_by_;
}

}  // namespace redlock
