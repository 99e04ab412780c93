// The line's requests and replies.
#include "redlock/wire/line_codec.hpp"

#include "redlock/algorithm/line.hpp"

namespace redlock {

namespace {

// As the script knows it.
std::string_view word_of(ClaimPolicy policy) {
  if (policy == ClaimPolicy::claim) return "1";
  if (policy == ClaimPolicy::retain) return "3";
  return policy == ClaimPolicy::observe ? "0" : "2";
}

}  // namespace

void CommandCodec<ReleaseAndHandOver>::write(const RequestWriter& request,
                                             const ReleaseAndHandOver& command) {
  const LockName lock = command.lock();
  if (command.hands_over) return request.script(scripts::pass, lock.keys, lock.proof);
  request.script(scripts::pass, lock.keys, lock.proof, "0");
}

void CommandCodec<Enqueue>::write(const RequestWriter& request, const Enqueue& command) {
  request.script(scripts::join, command.lock().keys, command.token.view(), in_ms(command.ttl),
                 std::to_string(command.entry.ticket), command.entry.channel,
                 std::to_string(command.entry.echo), word_of(command.entry.policy));
}

ReadReply CommandCodec<Enqueue>::read(const RespValue& value) {
  if (value.kind == RespKind::status && value.text == "GRANTED") return Reply::granted();
  if (value.kind == RespKind::bulk && parse_queue_position(value.text))
    return Reply::denied(value.text);
  return std::nullopt;
}

}  // namespace redlock
