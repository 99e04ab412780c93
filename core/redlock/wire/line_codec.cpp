// The line's requests and replies.
#include "redlock/wire/line_codec.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "redlock/algorithm/permit.hpp"
#include "redlock/wire/read_number.hpp"

namespace redlock {

std::optional<Duration> left_of(std::int64_t pttl) {
  if (pttl == -1) return std::nullopt;
  return Duration::ms(pttl < 0 ? 0 : std::max<std::int64_t>(pttl, 1));
}

std::string_view word_of(ClaimPolicy policy) {
  if (policy == ClaimPolicy::claim) return "1";
  if (policy == ClaimPolicy::retain) return "3";
  return policy == ClaimPolicy::observe ? "0" : "2";
}

void CommandCodec<ReleaseAndHandOver>::write(const RequestWriter& request,
                                             const ReleaseAndHandOver& command) {
  const LockName lock = command.lock();
  const bool of_slot = command.resources.single() && slot_number(command.resources.only());
  const Script& script =
      of_slot ? scripts::permit_pass : one_or_all(command, scripts::pass, scripts::pass_all);
  if (command.hands_over) return request.script(script, lock.keys, lock.proof);
  request.script(script, lock.keys, lock.proof, "0");
}

void CommandCodec<Enqueue>::write(const RequestWriter& request, const Enqueue& command) {
  const auto join = [&](const auto&... mode) {
    request.script(scripts::join, command.lock().keys, command.token.view(), in_ms(command.ttl),
                   std::to_string(command.entry.ticket), command.entry.channel,
                   std::to_string(command.entry.echo), word_of(command.entry.policy), mode...);
  };
  command.mode == LockMode::shared ? join("r") : join();
}

ReadReply CommandCodec<Enqueue>::read(const Enqueue& /*command*/, const RespValue& value) {
  if (value.kind == RespKind::status && value.text == "GRANTED") return Reply::granted();
  if (value.kind != RespKind::bulk) return std::nullopt;
  const std::optional<QueuePosition> position = parse_queue_position(value.text);
  return position ? ReadReply(Reply::denied(*position)) : std::nullopt;
}

std::optional<QueuePosition> parse_queue_position(std::string_view text) {
  std::int64_t pttl = 0;
  QueuePosition position;
  const bool whole = read_number(text, pttl) && read_number(text, position.index) &&
                     read_number(text, position.server_ms) && text.empty();
  if (!whole || position.index < 0) return std::nullopt;
  position.left = left_of(pttl);
  return position;
}

std::optional<Push> parse_push(std::string_view text) {
  constexpr std::string_view kGranted = "granted ";
  constexpr std::string_view kNext = "next ";
  constexpr std::string_view kSlot = "slot ";
  Push push;
  std::int64_t pttl = 0;
  if (text.starts_with(kGranted)) {
    text.remove_prefix(kGranted.size());
    push.kind = Push::Kind::granted;
    if (!read_number(text, push.echo)) return std::nullopt;
  } else if (text.starts_with(kNext)) {
    text.remove_prefix(kNext.size());
    if (!read_number(text, pttl)) return std::nullopt;
    push.left = left_of(pttl);
  } else if (text.starts_with(kSlot)) {
    text.remove_prefix(kSlot.size());
    push.kind = Push::Kind::slot;
    if (!read_number(text, push.slot) || push.slot >= kPermitsMax) return std::nullopt;
  } else {
    return std::nullopt;
  }
  push.token = Token(std::string(text));
  return push.token.empty() ? std::nullopt : std::optional(push);
}

}  // namespace redlock
